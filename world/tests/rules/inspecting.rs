//! What snapshots tell about entities: lists, references, several together.

use crate::undo::{edit, host};
use std::time::{Duration, Instant};
use vivarium_world::inspect::{
    EntitiesRequest, EntityPage, GroupBy, Snapshot, Sort, SortBy, Spread, ViewRequest,
};
use vivarium_world::{Command, ComponentId, FieldValue, HostHandle, Ordinal, Target};

const SCENE: &str = r#""step": 16, "classes": { "actor": ["place", "health", "speed", "link"], "thing": ["place"] },
    "templates": { "guard": { "class": "actor", "health": 9, "x": 1 }, "post": { "class": "thing", "x": 3 },
                   "cat": { "class": "actor", "x": 2, "vx": 1 } },
    "systems": [ { "system": "march" } ],
    "entities": [ { "type": "guard", "target": 2 }, { "type": "post" }, { "type": "cat", "target": 0 },
                  { "type": "guard", "x": 5, "target": 2 }, { "type": "post" } ]"#;

/// What a request is answered with, once that holds.
fn ask(host: &mut HostHandle, view: ViewRequest, holds: impl Fn(&Snapshot) -> bool) -> Snapshot {
    host.set_view(view);
    let start = Instant::now();
    while !holds(host.snapshot()) {
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", host.snapshot());
        std::thread::sleep(Duration::from_millis(1));
    }
    host.snapshot().clone()
}

fn list(request: EntitiesRequest) -> ViewRequest {
    ViewRequest { entities: Some(EntitiesRequest { count: 100, ..request }), ..ViewRequest::default() }
}

fn page(host: &mut HostHandle, request: EntitiesRequest, holds: impl Fn(&EntityPage) -> bool) -> EntityPage {
    let snapshot = ask(host, list(request), |s| s.entities.as_ref().is_some_and(&holds));
    snapshot.entities.unwrap()
}

fn numbers(page: &EntityPage) -> Vec<u64> {
    page.rows.iter().map(|row| row.ordinal.0).collect()
}

#[test]
fn rows_stand_together_by_type_or_class_and_closed_groups_show_no_rows() {
    let mut host = host(SCENE);
    let grouped = |group, closed: &[&str]| EntitiesRequest {
        group,
        closed: closed.iter().map(|&name| name.to_owned()).collect(),
        ..EntitiesRequest::default()
    };
    let groups = |page: &EntityPage| {
        let groups = page.groups.iter();
        groups.map(|g| format!("{} {}+{} of {}", g.name, g.first, g.listed, g.count)).collect::<Vec<_>>()
    };
    let all = page(&mut host, grouped(GroupBy::Type, &[]), |page| page.groups.len() == 3);
    assert_eq!(numbers(&all), [2, 0, 3, 1, 4]);
    assert_eq!(groups(&all), ["cat 0+1 of 1", "guard 1+2 of 2", "post 3+2 of 2"]);
    let some = page(&mut host, grouped(GroupBy::Type, &["guard"]), |page| page.listed == 3);
    assert_eq!((numbers(&some), some.matching), (vec![2, 1, 4], 5));
    assert_eq!(groups(&some), ["cat 0+1 of 1", "guard 1+0 of 2", "post 1+2 of 2"]);
    let sort = Sort { by: SortBy::Ordinal, descending: true };
    let classes = EntitiesRequest { sort, ..grouped(GroupBy::Class, &[]) };
    let classes = page(&mut host, classes, |page| page.groups.len() == 2);
    assert_eq!(numbers(&classes), [3, 2, 0, 4, 1]);
}

#[test]
fn rows_of_entities_that_are_gone_stay_in_their_place_while_they_are_kept() {
    let mut host = host(SCENE);
    let keep = |keep: &[u64]| EntitiesRequest {
        keep: keep.iter().map(|&n| Ordinal(n)).collect(),
        fields: vec!["place.x".to_owned()],
        ..EntitiesRequest::default()
    };
    page(&mut host, keep(&[1, 3]), |page| page.listed == 5);
    edit(&mut host, Command::Kill { entities: [0, 1, 3].map(Ordinal).to_vec() }).unwrap();
    let gone = page(&mut host, keep(&[1, 3]), |page| page.matching == 2);
    assert_eq!((numbers(&gone), gone.listed), (vec![1, 2, 3, 4], 4));
    assert_eq!(gone.rows.iter().map(|row| row.gone).collect::<Vec<_>>(), [true, false, true, false]);
    assert_eq!(gone.rows[2].fields, [Some(FieldValue::Float(5.0))]);
    assert_eq!(&*gone.rows[2].type_name, "guard");
    // In their groups too.
    let grouped = EntitiesRequest { group: GroupBy::Type, ..keep(&[1, 3]) };
    let grouped = page(&mut host, grouped, |page| page.groups.len() == 3);
    assert_eq!(numbers(&grouped), [2, 3, 1, 4]);
    edit(&mut host, Command::Kill { entities: vec![Ordinal(4)] }).unwrap();
    let group = EntitiesRequest { group: GroupBy::Type, ..keep(&[1, 3, 4]) };
    let later = page(&mut host, group, |page| page.matching == 1);
    assert_eq!(numbers(&later), [2, 3, 1], "the last was not kept when it was there");
    let fewer = page(&mut host, keep(&[3]), |page| page.listed == 2);
    assert_eq!(numbers(&fewer), [2, 3]);
    page(&mut host, keep(&[]), |page| page.listed == 1);
}

#[test]
fn entities_of_fewer_components_come_first_where_that_is_the_order() {
    let mut host = host(SCENE);
    let sort = Sort { by: SortBy::Components, descending: false };
    let by_count = EntitiesRequest { sort, ..EntitiesRequest::default() };
    let page = page(&mut host, by_count, |page| page.rows.first().is_some_and(|row| row.ordinal.0 == 1));
    assert_eq!(numbers(&page), [1, 4, 0, 2, 3]);
}

#[test]
fn sorting_by_id_is_by_what_ids_show() {
    let mut host = host(SCENE);
    edit(&mut host, Command::Remove { entities: vec![Ordinal(0)] }).unwrap();
    edit(&mut host, Command::Step { steps: 20 }).unwrap();
    edit(&mut host, Command::Spawn { config: [("type".to_owned(), "post".into())].into() }).unwrap();
    let by_id =
        EntitiesRequest { sort: Sort { by: SortBy::Id, descending: false }, ..EntitiesRequest::default() };
    let page = page(&mut host, by_id, |page| page.listed == 5 && page.rows.len() == 5);
    let ids: Vec<_> = page.rows.iter().map(|row| (row.id.slot(), row.id.generation())).collect();
    assert!(ids.is_sorted(), "{ids:?}");
}

#[test]
fn rows_written_in_the_last_tick_are_told_if_that_is_asked() {
    let mut host = host(SCENE);
    let changes = |changes| EntitiesRequest { changes, ..EntitiesRequest::default() };
    page(&mut host, changes(true), |page| page.rows.iter().all(|row| !row.changed) && page.listed == 5);
    let target = Target { component: "place".into(), field: "x".into() };
    let set = Command::Set { entities: vec![Ordinal(3)], target, value: FieldValue::Float(1.0) };
    edit(&mut host, set).unwrap();
    let only = |page: &EntityPage| page.rows.iter().map(|row| row.changed).collect::<Vec<_>>();
    page(&mut host, changes(true), |page| only(page) == [false, false, false, true, false]);
    edit(&mut host, Command::Step { steps: 1 }).unwrap();
    page(&mut host, changes(true), |page| only(page) == [true; 5]);
    page(&mut host, changes(false), |page| only(page) == [false; 5]);
}

#[test]
fn who_points_to_an_entity_is_told_with_component_and_field() {
    let mut host = host(SCENE);
    let asked = |to: &[u64]| ViewRequest {
        references: to.iter().map(|&n| Ordinal(n)).collect(),
        ..ViewRequest::default()
    };
    let told = |to: &'static [u64]| {
        move |s: &Snapshot| s.references.iter().map(|references| references.to.0).eq(to.iter().copied())
    };
    let snapshot = ask(&mut host, asked(&[1, 2]), told(&[1, 2]));
    let [none, two] = &snapshot.references[..] else { panic!() };
    assert_eq!((none.total, two.total), (0, 2));
    let from: Vec<_> = two.list.iter().map(|r| (r.from.ordinal.0, r.field, r.item)).collect();
    assert_eq!(from, [(0, 0, None), (3, 0, None)]);
    let component = snapshot.catalog.component(two.list[0].component).unwrap();
    assert_eq!((component.name.as_str(), component.fields[0].name.as_str()), ("link", "target"));
    edit(&mut host, Command::Remove { entities: vec![Ordinal(0)] }).unwrap();
    ask(&mut host, asked(&[2]), |s| s.references.first().is_some_and(|references| references.total == 1));
    ask(&mut host, ViewRequest::default(), |s| s.references.is_empty());
}

#[test]
fn several_entities_show_what_they_share_and_how_far_they_lie_apart() {
    let mut host = host(SCENE);
    let asked = ViewRequest { selected: [0, 1, 3].map(Ordinal).to_vec(), ..ViewRequest::default() };
    let snapshot = ask(&mut host, asked, |s| s.selected.as_ref().is_some_and(|s| s.entities == 3));
    let selected = snapshot.selected.unwrap();
    let component = |name: &str| {
        let id = snapshot.catalog.components.iter().find(|c| c.name == name).unwrap().id;
        selected.components.iter().find(|c| c.component == id)
    };
    let place = component("place").unwrap();
    assert_eq!((place.having, place.fields.clone()), (3, vec![Spread::Mixed(Some((1.0, 5.0)))]));
    let health = component("health").unwrap();
    assert_eq!((health.having, health.fields.clone()), (2, vec![Spread::Same(FieldValue::Float(9.0))]));
    assert_eq!((place.lacking.clone(), health.lacking.clone()), (vec![], vec![Ordinal(1)]));
    assert!(component("speed").is_none());
    assert_eq!(selected.components[0].component, ComponentId::ENTITY);
}

#[test]
fn an_entity_to_point_to_is_found_by_a_query() {
    let mut host = host(SCENE);
    let asked = |text: &str| ViewRequest { candidates: Some(text.to_owned()), ..ViewRequest::default() };
    let told = |text: &'static str| {
        move |s: &Snapshot| s.candidates.as_ref().is_some_and(|candidates| candidates.text == text)
    };
    let found = ask(&mut host, asked("type:guard"), told("type:guard")).candidates.unwrap();
    let names: Vec<_> = found.list.iter().map(|name| (name.ordinal.0, &*name.type_name)).collect();
    assert_eq!((names, found.matching), (vec![(0, "guard"), (3, "guard")], 2));
    let wrong = ask(&mut host, asked("wiht:x"), told("wiht:x")).candidates.unwrap();
    assert!(wrong.fault.is_some() && wrong.list.is_empty());
}
