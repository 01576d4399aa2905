//! Rules of what an inspector sees of memory: cells of pools, strings, lists.

use bytemuck::{Pod, Zeroable};
use std::time::{Duration, Instant};
use vivarium_world::inspect::{
    BlockState, CellsRequest, CellsView, HeapPart, HeapRequest, HeapView, Snapshot, ViewRequest,
};
use vivarium_world::{
    Catalog, Command, Component, ComponentDef, ComponentId, Field, FieldValue, Host, HostHandle, HostOptions,
    ListId, Ordinal, Role, Scalar, SystemDef,
};

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Place {
    x: f64,
}
impl Component for Place {
    const NAME: &'static str = "place";
    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>().field(Field::new("x", Scalar::F64, 0))
    }
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Speed {
    vx: f64,
}
impl Component for Speed {
    const NAME: &'static str = "speed";
    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>().field(Field::new("vx", Scalar::F64, 0))
    }
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Cargo {
    items: ListId,
}
impl Component for Cargo {
    const NAME: &'static str = "cargo";
    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>().field(Field::new("cargo", Scalar::U32, 0).role(Role::List))
    }
}

const PLACE: ComponentId = ComponentId(1);
const SPEED: ComponentId = ComponentId(2);
const CARGO: ComponentId = ComponentId(3);

/// 70 oaks that stand, 3 birds that move, and 2 ships with cargo.
fn host() -> HostHandle {
    let catalog = Catalog::new().component::<Place>().and_then(Catalog::component::<Speed>);
    let catalog = catalog.and_then(Catalog::component::<Cargo>).unwrap().system(|| {
        SystemDef::each::<(&mut Place, &Speed), _>("moves", |(place, speed), _| place.x += speed.vx)
    });
    let mut host = Host::spawn(&catalog, HostOptions { threads: 0, on_publish: None }).unwrap();
    let oaks = r#"{"type":"oak","x":1},"#.repeat(70);
    let birds = r#"{"type":"bird","x":1,"vx":2},"#.repeat(3);
    let text = format!(
        r#"{{ "vivarium": 1, "random": {{ "seed": 1 }}, "scheduler": "conflict", "step": 16,
        "templates": {{ "oak": {{}}, "bird": {{}}, "ship": {{}} }}, "systems": [ {{ "system": "moves" }} ],
        "entities": [ {oaks} {birds} {{"type":"ship","x":1,"cargo":[1,2]}}, {{"type":"ship","x":1,"cargo":[7]}} ] }}"#
    );
    let load = Command::Load { source: "test.json".into(), text, seed: None, keep_running: false };
    host.call(load).unwrap();
    host
}

fn wait<T>(host: &mut HostHandle, view: ViewRequest, found: impl Fn(&Snapshot) -> Option<T>) -> T {
    host.set_view(view);
    let start = Instant::now();
    loop {
        if let Some(found) = found(host.snapshot()) {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "still {:?}", host.snapshot());
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn cells(
    host: &mut HostHandle,
    component: ComponentId,
    at: Option<u32>,
    is_right: impl Fn(&CellsView) -> bool,
) -> CellsView {
    let asked = CellsRequest { component, first: 0, count: 100, at };
    let view = ViewRequest { cells: Some(asked), ..ViewRequest::default() };
    wait(host, view, |snapshot| snapshot.cells.clone().filter(|cells| is_right(cells)))
}

fn heap(
    host: &mut HostHandle,
    part: HeapPart,
    filter: &str,
    is_right: impl Fn(&HeapView) -> bool,
) -> HeapView {
    let asked = HeapRequest { part, filter: filter.into(), first: 0, count: 100 };
    let view = ViewRequest { heap: Some(asked), ..ViewRequest::default() };
    wait(host, view, |snapshot| snapshot.heap.clone().filter(|heap| is_right(heap)))
}

fn live(view: &CellsView) -> u32 {
    view.strips.iter().map(|strip| strip.live.count_ones()).sum()
}

#[test]
fn the_cells_of_a_pool_come_word_by_word_grouped_by_what_their_entities_are_made_of() {
    let mut host = host();
    let place = cells(&mut host, PLACE, None, |cells| cells.component == PLACE);
    let groups: Vec<_> = place.groups.iter().map(|group| (group.components.clone(), group.strips)).collect();
    assert_eq!(groups, [(vec![PLACE], 2), (vec![PLACE, SPEED], 1), (vec![PLACE, CARGO], 1)]);
    assert_eq!((place.total, place.elsewhere, live(&place)), (4, 0, 75));
    assert_eq!(place.strips.iter().map(|strip| strip.live.count_ones()).collect::<Vec<_>>(), [64, 6, 3, 2]);
    assert_eq!(place.strips[1].state(5), BlockState::Live);
    assert_eq!(place.strips[1].state(6), BlockState::Free);
    let speed = cells(&mut host, SPEED, None, |cells| cells.component == SPEED);
    assert_eq!((speed.total, speed.elsewhere, live(&speed)), (1, 3, 3));
}

#[test]
fn a_strip_that_is_not_asked_for_is_not_sent_and_a_row_tells_whose_it_is() {
    let mut host = host();
    let all = cells(&mut host, PLACE, None, |cells| cells.strips.len() == 4);
    let asked = CellsRequest { component: PLACE, first: 2, count: 1, at: Some(all.strips[2].word * 64 + 1) };
    let view = ViewRequest { cells: Some(asked), ..ViewRequest::default() };
    let one = wait(&mut host, view, |snapshot| snapshot.cells.clone().filter(|cells| cells.first == 2));
    assert_eq!((one.total, &one.strips[..]), (4, &all.strips[2..3]));
    let owner = one.at.unwrap().owner.unwrap();
    assert_eq!((owner.ordinal, &*owner.type_name), (Ordinal(71), "bird"));
    let free = cells(&mut host, PLACE, Some(all.strips[1].word * 64 + 63), |cells| {
        cells.at.as_ref().is_some_and(|at| at.row == all.strips[1].word * 64 + 63)
    });
    assert_eq!(free.at.unwrap().owner, None);
    let none = CellsRequest { component: ComponentId(99), first: 0, count: 1, at: None };
    let view = ViewRequest { cells: Some(none), ..ViewRequest::default() };
    wait(&mut host, view, |snapshot| snapshot.cells.is_none().then_some(()));
}

#[test]
fn what_is_written_in_a_tick_is_told_until_the_next() {
    let mut host = host();
    let quiet = cells(&mut host, PLACE, None, |cells| cells.component == PLACE);
    assert!(quiet.strips.iter().all(|strip| strip.written == 0), "what is there is not new");
    host.call(Command::Step { steps: 1 }).unwrap();
    let moved = cells(&mut host, PLACE, None, |cells| cells.tick == 1);
    assert_eq!(moved.strips.iter().map(|strip| strip.written).collect::<Vec<_>>(), [0, 0, 0b111, 0]);
    assert!(moved.strips[2].is_written(2) && !moved.strips[2].is_written(3));
}

#[test]
fn what_was_removed_waits_as_deferred_until_the_next_tick() {
    let mut host = host();
    cells(&mut host, PLACE, None, |cells| cells.component == PLACE);
    host.call(Command::Remove { entities: vec![Ordinal(71)] }).unwrap();
    let waiting = cells(&mut host, PLACE, None, |cells| live(cells) == 74);
    assert_eq!((waiting.strips[2].deferred, waiting.strips[2].state(1)), (0b10, BlockState::Deferred));
    host.call(Command::Step { steps: 1 }).unwrap();
    let freed = cells(&mut host, PLACE, None, |cells| cells.tick == 1);
    assert_eq!((freed.strips[2].deferred, freed.strips[2].state(1)), (0, BlockState::Free));
}

#[test]
fn strings_are_counted_by_the_blocks_that_name_them() {
    let mut host = host();
    let strings = heap(&mut host, HeapPart::Strings, "", |heap| heap.strings.len() == 3);
    let counts: Vec<_> = strings.strings.iter().map(|row| (row.text.to_string(), row.uses)).collect();
    assert_eq!(counts, [("oak".to_owned(), 70), ("bird".to_owned(), 3), ("ship".to_owned(), 2)]);
    let found = heap(&mut host, HeapPart::Strings, "IR", |heap| heap.matching == 1);
    assert_eq!((&*found.strings[0].text, found.total), ("bird", 3));
    host.call(Command::Remove { entities: vec![Ordinal(70)] }).unwrap();
    host.call(Command::Step { steps: 2 }).unwrap();
    heap(&mut host, HeapPart::Strings, "bird", |heap| heap.strings.first().is_some_and(|row| row.uses == 2));
}

#[test]
fn lists_are_told_with_their_owners_the_longest_first() {
    let mut host = host();
    let lists = heap(&mut host, HeapPart::Lists, "", |heap| heap.lists.len() == 2);
    let first = &lists.lists[0];
    assert_eq!((first.len, first.component, first.field), (2, CARGO, 0));
    assert_eq!(&*first.owner.as_ref().unwrap().type_name, "ship");
    assert_eq!(first.begin, FieldValue::List(vec![FieldValue::Uint(1), FieldValue::Uint(2)]));
    assert_eq!((lists.total, lists.lists[1].len), (2, 1));
    heap(&mut host, HeapPart::Lists, "place", |heap| heap.matching == 0 && heap.part == HeapPart::Lists);
}
