//! The short way from configs to blocks, for entities that are alike but for their values.
//!
//! Most entities of a scene have the type and the keys of one before. What those make of them, which components, which
//! blocks and which fields the values go to, is found out once, for the first, and kept as a mould.

use super::error::CreateError;
use super::factory::{Factory, OWN_KEYS};
use super::prepared::Prepared;
use crate::component::{Field, Heap, Registry, Role, write_value};
use crate::config::{Config, Value};

/// More kinds of entities than this take the long way: looking for their mould would be no shorter.
const MOST: usize = 64;
/// Entities with more keys than this take the long way too: a mould has a place for each field that a key goes to.
const MOST_KEYS: usize = 64;
/// Keys of the entity itself that change more than the value of a field.
const CHANGING: [&str; 5] = ["class", "isStatic", "dead", "lacks", "has"];

/// The moulds of a batch of configs.
#[derive(Default)]
pub(crate) struct Moulds {
    moulds: Vec<Mould>,
    /// The last one used.
    last: usize,
}

/// What entities of one type with the same keys in the same order have in common.
struct Mould {
    keys: Vec<String>,
    type_name: Option<String>,
    /// What the first of them became.
    prepared: Prepared,
    /// For each value where it goes.
    targets: Vec<(usize, Target)>,
    kind: Kind,
}

/// A field in the blocks of an entity.
struct Target {
    field: Field,
    /// Where its block stands among all blocks.
    block: std::ops::Range<usize>,
}

/// What is to be done with an entity beyond its blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    /// Whether some key may be one that nobody loads.
    pub(crate) unknown_keys: bool,
    /// Whether some field may refer to entities.
    pub(crate) references: bool,
    /// Whether some component has a hook for being attached.
    pub(crate) hooks: bool,
}

impl Moulds {
    /// As [`Factory::prepare`], with what is to be done beyond.
    ///
    /// # Errors
    /// As `prepare`.
    pub(crate) fn prepare(
        &mut self,
        factory: &Factory,
        registry: &Registry,
        heap: Heap<'_>,
        config: &Config<'_>,
        out: &mut Prepared,
    ) -> Result<Kind, CreateError> {
        if let Some(mould) = self.find(config)
            && mould.fill(config, heap, out)
        {
            return Ok(mould.kind);
        }
        factory.prepare(registry, heap, config, out)?;
        let kind = Kind::of(registry, config, out);
        if self.moulds.len() < MOST
            && let Some(mould) = Mould::new(registry, config, out, kind)
        {
            self.last = self.moulds.len();
            self.moulds.push(mould);
        }
        Ok(kind)
    }

    fn find(&mut self, config: &Config<'_>) -> Option<&Mould> {
        if !self.moulds.get(self.last)?.fits(config) {
            self.last = self.moulds.iter().position(|mould| mould.fits(config))?;
        }
        self.moulds.get(self.last)
    }
}

impl Kind {
    fn of(registry: &Registry, config: &Config<'_>, prepared: &Prepared) -> Self {
        let definitions = || prepared.components.iter().map(|&component| registry.get(component));
        let is_known = |key: &str| !registry.loaded_by(key).is_empty() || OWN_KEYS.contains(&key);
        Self {
            unknown_keys: !config.iter().all(|(key, _)| is_known(key)),
            references: definitions().any(|definition| definition.may_refer()),
            hooks: definitions().any(|definition| definition.on_attach.is_some()),
        }
    }
}

impl Mould {
    /// The mould of entities like this one, unless something of it depends on more than the values of its fields.
    fn new(registry: &Registry, config: &Config<'_>, prepared: &Prepared, kind: Kind) -> Option<Self> {
        let plain = |&component| {
            let definition = registry.get(component);
            definition.reads_by_fields() && !definition.has_lists()
        };
        if config.len() > MOST_KEYS
            || CHANGING.iter().any(|key| config.has(key))
            || !prepared.components[1..].iter().all(plain)
        {
            return None;
        }
        let mut targets = Vec::new();
        for (place, (key, _)) in config.iter().enumerate() {
            let mut start = 0;
            for (component, block) in prepared.blocks(registry) {
                let block = start..start + block.len();
                start = block.end;
                let fields = registry.get(component).fields().iter();
                // A reference is left at none until all entities are there.
                let of_key =
                    fields.filter(|field| field.key.as_deref() == Some(key) && field.role != Role::Entity);
                targets.extend(
                    of_key.map(|field| (place, Target { field: field.clone(), block: block.clone() })),
                );
            }
        }
        Some(Self {
            keys: config.iter().map(|(key, _)| key.to_owned()).collect(),
            type_name: config.get("type").and_then(Value::as_str).map(str::to_owned),
            prepared: prepared.clone(),
            targets,
            kind,
        })
    }

    fn fits(&self, config: &Config<'_>) -> bool {
        let same = |(key, (other, value)): (&String, (&str, &Value<'_>))| {
            key == other && (key != "type" || value.as_str() == self.type_name.as_deref())
        };
        self.keys.len() == config.len() && self.keys.iter().zip(config.iter()).all(same)
    }

    /// Makes the blocks of a config that fits. Whether it could: false if a value does not fit its field.
    fn fill(&self, config: &Config<'_>, heap: Heap<'_>, out: &mut Prepared) -> bool {
        out.clone_from(&self.prepared);
        let values = config.entries();
        self.targets.iter().all(|(place, Target { field, block })| {
            write_value(field, &values[*place].1, heap, &mut out.blocks[block.clone()]).is_ok()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::{ComponentDef, FieldValue, Scalar};
    use crate::id::ComponentId;

    fn registry() -> Registry {
        let mut registry = Registry::default();
        let most = Field::new("most", Scalar::U8, 0).key("maxHealth").default_value(FieldValue::Uint(10));
        for definition in [
            ComponentDef::described("health", vec![Field::new("health", Scalar::F32, 0), most]),
            ComponentDef::described("place", vec![Field::new("x", Scalar::F64, 0)]),
            ComponentDef::described("shared", vec![Field::new("x", Scalar::I16, 0)]),
            ComponentDef::described("label", vec![Field::new("label", Scalar::U32, 0).role(Role::Text)]),
            ComponentDef::described("tag", vec![]),
        ] {
            registry.register(definition).unwrap();
        }
        registry
    }

    /// What comes out of a config, or what is wrong.
    type Made = Result<(Vec<ComponentId>, Vec<u8>, bool, bool), CreateError>;

    #[test]
    fn a_mould_gives_what_the_long_way_gives() {
        let registry = registry();
        let mut factory = Factory::default();
        let template = r#"{"maxHealth":100,"label":"oak"}"#;
        let template: Config<'static> = serde_json::from_str::<Config<'_>>(template).unwrap().into_owned();
        factory.add_template(&registry, "tree", template).unwrap();
        let (strings, lists) = Default::default();
        let heap = Heap { strings: &strings, lists: &lists };
        let mut moulds = Moulds::default();
        let mut taken = 0;
        for config in [
            r#"{"type":"tree","x":1}"#,
            r#"{"type":"tree","x":2}"#,
            r#"{"type":"tree","x":3.5}"#,
            r#"{"type":"rock","x":2}"#,
            r#"{"type":"tree","x":-7,"health":1.5}"#,
            r#"{"x":5,"type":"tree"}"#,
            r#"{"type":"tree","x":9}"#,
            r#"{"type":"tree","x":9,"dead":true}"#,
            r#"{"type":"tree","x":9,"dead":false}"#,
            r#"{"type":"tree","x":9,"lacks":["shared"]}"#,
            r#"{"type":"tree","x":9,"lacks":["place"]}"#,
            r#"{"type":"tree","label":"elm","tag":true}"#,
            r#"{"type":"tree","label":"ash","tag":true}"#,
            r#"{"type":"tree","label":null,"tag":1}"#,
            r#"{"type":"tree","label":7,"tag":1}"#,
            r#"{"type":7,"x":1}"#,
            r#"{"class":"a","x":1}"#,
            r#"{"x":1,"maxHealth":256}"#,
            r#"{"x":1,"maxHealth":255}"#,
            r#"{"x":1,"maxHealth":3}"#,
        ] {
            let config: Config<'_> = serde_json::from_str(config).unwrap();
            let mut out = Prepared::default();
            let made = |result: Result<(), CreateError>, out: &Prepared| -> Made {
                result.map(|()| (out.components.clone(), out.blocks.clone(), out.dead, out.is_static))
            };
            let long = factory.prepare(&registry, heap, &config, &mut out);
            let long = made(long, &out);
            taken += usize::from(moulds.find(&config).is_some());
            let mut out = Prepared::default();
            let short = moulds.prepare(&factory, &registry, heap, &config, &mut out);
            assert_eq!(made(short.map(|_| ()), &out), long, "{config:?}");
        }
        assert!(taken >= 7, "{taken} had a mould");
    }
}
