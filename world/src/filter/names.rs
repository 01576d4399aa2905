//! What compiling has to know about a world: its names.

use crate::component::Field;
use crate::id::ComponentId;
use crate::inspect::CatalogView;

/// The names queries are compiled and completed against.
pub trait Names {
    /// The component of this name.
    fn component(&self, name: &str) -> Option<ComponentId>;
    /// The fields of a component, in the order of their offsets; none for a component that is not known.
    fn fields(&self, component: ComponentId) -> &[Field];
    /// The names of all components.
    fn component_names(&self) -> Vec<&str>;
    /// The names of all types entities can have.
    fn type_names(&self) -> Vec<&str>;
    /// The names of all classes.
    fn class_names(&self) -> Vec<&str>;
}

impl Names for CatalogView {
    fn component(&self, name: &str) -> Option<ComponentId> {
        self.components.iter().find(|component| component.name == name).map(|component| component.id)
    }

    fn fields(&self, component: ComponentId) -> &[Field] {
        CatalogView::component(self, component).map_or(&[], |component| &component.fields)
    }

    fn component_names(&self) -> Vec<&str> {
        self.components.iter().map(|component| component.name.as_str()).collect()
    }

    fn type_names(&self) -> Vec<&str> {
        self.templates.iter().map(|template| template.name.as_str()).collect()
    }

    fn class_names(&self) -> Vec<&str> {
        self.classes.iter().map(|class| class.name.as_str()).collect()
    }
}
