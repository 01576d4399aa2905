//! A made-up world for the tests of panels: four entities, three systems, everything asked for.

use crate::request::Request;
use crate::selection::Selection;
use crate::theme;
use crate::view::{SampleCard, View};
use egui::Ui;
use egui_kittest::Harness;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use vivarium_world::inspect::*;
use vivarium_world::{
    Access, Asker, Command, ComponentId, EntityId, Field, FieldChange, FieldValue, JournalKind, LogLevel,
    LogLine, Ordinal, Plan, PlanNeighbours, Role, RunId, Scalar, SystemAccess, SystemError, SystemId,
    SystemPhase, WatchedField,
};

pub(crate) const TRANSFORM: ComponentId = ComponentId(1);
pub(crate) const VELOCITY: ComponentId = ComponentId(2);
pub(crate) const BODY: ComponentId = ComponentId(3);
pub(crate) const HEALTH: ComponentId = ComponentId(4);
pub(crate) const FOLLOW: ComponentId = ComponentId(5);
pub(crate) const LABEL: ComponentId = ComponentId(6);
pub(crate) const FROZEN: ComponentId = ComponentId(7);
pub(crate) const MOVE: SystemId = SystemId(0);
pub(crate) const BOUNCE: SystemId = SystemId(1);
pub(crate) const WATCH: SystemId = SystemId(2);

/// What a panel under test sees, and what it asked for.
pub(crate) struct Fixture {
    pub(crate) snapshot: Snapshot,
    pub(crate) selection: Selection,
    pub(crate) log: Vec<LogLine>,
    pub(crate) samples: Vec<SampleCard>,
    pub(crate) recent: Vec<PathBuf>,
    pub(crate) requests: Vec<Request>,
}

impl Fixture {
    /// A paused world.
    pub(crate) fn paused() -> Self {
        Self {
            snapshot: snapshot(),
            selection: Selection::default(),
            log: log(),
            samples: samples(),
            recent: vec![PathBuf::from("/home/ada/harbor.json")],
            requests: Vec::new(),
        }
    }

    /// The view of it.
    pub(crate) fn view(&self) -> View<'_> {
        View {
            log: &self.log,
            samples: &self.samples,
            recent: &self.recent,
            ..View::new(&self.snapshot, &self.selection)
        }
    }

    /// Selects as the app would.
    pub(crate) fn select(mut self, ordinals: &[u64]) -> Self {
        let list = ordinals.iter().map(|&n| Ordinal(n)).collect();
        self.selection = self.selection.after(&crate::Select::Set(list));
        self
    }

    /// What was asked for since the last time.
    pub(crate) fn take(&mut self) -> Vec<Request> {
        std::mem::take(&mut self.requests)
    }

    /// The commands among it.
    pub(crate) fn take_commands(&mut self) -> Vec<Command> {
        let command = |request| match request {
            Request::Command(command) => Some(command),
            _ => None,
        };
        self.take().into_iter().filter_map(command).collect()
    }
}

/// A window that shows one panel, and selects what it asks to.
pub(crate) fn harness(
    fixture: Fixture,
    panel: impl FnMut(&mut Ui, &View<'_>, &mut Vec<Request>) + 'static,
) -> Harness<'static, Fixture> {
    harness_of_size([1000.0, 700.0], fixture, panel)
}

/// The same in a window of `size`, in points.
pub(crate) fn harness_of_size(
    size: [f32; 2],
    fixture: Fixture,
    mut panel: impl FnMut(&mut Ui, &View<'_>, &mut Vec<Request>) + 'static,
) -> Harness<'static, Fixture> {
    let show = move |ui: &mut Ui, fixture: &mut Fixture| {
        let mut requests = std::mem::take(&mut fixture.requests);
        let before = requests.len();
        panel(ui, &fixture.view(), &mut requests);
        for request in &requests[before..] {
            if let Request::Select(change) = request {
                fixture.selection = fixture.selection.after(change);
            }
        }
        fixture.requests = requests;
    };
    let mut harness = Harness::builder()
        .with_size(size)
        .with_context_setup(theme::apply_theme)
        .build_ui_state(show, fixture);
    harness.run();
    harness
}

/// The id of entity `ordinal` of the fixture.
pub(crate) fn id(ordinal: u64) -> EntityId {
    EntityId::from_bits(1 << 32 | (40 + ordinal)).unwrap()
}

fn field(name: &str, scalar: Scalar, offset: usize) -> Field {
    let default = match scalar {
        Scalar::F32 | Scalar::F64 => FieldValue::Float(0.0),
        Scalar::Bool8 => FieldValue::Bool(false),
        _ => FieldValue::Uint(0),
    };
    Field {
        name: name.to_owned(),
        scalar,
        offset,
        key: Some(name.to_owned()),
        default,
        role: Role::Plain,
        unit: None,
        range: None,
    }
}

fn with_role(field: Field, role: Role) -> Field {
    Field { role, ..field }
}

fn with_unit(field: Field, unit: &str) -> Field {
    Field { unit: Some(unit.to_owned()), ..field }
}

fn catalog() -> CatalogView {
    let described = [
        ("entity", 8, vec![]),
        (
            "transform",
            12,
            vec![
                with_unit(field("x", Scalar::F32, 0), "px"),
                with_unit(field("y", Scalar::F32, 4), "px"),
                with_role(field("angle", Scalar::F32, 8), Role::Angle),
            ],
        ),
        ("velocity", 8, vec![field("x", Scalar::F32, 0), field("y", Scalar::F32, 4)]),
        (
            "body",
            8,
            vec![field("radius", Scalar::F32, 0), with_role(field("colour", Scalar::U32, 4), Role::Colour)],
        ),
        (
            "health",
            9,
            vec![
                Field { range: Some((0.0, 100.0)), ..field("health", Scalar::F64, 0) },
                field("mortal", Scalar::Bool8, 8),
            ],
        ),
        ("follow", 8, vec![with_role(field("target", Scalar::U64, 0), Role::Entity)]),
        ("label", 4, vec![with_role(field("text", Scalar::U32, 0), Role::Text)]),
        ("frozen", 0, vec![]),
    ];
    let component = |(id, (name, size, fields)): (usize, (&str, usize, Vec<Field>))| ComponentView {
        id: ComponentId(id as u16),
        name: name.to_owned(),
        size,
        load_keys: fields.iter().filter_map(|field| field.key.clone()).collect(),
        fields,
    };
    let components: Vec<ComponentView> = described.into_iter().enumerate().map(component).collect();
    let template = |name: &str, class: &str, given: &[(&str, f64, &str)], made: &[ComponentId]| {
        let key = |&(key, value, component): &(&str, f64, &str)| TemplateKey {
            key: key.to_owned(),
            value: value.to_string(),
            loads: vec![component.to_owned()],
            origin: KeyOrigin::Scene,
        };
        let value = |field: &Field| {
            let given = given.iter().find(|(key, ..)| field.key.as_deref() == Some(key));
            given.map_or(field.default.clone(), |(_, value, _)| FieldValue::Float(*value))
        };
        let values = |id: &ComponentId| (*id, components[id.index()].fields.iter().map(value).collect());
        TemplateView {
            name: name.to_owned(),
            class: Some(class.to_owned()),
            keys: given.iter().map(key).collect(),
            removed: Vec::new(),
            components: made.to_vec(),
            values: Some(made.iter().map(values).collect()),
            instances: 2,
        }
    };
    let templates = vec![
        template("grass", "prop", &[("radius", 2.0, "body")], &[TRANSFORM, BODY]),
        template(
            "guardian",
            "actor",
            &[("health", 100.0, "health"), ("radius", 8.0, "body")],
            &[TRANSFORM, VELOCITY, BODY, HEALTH],
        ),
    ];
    CatalogView {
        components,
        classes: vec![
            ClassView {
                name: "actor".to_owned(),
                components: vec![TRANSFORM, VELOCITY, BODY, HEALTH, FOLLOW, LABEL, FROZEN],
            },
            ClassView { name: "prop".to_owned(), components: vec![TRANSFORM, BODY] },
        ],
        templates,
        bounds: Some([0.0, 0.0, 200.0, 100.0]),
    }
}

fn row(ordinal: u64, type_name: &str, class: &str, components: &[ComponentId]) -> EntityRow {
    EntityRow {
        ordinal: Ordinal(ordinal),
        id: id(ordinal),
        type_name: type_name.into(),
        class: class.into(),
        components: components.to_vec(),
        fields: Vec::new(),
        dead: false,
        gone: false,
        changed: false,
    }
}

/// A reference from a field 0 of entity `from`.
pub(crate) fn reference(from: u64, component: ComponentId, item: Option<usize>) -> ReferenceView {
    let from = EntityName { ordinal: Ordinal(from), id: id(from), type_name: "guardian".into() };
    ReferenceView { from, component, field: 0, item }
}

fn component_state(component: ComponentId, values: Vec<FieldValue>, bytes: Vec<u8>) -> ComponentState {
    ComponentState {
        component,
        values,
        template: None,
        raw: RawBlock { bytes, row: 70, page: 1, state: BlockState::Live },
        tick: 1_204,
        held_by: None,
    }
}

fn float_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Entity 2 of the fixture, a guardian, block by block.
pub(crate) fn guardian() -> EntityDetail {
    use FieldValue::{Bool, Entity, Float, Text, Uint};
    let mut health = component_state(HEALTH, vec![Float(60.0), Bool(true)], vec![0; 9]);
    health.template = Some(vec![Float(100.0), Bool(true)]);
    let mut body =
        component_state(BODY, vec![Float(8.0), Uint(0xff80_00ff)], vec![0, 0, 0, 65, 255, 0, 128, 255]);
    body.template = Some(vec![Float(8.0), Uint(0xff80_00ff)]);
    let angle = std::f32::consts::FRAC_PI_2;
    EntityDetail {
        ordinal: Ordinal(2),
        id: id(2),
        type_name: "guardian".into(),
        class: "actor".into(),
        dead: false,
        is_static: false,
        row: 70,
        components: vec![
            component_state(ComponentId::ENTITY, vec![], vec![0; 8]),
            component_state(
                TRANSFORM,
                vec![Float(10.5), Float(20.0), Float(f64::from(angle))],
                float_bytes(&[10.5, 20.0, angle]),
            ),
            component_state(VELOCITY, vec![Float(1.0), Float(-2.0)], float_bytes(&[1.0, -2.0])),
            body,
            health,
            component_state(FOLLOW, vec![Entity(Some(Ordinal(3)))], vec![0; 8]),
            component_state(LABEL, vec![Text("Ida".to_owned())], vec![1, 0, 0, 0]),
        ],
        systems: vec![MOVE, BOUNCE],
    }
}

fn system(
    id: SystemId,
    name: &str,
    reads: &[ComponentId],
    writes: &[ComponentId],
    batch: usize,
) -> SystemView {
    SystemView {
        id,
        name: name.to_owned(),
        kind: "entity worker",
        enabled: true,
        period: 0.0,
        reads: reads.to_vec(),
        writes: writes.to_vec(),
        creates: Some(Vec::new()),
        kills: false,
        exclusive: false,
        batch: Some(batch),
        params: Vec::new(),
        members: 2,
        mean_chunk: Some(1.5),
        runs: 1_204,
        mean: Duration::from_micros(40),
        state: SystemState::Idle,
        waiting: 0,
        last_error: None,
    }
}

fn systems() -> Vec<SystemView> {
    let mut bounce = system(BOUNCE, "bounce", &[BODY], &[VELOCITY], 2);
    bounce.params = vec![(field("damping", Scalar::F64, 0), FieldValue::Float(0.99))];
    bounce.state = SystemState::Queued { after: Some(MOVE) };
    bounce.waiting = 1;
    let mut watch = system(WATCH, "watch", &[HEALTH], &[], 1);
    watch.kind = "system";
    watch.last_error = Some(SystemError {
        system: Some(WATCH),
        name: "watch".to_owned(),
        phase: SystemPhase::Update,
        entity: Some((id(0), Some(Ordinal(0)))),
        message: "grass 40v1 has no health".to_owned(),
        panicked: false,
        tick: 8,
    });
    vec![system(MOVE, "move", &[], &[TRANSFORM, VELOCITY], 1), bounce, watch]
}

fn distribution(micros: u64) -> Distribution {
    let bucket = |from: u64, to: u64, count| Bucket {
        from: Duration::from_micros(from),
        to: Duration::from_micros(to),
        count,
    };
    Distribution {
        p50: Duration::from_micros(micros),
        p95: Duration::from_micros(micros * 3 / 2),
        p99: Duration::from_micros(micros * 9 / 5),
        buckets: vec![
            bucket(micros / 2, micros, 20),
            bucket(micros, micros * 3 / 2, 37),
            bucket(micros * 3 / 2, micros * 2, 3),
        ],
    }
}

/// The schedule of [`systems`]; two of them run as one.
fn schedule() -> ScheduleView {
    let accesses: Vec<SystemAccess> = systems()
        .iter()
        .map(|system| {
            let reads = system.reads.iter().fold(Access::new(), |access, &read| access.read(read));
            let access = system.writes.iter().fold(reads, |access, &write| access.write(write));
            SystemAccess { id: system.id, name: system.name.clone(), access }
        })
        .collect();
    let catalog = catalog();
    let names = |id: ComponentId| catalog.component(id).map_or("", |component| component.name.as_str());
    let mut schedule = ScheduleView::new(Arc::new(Plan::compile(&accesses)), &names);
    schedule.neighbours = vec![
        PlanNeighbours {
            earlier: MOVE,
            later: BOUNCE,
            joined: true,
            sentence: "`move` and `bounce` run as one, tile by tile".to_owned(),
        },
        PlanNeighbours {
            earlier: BOUNCE,
            later: WATCH,
            joined: false,
            sentence: "`bounce` and `watch` do not run as one: `watch` has a filter".to_owned(),
        },
    ];
    schedule
}

fn timing() -> TimingView {
    let row = |system: Option<SystemId>, name: &str, micros: u64| TimingRow {
        system,
        name: name.to_owned(),
        avg: Duration::from_micros(micros),
        min: Duration::from_micros(micros / 2),
        max: Duration::from_micros(micros * 2),
        samples: 60,
        effects: Duration::from_micros(micros / 10),
        last: Duration::from_micros(micros + 5),
        distribution: Some(Arc::new(distribution(micros))),
    };
    let tick = |tick: u64| TickSample {
        tick,
        took: Duration::from_millis(tick % 20),
        runs: vec![
            (MOVE, Duration::from_micros(10), Duration::from_micros(60), Some(0)),
            (WATCH, Duration::from_micros(20), Duration::from_micros(30), None),
        ],
    };
    TimingView {
        window: Duration::from_secs(1),
        rows: vec![row(None, "update", 900), row(Some(MOVE), "move", 600), row(Some(BOUNCE), "bounce", 200)],
        ticks: (1_000..1_204).map(tick).collect(),
        slowest: vec![tick(1_019), tick(1_018)],
    }
}

fn snapshot() -> Snapshot {
    let run =
        OpenRun { run: RunId(7), system: MOVE, name: "move".to_owned(), open_for: Duration::from_millis(3) };
    let pool = |component, live, deferred, bytes| PoolView {
        component,
        live,
        deferred,
        quarantined: 0,
        capacity: 64,
        bytes,
        pages: 1,
        held_by: None,
    };
    let mut held = pool(TRANSFORM, 4, 1, 768);
    held.held_by = Some(run.clone());
    let actor = [TRANSFORM, VELOCITY, BODY, HEALTH];
    let shape = |ordinal, x, y, half_width, half_height| Shape {
        ordinal: Ordinal(ordinal),
        x,
        y,
        half_width,
        half_height,
        colour: 0x40c0_40ff,
    };
    Snapshot {
        sequence: 9,
        status: Status {
            scene: "Harbor".to_owned(),
            about: "Boats come and go.".to_owned(),
            run_state: RunState::Paused,
            tick: 1_204,
            game_time: 19_264.0,
            player_time: 30_000.0,
            step: 16.0,
            speed: 1.0,
            ticks_per_second: 59.8,
            entities: 4,
            bytes: 6_554,
            deferred: 1,
            snapshot_cost: Duration::from_micros(120),
            inspector_share: 0.004,
            threads: 2,
            ..Status::default()
        },
        catalog: Arc::new(catalog()),
        entities: Some(EntityPage {
            first: 0,
            matching: 4,
            listed: 4,
            groups: Vec::new(),
            total: 4,
            rows: vec![
                row(0, "grass", "prop", &[TRANSFORM, BODY]),
                row(1, "grass", "prop", &[TRANSFORM, BODY]),
                row(2, "guardian", "actor", &actor),
                row(3, "guardian", "actor", &actor),
            ],
            fault: None,
            took: Duration::from_millis(3),
        }),
        details: vec![guardian()],
        systems: systems(),
        schedule: Some(Arc::new(schedule())),
        timing: Some(timing()),
        memory: Some(MemoryView {
            pools: vec![held, pool(VELOCITY, 2, 0, 512), pool(BODY, 4, 0, 512)],
            table_bytes: 2_048,
            strings: 3,
            string_bytes: 40,
            lists: 2,
            list_bytes: 96,
        }),
        deferred: Some(DeferredView {
            blocks: 1,
            bytes: 12,
            list: vec![DeferredBlock {
                component: TRANSFORM,
                row: 71,
                owner: id(9),
                asked_by: Some(BOUNCE),
                since: 1_200,
                waits_for: vec![RunId(7)],
                quarantined: false,
            }],
            runs: vec![run],
            owners: vec![EntityName { ordinal: Ordinal(2), id: id(2), type_name: "guardian".into() }],
        }),
        shapes: Some(ShapesView {
            shapes: vec![
                shape(0, 20.0, 20.0, 2.0, 0.0),
                shape(1, 60.0, 20.0, 2.0, 0.0),
                shape(2, 100.0, 50.0, 8.0, 0.0),
                shape(3, 150.0, 80.0, 8.0, 4.0),
            ],
            sampled: 1,
            total: 4,
            tick: 1_204,
        }),
        journal: Some(journal()),
        cells: Some(cells()),
        heap: Some(heap()),
        names: vec![EntityName { ordinal: Ordinal(3), id: id(3), type_name: "guardian".into() }],
        references: Vec::new(),
        selected: None,
        candidates: None,
    }
}

fn cells() -> CellsView {
    let strip = |word, live, deferred, written| Strip {
        word,
        has_page: true,
        live,
        deferred,
        quarantined: 0,
        written,
    };
    CellsView {
        component: TRANSFORM,
        groups: vec![
            CellGroup { components: vec![TRANSFORM, BODY], strips: 2 },
            CellGroup { components: vec![TRANSFORM, VELOCITY, BODY, HEALTH], strips: 1 },
        ],
        total: 3,
        elsewhere: 4,
        first: 0,
        strips: vec![
            strip(0, u64::MAX, 0, 0),
            Strip { has_page: false, ..strip(2, 0, 0, 0) },
            strip(1, 0b1100_0000, 0b1_0000_0000, 0b100_0000),
        ],
        at: Some(CellDetail {
            row: 70,
            owner: Some(EntityName { ordinal: Ordinal(2), id: id(2), type_name: "guardian".into() }),
        }),
        tick: 1_204,
    }
}

fn heap() -> HeapView {
    HeapView {
        part: HeapPart::Strings,
        total: 3,
        matching: 2,
        first: 0,
        strings: vec![
            StringRow { text: "grass".into(), uses: 1_200 },
            StringRow { text: "Ida".into(), uses: 0 },
        ],
        lists: Vec::new(),
        tick: 1_204,
        took: Duration::from_micros(50),
    }
}

fn journal() -> JournalView {
    let row = |number, tick, kind, ordinal: u64, by, by_name: &str| JournalRow {
        number,
        tick,
        kind,
        by,
        by_name: by_name.into(),
        ordinal: Ordinal(ordinal),
        id: id(ordinal),
        type_name: "guardian".into(),
        class: "actor".into(),
        lives: ordinal < 4,
        component: None,
        change: None,
    };
    let change = FieldChange { field: 0, before: FieldValue::Float(60.0), after: FieldValue::Float(58.0) };
    let mut rows = vec![
        row(12, 1_200, JournalKind::Created, 3, Asker::System(BOUNCE), "bounce"),
        JournalRow {
            component: Some(HEALTH),
            change: Some(change),
            ..row(13, 1_201, JournalKind::Changed, 2, Asker::Hand, "")
        },
        JournalRow {
            component: Some(FROZEN),
            ..row(14, 1_203, JournalKind::ComponentAdded, 2, Asker::System(SystemId(99)), "winter")
        },
        row(15, 1_204, JournalKind::Killed, 9, Asker::System(MOVE), "move"),
    ];
    rows.reverse();
    JournalView {
        is_recording: true,
        limit: 10_000,
        kept: 4,
        dropped: 12,
        matching: 4,
        first: 0,
        rows,
        fault: None,
        took: Duration::from_micros(30),
        watched: vec![WatchedField {
            ordinal: Ordinal(2),
            component: HEALTH,
            field: 0,
            name: "health.health".into(),
            value: Some(FieldValue::Float(58.0)),
        }],
        bytes: 2_048,
    }
}

fn log() -> Vec<LogLine> {
    let line = |level, tick, source: &str, message: &str| LogLine {
        level,
        tick,
        source: source.to_owned(),
        message: message.to_owned(),
        system: None,
        entity: None,
    };
    vec![
        line(LogLevel::Info, 0, "host", "Loaded Harbor: 4 entities"),
        line(LogLevel::Warning, 7, "watch", "grass 40v1 has no health"),
        line(LogLevel::Warning, 8, "watch", "grass 40v1 has no health"),
        line(LogLevel::Error, 9, "bounce", "index 9 of 4"),
    ]
}

fn samples() -> Vec<SampleCard> {
    vec![
        SampleCard { name: "harbor".to_owned(), about: "Boats come and go.".to_owned(), entities: 4 },
        SampleCard { name: "flock".to_owned(), about: "A thousand birds.".to_owned(), entities: 1_000 },
    ]
}
