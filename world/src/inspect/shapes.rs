//! Shapes to paint, read from the components `transform` and `body`.

use super::{ColourBy, Shape, ShapesRequest, ShapesView};
use crate::component::{Field, Scalar};
use crate::id::{ComponentId, Ordinal};
use crate::world::World;
use std::collections::HashMap;

/// Where in a block a field is, and what it is made of.
#[derive(Clone, Copy)]
struct Place {
    offset: usize,
    scalar: Scalar,
}

impl Place {
    fn of(fields: &[Field], name: &str) -> Option<Self> {
        let field = fields.iter().find(|field| field.name == name)?;
        Some(Self { offset: field.offset, scalar: field.scalar })
    }

    fn read(self, block: &[u8]) -> f32 {
        let at = &block[self.offset..];
        match self.scalar {
            Scalar::F32 => bytemuck::pod_read_unaligned(&at[..4]),
            Scalar::F64 => bytemuck::pod_read_unaligned::<f64>(&at[..8]) as f32,
            Scalar::U8 | Scalar::Bool8 => at[0] as f32,
            Scalar::I8 => at[0] as i8 as f32,
            Scalar::U16 => bytemuck::pod_read_unaligned::<u16>(&at[..2]) as f32,
            Scalar::I16 => bytemuck::pod_read_unaligned::<i16>(&at[..2]) as f32,
            Scalar::U32 => bytemuck::pod_read_unaligned::<u32>(&at[..4]) as f32,
            Scalar::I32 => bytemuck::pod_read_unaligned::<i32>(&at[..4]) as f32,
            Scalar::U64 => bytemuck::pod_read_unaligned::<u64>(&at[..8]) as f32,
            Scalar::I64 => bytemuck::pod_read_unaligned::<i64>(&at[..8]) as f32,
        }
    }
}

/// Where shapes are read from in this world.
struct Source {
    transform: ComponentId,
    x: Place,
    y: Place,
    body: Option<Body>,
}

struct Body {
    component: ComponentId,
    half_width: Option<Place>,
    half_height: Option<Place>,
    colour: Option<Place>,
}

impl Source {
    fn find(world: &World) -> Option<Self> {
        let registry = world.registry();
        let transform = registry.by_name("transform")?;
        let fields = registry.get(transform).fields();
        let (x, y) = (Place::of(fields, "x")?, Place::of(fields, "y")?);
        let body = registry.by_name("body").map(|component| {
            let fields = registry.get(component).fields();
            let place = |name| Place::of(fields, name);
            let colour = place("colour").filter(|place| place.scalar == Scalar::U32);
            Body { component, half_width: place("half_width"), half_height: place("half_height"), colour }
        });
        Some(Self { transform, x, y, body })
    }
}

/// What shapes without a body look like.
const POINT: f32 = 3.0;
const GREY: u32 = 0x9aa4_b2ff;

/// Copies the shapes asked for. While a run writes the pools, the shapes of before stay, with their tick.
pub(super) fn fill(world: &World, asked: &ShapesRequest, out: &mut ShapesView) {
    let Some(source) = Source::find(world) else {
        out.shapes.clear();
        (out.sampled, out.total, out.tick) = (1, 0, world.clocks().tick);
        return;
    };
    let pool = |component: ComponentId| world.storage.pool(component);
    let lent = |component: ComponentId| pool(component).is_lent_to_write();
    if lent(source.transform) || source.body.as_ref().is_some_and(|body| lent(body.component)) {
        return;
    }
    out.tick = world.clocks().tick;
    out.shapes.clear();
    out.total = world.storage.live(source.transform);
    out.sampled = if asked.limit == 0 { 1 } else { out.total.div_ceil(asked.limit).max(1) };
    let mut colours = Colours::new(world, &asked.colour);
    let retired = world.storage.rows.retired();
    let live = pool(source.transform)
        .present()
        .rows()
        .filter(|&row| !retired.has(row) && !world.storage.rows.is_free(row));
    for row in live.step_by(out.sampled) {
        let Some(block) = pool(source.transform).bytes_of(row) else { continue };
        let (x, y) = (source.x.read(block), source.y.read(block));
        let body =
            source.body.as_ref().and_then(|body| Some((body, body_block(world, body.component, row)?)));
        let part =
            |get: fn(&Body) -> Option<Place>| body.and_then(|(body, block)| Some(get(body)?.read(block)));
        let half_width = part(|body| body.half_width).unwrap_or(POINT);
        let half_height = part(|body| body.half_height).unwrap_or(0.0);
        if let Some([left, top, right, bottom]) = asked.within {
            let tall = if half_height > 0.0 { half_height } else { half_width };
            // Written so that a position that is no number is left out.
            let inside =
                x + half_width >= left && x - half_width <= right && y + tall >= top && y - tall <= bottom;
            if !inside {
                continue;
            }
        }
        let Some(id) = world.storage.id_of(row) else { continue };
        let own = body.and_then(|(body, block)| {
            let place = body.colour?;
            Some(bytemuck::pod_read_unaligned::<u32>(&block[place.offset..place.offset + 4]))
        });
        let colour = colours.of(world, row).unwrap_or(own.unwrap_or(GREY));
        let ordinal = world.ordinal(id).unwrap_or(Ordinal(u64::MAX));
        out.shapes.push(Shape { ordinal, x, y, half_width, half_height, colour });
    }
    colours.finish(&mut out.shapes);
}

fn body_block(world: &World, component: ComponentId, row: u32) -> Option<&[u8]> {
    let pool = world.storage.pool(component);
    if pool.present().has(row) { pool.bytes_of(row) } else { None }
}

/// Decides the colour of each shape.
enum Colours {
    Own,
    /// By type or class, each colour looked up once.
    Named {
        by_class: bool,
        known: HashMap<u32, u32>,
    },
    /// By a value; the colours are known once all values are.
    Field {
        component: ComponentId,
        place: Place,
        values: Vec<f32>,
    },
}

impl Colours {
    fn new(world: &World, by: &ColourBy) -> Self {
        match by {
            ColourBy::Own => Self::Own,
            ColourBy::Type => Self::Named { by_class: false, known: HashMap::new() },
            ColourBy::Class => Self::Named { by_class: true, known: HashMap::new() },
            ColourBy::Field(path) => Self::field(world, path).unwrap_or(Self::Own),
        }
    }

    fn field(world: &World, path: &str) -> Option<Self> {
        let (component, field) = path.split_once('.')?;
        let component = world.registry().by_name(component)?;
        let place = Place::of(world.registry().get(component).fields(), field)?;
        Some(Self::Field { component, place, values: Vec::new() })
    }

    fn of(&mut self, world: &World, row: u32) -> Option<u32> {
        match self {
            Self::Own => None,
            Self::Named { by_class, known } => {
                let block = body_block(world, ComponentId::ENTITY, row)?;
                let entity: crate::component::Entity = bytemuck::pod_read_unaligned(block);
                Some(*known.entry(entity.type_name()).or_insert_with(|| {
                    let name = world.strings().get(entity.type_name()).unwrap_or_default();
                    let class = || world.factory().class_of(&name).map_or("", |class| class.name.as_str());
                    colour_of_name(if *by_class { class() } else { &name })
                }))
            }
            Self::Field { component, place, values } => {
                values.push(body_block(world, *component, row).map_or(f32::NAN, |block| place.read(block)));
                Some(GREY)
            }
        }
    }

    fn finish(self, shapes: &mut [Shape]) {
        let Self::Field { values, .. } = self else { return };
        let finite = || values.iter().copied().filter(|value| value.is_finite());
        let (least, greatest) = (finite().fold(f32::MAX, f32::min), finite().fold(f32::MIN, f32::max));
        for (shape, value) in shapes.iter_mut().zip(&values) {
            if value.is_finite() {
                let part = if greatest > least { (value - least) / (greatest - least) } else { 0.5 };
                shape.colour = scale_colour(part);
            }
        }
    }
}

/// A colour for a name, the same every time.
fn colour_of_name(name: &str) -> u32 {
    let hash =
        name.bytes().fold(2_166_136_261_u32, |hash, byte| (hash ^ byte as u32).wrapping_mul(16_777_619));
    let hue = (hash >> 8) as f32 / (1u32 << 24) as f32;
    let channel = |shift: f32| {
        let at = ((hue + shift) * 6.0).rem_euclid(6.0);
        let strength = (2.0 - (at - 3.0).abs()).clamp(0.0, 1.0);
        ((0.35 + 0.5 * (1.0 - strength)) * 255.0) as u32
    };
    channel(0.0) << 24 | channel(1.0 / 3.0) << 16 | channel(2.0 / 3.0) << 8 | 0xff
}

/// From blue over teal to yellow.
fn scale_colour(part: f32) -> u32 {
    const STOPS: [[f32; 3]; 3] = [[59.0, 82.0, 139.0], [33.0, 145.0, 140.0], [253.0, 231.0, 37.0]];
    let at = part.clamp(0.0, 1.0) * 2.0;
    let (from, to) = if at < 1.0 { (STOPS[0], STOPS[1]) } else { (STOPS[1], STOPS[2]) };
    let within = at - at.floor().min(1.0);
    let channel = |k: usize| (from[k] + (to[k] - from[k]) * within.min(1.0)) as u32;
    channel(0) << 24 | channel(1) << 16 | channel(2) << 8 | 0xff
}
