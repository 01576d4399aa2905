//! Lists that components own: from a scene to a save, and released exactly once.

use bytemuck::{Pod, Zeroable};
use vivarium_world::{
    Catalog, Component, ComponentDef, Config, EntityId, Field, FieldValue, HookError, ListId, ListItem,
    LoadOptions, Ordinal, Role, Run, SaveForm, Scalar, SystemDef, World, WorldOptions,
};

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Cargo {
    items: ListId,
    most: u32,
}

impl Component for Cargo {
    const NAME: &'static str = "cargo";
    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>()
            .field(Field::new("cargo", Scalar::U32, 0).role(Role::List))
            .field(Field::new("most", Scalar::U32, 4).default_value(FieldValue::Uint(3)))
    }
}

/// Gets its list when it is attached, unless it has one or `refuses`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Route {
    stops: ListId,
}

impl Component for Route {
    const NAME: &'static str = "route";
    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>()
            .field(Field::new("stops", Scalar::U32, 0).role(Role::List).without_key())
            .load_keys(["route"])
            .on_attach::<Self>(|_, route, context, config| {
                let first = config.and_then(|config| config.get("route")?.as_f64()).unwrap_or(0.0);
                let made = context.lists.create([ListItem::Float(first)]);
                route.stops = made.map_err(|error| HookError(error.to_string()))?;
                if first < 0.0 { Err("a route has no negative stops".into()) } else { Ok(()) }
            })
    }
}

fn catalog() -> Catalog {
    let catalog = Catalog::new().component::<Cargo>().and_then(Catalog::component::<Route>).unwrap();
    catalog
        .system(|| {
            SystemDef::each::<(EntityId, &mut Cargo), _>("collect", |(id, cargo), run: &mut Run| {
                let lists = run.lists();
                lists.push(&mut cargo.items, run.tick()).map_err(|error| error.to_string())?;
                lists.push(&mut cargo.items, id).map_err(|error| error.to_string())?;
                while lists.len(cargo.items).is_ok_and(|len| len > cargo.most as usize) {
                    lists.remove(cargo.items, 0).map_err(|error| error.to_string())?;
                }
                Ok::<(), String>(())
            })
        })
        .system(|| {
            SystemDef::each::<(EntityId, &Cargo), ()>("trip", |(id, cargo), run: &mut Run| {
                let config: Config<'_> = serde_json::from_str(r#"{"cargo":[1]}"#).unwrap();
                run.create(&config).unwrap();
                let items = run.lists().create([ListItem::Uint(5)]).unwrap();
                run.set(id, Cargo { items, ..*cargo }).unwrap();
                run.set(id, *cargo).unwrap();
                panic!("tripped");
            })
            .creates(["cargo"])
            .writes::<Cargo>()
        })
}

fn empty() -> World {
    World::new(&catalog(), WorldOptions::default()).unwrap()
}

fn load(threads: usize, rest: &str) -> World {
    let mut world = World::new(&catalog(), WorldOptions { threads, ..WorldOptions::default() }).unwrap();
    let scene =
        format!(r#"{{ "vivarium": 1, "name": "Lists", "random": {{ "seed": 1 }}, "step": 16, {rest} }}"#);
    world.load("lists.json", &scene, &LoadOptions::default()).unwrap();
    world
}

fn create(world: &mut World, config: &str) -> EntityId {
    world.create(&serde_json::from_str::<Config<'_>>(config).unwrap()).unwrap()
}

fn items(world: &mut World, id: EntityId) -> Vec<ListItem> {
    let cargo = world.get::<Cargo>(id).unwrap();
    world.lists().items(cargo.items).unwrap().to_vec()
}

/// Two updates: what is owed is given back.
fn free(world: &mut World) {
    world.step();
    world.step();
}

#[test]
fn a_list_is_saved_as_it_was_loaded_and_its_entities_are_found_again() {
    let world = &mut load(
        0,
        r#""entities": [ { "cargo": [3, -2, 0.5, 4.0, null, {"entity": 1}, {"entity": null}] }, { "cargo": [] } ]"#,
    );
    let ids: Vec<EntityId> = world.entities().collect();
    let entities = [ListItem::Entity(None), ListItem::Entity(Some(ids[1])), ListItem::Entity(None)];
    let numbers = [ListItem::Uint(3), ListItem::Float(-2.0), ListItem::Float(0.5), ListItem::Float(4.0)];
    assert_eq!(items(world, ids[0]), [&numbers[..], &entities[..]].concat());
    assert_eq!((items(world, ids[1]), world.lists().count()), (Vec::new(), 1));
    let hash = world.state_hash();
    for form in [SaveForm::Plain, SaveForm::Compressed] {
        let text = world.save(form).unwrap();
        assert!(
            text.replace(' ', "").contains(r#""cargo":[3,-2.0,0.5,4.0,null,{"entity":1},null]"#),
            "{text}"
        );
        let mut again = empty();
        again.load("save.json", &text, &LoadOptions::default()).unwrap();
        assert_eq!(again.state_hash(), hash, "{text}");
        let first = again.by_ordinal(Ordinal(0)).unwrap();
        again.update_component(first, |cargo: &mut Cargo| cargo.most = 9).unwrap();
        assert_ne!(again.state_hash(), hash);
        again.update_component(first, |cargo: &mut Cargo| cargo.most = 3).unwrap();
        let list = again.get::<Cargo>(first).unwrap().items;
        again.lists().set(list, 0, 4u64).unwrap();
        assert_ne!(again.state_hash(), hash, "the hash sees what is in a list");
    }
}

#[test]
fn an_item_that_is_no_number_and_no_entity_of_the_list_is_a_fault() {
    for (cargo, expected) in [
        (r#"["ore"]"#, "a list holds numbers and entities"),
        (r#"5"#, "a list is expected, not a number"),
        (r#"[{"entity": "me"}]"#, "the place of an entity in the list is expected, not a text"),
        (r#"[-9007199254740993]"#, "too many digits"),
    ] {
        let scene = format!(r#"{{ "vivarium": 1, "entities": [ {{ "cargo": {cargo} }} ] }}"#);
        let error = empty().load("lists.json", &scene, &LoadOptions::default()).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains("lists.json:1:"), "{error}");
    }
}

#[test]
fn a_list_is_released_with_its_component_on_every_path() {
    let world = &mut load(0, r#""entities": []"#);
    let with_list = |world: &mut World| create(world, r#"{"cargo":[1,2]}"#);
    let list_of = |world: &mut World, id| world.get::<Cargo>(id).unwrap().items;

    let id = with_list(world);
    let list = list_of(world, id);
    world.kill(id);
    assert_eq!(world.lists().len(list), Ok(2), "not before its block is given back");
    free(world);
    assert_eq!((world.lists().len(list).is_err(), world.lists().count()), (true, 0));

    let id = with_list(world);
    world.remove_component::<Cargo>(id).unwrap();
    free(world);
    assert_eq!(world.lists().count(), 0, "removed");

    let items = world.lists().create([]).unwrap();
    world.add(id, Cargo { items, most: 1 }).unwrap();
    let other = world.lists().create([]).unwrap();
    world.add(id, Cargo { items: other, most: 1 }).unwrap();
    free(world);
    assert_eq!((world.lists().len(items).is_err(), world.lists().count()), (true, 1), "replaced");

    let third = world.lists().create([]).unwrap();
    world.set(id, Cargo { items: third, most: 1 }).unwrap();
    world.update_component(id, |cargo: &mut Cargo| cargo.items = ListId::NONE).unwrap();
    free(world);
    assert_eq!(world.lists().count(), 0, "written over");

    let id = with_list(world);
    assert!(world.remove(id) && !world.remove(id));
    world.compact();
    assert_eq!(world.lists().count(), 0, "compacted");

    with_list(world);
    world.clear();
    assert_eq!((world.lists().count(), world.len()), (0, 0), "cleared");
}

#[test]
fn a_block_that_is_written_back_keeps_its_list() {
    let world = &mut load(0, r#""entities": []"#);
    let id = create(world, r#"{"cargo":[1,2]}"#);
    let cargo = world.get::<Cargo>(id).unwrap();
    world.set(id, Cargo { most: 8, ..cargo }).unwrap();
    world.add(id, Cargo { most: 9, ..cargo }).unwrap();
    world.remove_component::<Cargo>(id).unwrap();
    world.add(id, Cargo { most: 10, ..cargo }).unwrap();
    free(world);
    assert_eq!((items(world, id).len(), world.lists().count()), (2, 1));
}

#[test]
fn a_copy_of_an_entity_has_lists_of_its_own() {
    let world = &mut load(0, r#""entities": []"#);
    let id = create(world, r#"{"cargo":[1,2]}"#);
    let copy = world.duplicate(id).unwrap();
    let list = world.get::<Cargo>(copy).unwrap().items;
    world.lists().remove(list, 0).unwrap();
    world.kill(id);
    free(world);
    assert_eq!((items(world, copy), world.lists().count()), (vec![ListItem::Uint(2)], 1));
}

#[test]
fn a_list_that_a_hook_made_is_released_if_the_hook_then_refuses_or_runs_again() {
    let world = &mut load(0, r#""entities": []"#);
    let id = create(world, r#"{"route":4}"#);
    let copy = world.duplicate(id).unwrap();
    create(world, r#"{"route":-1}"#);
    free(world);
    assert_eq!(world.lists().count(), 2, "one a route; the copied one gave way to the hook's");
    let first = world.get::<Route>(id).unwrap().stops;
    assert_eq!(world.lists().get(first, 0), Ok(ListItem::Float(4.0)));
    world.kill(id);
    world.kill(copy);
    free(world);
    assert_eq!(world.lists().count(), 0);
}

#[test]
fn a_config_with_a_fault_leaves_no_list_behind() {
    let world = &mut load(0, r#""entities": []"#);
    let config: Config<'_> = serde_json::from_str(r#"{"cargo":[1,2],"most":"many"}"#).unwrap();
    assert!(world.create(&config).is_err());
    assert_eq!(world.lists().count(), 0);
}

#[test]
fn what_a_run_that_panicked_made_is_released() {
    for threads in [0, 2] {
        let world =
            &mut load(threads, r#""systems": [ { "system": "trip" } ], "entities": [ { "cargo": [7] } ]"#);
        free(world);
        world.set_enabled(world.system_named("trip").unwrap(), false);
        free(world);
        let id = world.entities().next().unwrap();
        assert_eq!((items(world, id), world.lists().count()), (vec![ListItem::Uint(7)], 1));
    }
}

#[test]
fn runs_change_lists_the_same_on_any_number_of_threads() {
    let entities: Vec<String> = (0..300).map(|n| format!(r#"{{ "most": {} }}"#, n % 9)).collect();
    let rest =
        format!(r#""systems": [ {{ "system": "collect" }} ], "entities": [ {} ]"#, entities.join(", "));
    let hashes = [0, 1, 4].map(|threads| {
        let mut world = load(threads, &rest);
        (0..20).for_each(|_| world.step());
        assert!(world.take_errors().0.is_empty());
        let id = world.by_ordinal(Ordinal(3)).unwrap();
        let (tick, me) = (ListItem::Uint(20), ListItem::Entity(Some(id)));
        assert_eq!(items(&mut world, id), [me, tick, me]);
        world.state_hash()
    });
    assert!(hashes.iter().all(|&hash| hash == hashes[0]));
}

#[test]
fn a_list_is_shown_with_its_length_and_can_be_given_other_items() {
    let world = &mut load(0, r#""entities": []"#);
    let id = create(world, r#"{"cargo":[1,0.5,null]}"#);
    let cargo = world.registry().by_name("cargo").unwrap();
    let shown = world.field(id, cargo, 0).unwrap();
    assert_eq!((shown.to_string().as_str(), shown.as_f64()), ("3: 1, 0.5, none", Some(3.0)));
    let mut long = vec![FieldValue::Uint(1); 20];
    long[0] = FieldValue::Entity(world.ordinal(id));
    world.set_field(id, "cargo", "cargo", &FieldValue::List(long.clone())).unwrap();
    let shown = world.field(id, cargo, 0).unwrap();
    assert!(shown.to_string().starts_with("20: #0, 1, ") && shown.to_string().ends_with(", …"), "{shown}");
    assert_eq!((shown, world.lists().count()), (FieldValue::List(long), 1));
    let wrong = FieldValue::List(vec![FieldValue::Text("ore".into())]);
    assert!(world.set_field(id, "cargo", "cargo", &wrong).is_err());
    assert_eq!(items(world, id).len(), 20);
}

#[test]
fn a_list_with_a_number_that_is_not_finite_cannot_be_saved() {
    let world = &mut load(0, r#""entities": []"#);
    let id = create(world, r#"{"cargo":[1]}"#);
    let list = world.get::<Cargo>(id).unwrap().items;
    world.lists().set(list, 0, f64::NAN).unwrap();
    let error = world.save(SaveForm::Plain).unwrap_err().to_string();
    assert!(error.contains("cargo is not a finite number"), "{error}");
}
