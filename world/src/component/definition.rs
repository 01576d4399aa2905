//! A component's definition: its block, its fields, and how it comes and goes.

use super::described::{FieldsOut, block_from_config, list_of, opaque_from_config, opaque_text};
use super::error::{ConfigError, DefinitionError, HookError};
use super::{Field, Heap, ListId, Lists, Role, Scalar, Strings};
use crate::config::Config;
use crate::id::{ComponentId, EntityId};
use crate::world::World;
use std::alloc::Layout;
use std::any::TypeId;
use std::collections::HashSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A type blocks can be made of.
///
/// The type is plain words (`Pod`), so any bits are a value of it, and blocks are copied as bytes.
pub trait Component: bytemuck::Pod + Send + Sync {
    /// The name scenes, filters and panels use.
    const NAME: &'static str;

    /// What it is made of and how it behaves; begin with `ComponentDef::of::<Self>()`.
    fn definition() -> ComponentDef;
}

/// What a hook may use besides the block and the entity's id.
pub struct AttachContext<'a> {
    /// The world's strings.
    pub strings: &'a Strings,
    /// The world's lists.
    pub lists: &'a Lists,
    pub(crate) world: &'a mut World,
}

impl AttachContext<'_> {
    /// A component of another entity; none if that is gone or does not have it. While a batch is loaded only the
    /// hooks of `load_last` components find all others attached.
    pub fn get<T: Component>(&mut self, id: EntityId) -> Option<T> {
        self.world.get(id)
    }

    /// The world the entity is in, to create others that belong to it. What a hook does to its own block here is
    /// overwritten when it ends.
    pub fn world(&mut self) -> &mut World {
        self.world
    }
}

type ToBlock = dyn Fn(&Config<'_>, &Strings, &mut [u8]) -> Result<(), ConfigError> + Send + Sync;
type Save = dyn Fn(&[u8], &Strings, &mut Config<'static>) + Send + Sync;
type OnAttach = dyn Fn(EntityId, &mut [u8], &mut AttachContext<'_>, Option<&Config<'_>>) -> Result<(), HookError>
    + Send
    + Sync;
type OnFree = dyn Fn(&[u8]) + Send + Sync;
type OnDied = dyn Fn(EntityId, &[u8], &mut World) -> Result<(), HookError> + Send + Sync;

/// A component: name, block, fields, keys and hooks.
#[derive(Clone)]
pub struct ComponentDef {
    pub(crate) name: String,
    pub(crate) layout: Layout,
    pub(crate) rust_type: Option<TypeId>,
    pub(crate) fields: Vec<Field>,
    pub(crate) load_keys: Option<Vec<String>>,
    pub(crate) load_last: bool,
    to_block: Option<Arc<ToBlock>>,
    save: Option<Arc<Save>>,
    pub(crate) on_attach: Option<Arc<OnAttach>>,
    pub(crate) on_free: Option<Arc<OnFree>>,
    pub(crate) on_died: Option<Arc<OnDied>>,
}

impl fmt::Debug for ComponentDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComponentDef")
            .field("name", &self.name)
            .field("fields", &self.fields)
            .finish_non_exhaustive()
    }
}

impl ComponentDef {
    /// A component of blocks of a Rust type; describe its fields next. One nobody describes is shown as bytes.
    pub fn of<T: Component>() -> Self {
        Self::with_layout(T::NAME.to_owned(), Layout::new::<T>(), Some(TypeId::of::<T>()))
    }

    /// A component known by its description alone; its fields are laid out in their order, their offsets found.
    /// Without fields it is a tag.
    pub fn described(name: impl Into<String>, fields: Vec<Field>) -> Self {
        let mut layout = Layout::new::<()>();
        let mut placed = Vec::with_capacity(fields.len());
        for mut field in fields {
            let scalar =
                Layout::from_size_align(field.scalar.size(), field.scalar.size()).expect("a power of two");
            let (longer, offset) = layout.extend(scalar).expect("a description is short");
            field.offset = offset;
            layout = longer;
            placed.push(field);
        }
        Self { fields: placed, ..Self::with_layout(name.into(), layout.pad_to_align(), None) }
    }

    fn with_layout(name: String, layout: Layout, rust_type: Option<TypeId>) -> Self {
        Self {
            name,
            layout,
            rust_type,
            fields: Vec::new(),
            load_keys: None,
            load_last: false,
            to_block: None,
            save: None,
            on_attach: None,
            on_free: None,
            on_died: None,
        }
    }

    /// Adds a field.
    pub fn field(mut self, field: Field) -> Self {
        self.fields.push(field);
        self
    }

    /// The config keys of which any one present loads it. By default the keys of its fields; for a tag, or a block
    /// nobody described, its name.
    pub fn load_keys<K: Into<String>>(mut self, keys: impl IntoIterator<Item = K>) -> Self {
        self.load_keys = Some(keys.into_iter().map(Into::into).collect());
        self
    }

    /// Loads it once the whole batch exists. No worker creates or adds it.
    pub fn load_last(mut self) -> Self {
        self.load_last = true;
        self
    }

    /// Makes a block from a config in another way than by the fields' keys and defaults.
    pub fn from_config<T: Component>(
        mut self,
        make: impl Fn(&Config<'_>, &Strings) -> Result<T, ConfigError> + Send + Sync + 'static,
    ) -> Self {
        self.expect_type::<T>();
        self.to_block = Some(Arc::new(move |config, strings, block| {
            block.copy_from_slice(bytemuck::bytes_of(&make(config, strings)?));
            Ok(())
        }));
        self
    }

    /// Saves a block's state in another way than every field under its key.
    pub fn save_state<T: Component>(
        mut self,
        save: impl Fn(&T, &Strings, &mut Config<'static>) + Send + Sync + 'static,
    ) -> Self {
        self.expect_type::<T>();
        self.save = Some(Arc::new(move |block, strings, out| save(&read(block), strings, out)));
        self
    }

    /// Whether nothing is to be done when a block comes or is torn down.
    #[inline]
    pub(crate) fn is_without_hooks(&self) -> bool {
        self.on_attach.is_none() && !self.frees()
    }

    /// Runs on the world thread when an entity gets it, by load, addition or adoption; the config is that of a
    /// load.
    pub fn on_attach<T: Component>(
        mut self,
        hook: impl Fn(EntityId, &mut T, &mut AttachContext<'_>, Option<&Config<'_>>) -> Result<(), HookError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.expect_type::<T>();
        self.on_attach = Some(Arc::new(move |id, block, context, config| {
            let mut value: T = read(block);
            let result = hook(id, &mut value, context, config);
            // Even if it failed: lists it made are released with the block.
            block.copy_from_slice(bytemuck::bytes_of(&value));
            result
        }));
        self
    }

    /// Runs exactly once for every block that is torn down, just before the block is given back.
    pub fn on_free<T: Component>(mut self, hook: impl Fn(&T) + Send + Sync + 'static) -> Self {
        self.expect_type::<T>();
        self.on_free = Some(Arc::new(move |block| hook(&read(block))));
        self
    }

    /// Runs exactly once for every death of an entity that has it, which is then still whole.
    pub fn on_died<T: Component>(
        mut self,
        hook: impl Fn(EntityId, &T, &mut World) -> Result<(), HookError> + Send + Sync + 'static,
    ) -> Self {
        self.expect_type::<T>();
        self.on_died = Some(Arc::new(move |id, block, world| hook(id, &read(block), world)));
        self
    }

    fn expect_type<T: Component>(&self) {
        assert_eq!(self.rust_type, Some(TypeId::of::<T>()), "a hook of {:?} is for another type", self.name);
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The fields, as described.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Bytes of a block; 0 for a tag.
    pub fn size(&self) -> usize {
        self.layout.size()
    }

    /// Whether a key of a config loads it.
    pub fn loads_on(&self, key: &str) -> bool {
        match &self.load_keys {
            Some(keys) => keys.iter().any(|k| k == key),
            None if self.fields.is_empty() => self.name == key,
            None => self.fields.iter().any(|field| field.key.as_deref() == Some(key)),
        }
    }

    /// The keys that load it.
    pub fn keys(&self) -> Vec<String> {
        match &self.load_keys {
            Some(keys) => keys.clone(),
            None if self.fields.is_empty() => vec![self.name.clone()],
            None => self.fields.iter().filter_map(|field| field.key.clone()).collect(),
        }
    }

    /// Fills a zeroed block from a config.
    pub(crate) fn to_block(
        &self,
        config: &Config<'_>,
        heap: Heap<'_>,
        block: &mut [u8],
    ) -> Result<(), ConfigError> {
        match &self.to_block {
            Some(make) => make(config, heap.strings, block),
            None if self.fields.is_empty() && !block.is_empty() => {
                opaque_from_config(&self.name, config, block)
            }
            None => block_from_config(&self.fields, config, heap, block),
        }
    }

    /// Whether its blocks are made of nothing but the values of its fields' keys and their defaults.
    pub(crate) fn reads_by_fields(&self) -> bool {
        self.to_block.is_none() && (!self.fields.is_empty() || self.size() == 0)
    }

    /// Whether something is to be done for a block that is torn down.
    pub(crate) fn frees(&self) -> bool {
        self.on_free.is_some() || self.has_lists()
    }

    /// Whether its blocks own lists.
    pub(crate) fn has_lists(&self) -> bool {
        self.fields.iter().any(|field| field.role == Role::List)
    }

    /// Whether its blocks may refer to entities: in a field, or in a list.
    pub(crate) fn may_refer(&self) -> bool {
        self.fields.iter().any(|field| matches!(field.role, Role::Entity | Role::List))
    }

    /// The lists a block owns.
    pub(crate) fn lists_of<'a>(&'a self, block: &'a [u8]) -> impl Iterator<Item = ListId> + 'a {
        // An empty block is none.
        let fields: &[Field] = if block.is_empty() { &[] } else { &self.fields };
        let lists = fields.iter().filter(|field| field.role == Role::List);
        lists.map(|field| list_of(field, block)).filter(|list| !list.is_none())
    }

    /// The lists `before` owns and `after` does not.
    pub(crate) fn lists_left(&self, before: &[u8], after: &[u8]) -> Vec<ListId> {
        self.lists_of(before).filter(|list| self.lists_of(after).all(|kept| kept != *list)).collect()
    }

    /// Puts copies of the lists a block refers to into it, in the place of those of the block it was copied from.
    pub(crate) fn copy_lists(&self, block: &mut [u8], lists: &Lists) {
        for field in self.fields.iter().filter(|field| field.role == Role::List) {
            let copy = lists.copy(list_of(field, block)).unwrap_or_default();
            block[field.offset..field.offset + 4].copy_from_slice(&copy.bits().to_ne_bytes());
        }
    }

    /// Tears a block down: its hook, then its lists.
    ///
    /// # Errors
    /// What the hook said when it panicked.
    pub(crate) fn free(&self, block: &[u8], lists: &Lists) -> std::thread::Result<()> {
        let called = self.on_free.as_ref().map(|hook| catch_unwind(AssertUnwindSafe(|| hook(block))));
        self.lists_of(block).for_each(|list| lists.release_owned(list));
        called.unwrap_or(Ok(()))
    }

    /// Whether a block is saved as nothing but its fields, each under its key.
    pub(crate) fn saves_by_fields(&self) -> bool {
        self.save.is_none() && !self.fields.is_empty() && self.size() > 0
    }

    /// Whether a function of its own says what of a block is saved.
    pub(crate) fn saves_itself(&self) -> bool {
        self.save.is_some()
    }

    /// Adds a block's state to a config.
    pub(crate) fn save<'c>(
        &'c self,
        block: &[u8],
        strings: &Strings,
        fields: &FieldsOut<'c, '_>,
        out: &mut Config<'c>,
    ) {
        match &self.save {
            Some(save) => {
                let mut state = Config::new();
                save(block, strings, &mut state);
                state.into_entries().for_each(|(key, value)| out.set(key, value));
            }
            None if self.layout.size() == 0 => {
                if let Some(key) = self.keys().into_iter().next() {
                    out.set(key, true);
                }
            }
            None if self.fields.is_empty() => out.set(self.name.as_str(), opaque_text(block)),
            None => fields.add(&self.fields, block, out),
        }
    }

    pub(super) fn check(&self) -> Result<(), DefinitionError> {
        let named =
            !self.name.is_empty() && self.name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
        if !named {
            return Err(DefinitionError::Name(self.name.clone()));
        }
        if self.layout.align() > 16 {
            return Err(DefinitionError::Alignment(self.name.clone()));
        }
        let mut names = HashSet::new();
        for field in &self.fields {
            let (component, name) = (self.name.clone(), field.name.clone());
            if !names.insert(field.name.as_str()) {
                return Err(DefinitionError::TwoFields { component, field: name });
            }
            let (size, offset) = (field.scalar.size(), field.offset);
            if offset % size != 0 || offset.checked_add(size).is_none_or(|end| end > self.layout.size()) {
                return Err(DefinitionError::Misplaced {
                    component,
                    field: name,
                    offset,
                    size: self.layout.size(),
                });
            }
            let needs = match field.role {
                Role::Colour | Role::Text | Role::List => Some(Scalar::U32),
                Role::Entity => Some(Scalar::U64),
                Role::Plain | Role::Angle | Role::Flags => None,
            };
            if let Some(needs) = needs.filter(|&needs| needs != field.scalar) {
                return Err(DefinitionError::Role {
                    component,
                    field: name,
                    role: field.role,
                    needs: needs.name(),
                });
            }
        }
        Ok(())
    }
}

fn read<T: Component>(block: &[u8]) -> T {
    bytemuck::pod_read_unaligned(block)
}

/// A component of a registry, by its place.
pub(crate) fn component_id(index: usize) -> ComponentId {
    ComponentId(u16::try_from(index).expect("a registry has at most 65,536 components"))
}
