//! `vivarium dump`: entities and their values.

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use vivarium_world::{ComponentId, EntityId, FieldValue, Ordinal, Scalar, World, suggestion};

use super::Offer;
use super::arguments::{WorldArguments, thread_count};
use super::exit::{Exit, Failure};
use super::open::{Opened, open, threads_or_default};
use super::output::Output;
use super::query;
use super::steps::Steps;
use super::table::Table;

#[derive(Debug, Args)]
pub(super) struct DumpArguments {
    #[command(flatten)]
    pub(super) world: WorldArguments,
    /// Steps to run first
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) ticks: u64,
    /// Worker threads; 0 does everything on one [default: one a core]
    #[arg(long, value_name = "N", value_parser = thread_count())]
    pub(super) threads: Option<u16>,
    /// Only entities that match, such as `class:ship not dead`
    #[arg(long, value_name = "Q", default_value = "", hide_default_value = true)]
    pub(super) query: String,
    /// Fields to show, each `component.field`, or a component for all of its fields
    #[arg(long, value_name = "A,B…", value_delimiter = ',')]
    pub(super) fields: Vec<String>,
    /// Form of the data on the standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    pub(super) format: DumpFormat,
}

/// Form of a list of entities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum DumpFormat {
    /// Aligned columns
    #[default]
    Table,
    /// One JSON document with "schema": 1
    Json,
    /// A JSON object a line
    Jsonl,
    /// Comma-separated values
    Csv,
}

pub(super) fn run(arguments: &DumpArguments, offer: &Offer) -> Result<Exit, Failure> {
    let Opened { mut world, name, .. } =
        open(&arguments.world, threads_or_default(arguments.threads), offer)?;
    // What is wrong with the question is said before the world runs for long.
    let filter = query::filter(&arguments.query, &world)?;
    let columns = columns(&world, &arguments.fields)?;
    world.record_changes(filter.changed_within().is_some());
    let mut steps = Steps::new(&arguments.world);
    let stopped = steps.run_silently(&mut world, arguments.ticks)?;
    let mut found = Vec::new();
    world.each_subject(|subject| {
        if filter.matches(&subject) {
            found.push((subject.ordinal(), subject.id()));
        }
    });
    let rows = Rows { world: &world, columns: &columns };
    let mut table = Table::new(rows.heads());
    let mut output = Output::stdout();
    match arguments.format {
        // Of a great world only the forms that need all rows at once hold them all.
        DumpFormat::Csv => {
            output.text(&table.csv_head())?;
            found.iter().try_for_each(|entity| output.text(&table.csv_row(&rows.row(entity))))?;
        }
        DumpFormat::Jsonl => {
            found.iter().try_for_each(|entity| output.text(&table.json_line(&rows.row(entity))))?;
        }
        DumpFormat::Table => {
            found.iter().for_each(|entity| table.push(rows.row(entity)));
            output.text(&table.to_text())?;
        }
        DumpFormat::Json => {
            found.iter().for_each(|entity| table.push(rows.row(entity)));
            let (tick, entities) = (world.clocks().tick, table.to_json());
            output.json(&json!({ "schema": 1, "scene": name, "tick": tick, "entities": entities }))?;
        }
    }
    output.flush()?;
    let exit = steps.conclude(stopped);
    Ok(if exit == Exit::Done && found.is_empty() && !arguments.query.is_empty() {
        Exit::NothingMatched
    } else {
        exit
    })
}

/// A field to show.
struct Column {
    name: String,
    component: ComponentId,
    field: usize,
    scalar: Scalar,
}

/// The fields named `component.field`; a component alone stands for all of its fields.
fn columns(world: &World, names: &[String]) -> Result<Vec<Column>, Failure> {
    let mut columns = Vec::new();
    for name in names {
        let (component, field) = name.split_once('.').map_or((name.as_str(), None), |(c, f)| (c, Some(f)));
        let Some(id) = world.registry().by_name(component) else {
            let known = world.registry().iter().map(|(_, definition)| definition.name());
            let hint = suggestion(component, known.collect::<Vec<_>>());
            return Err(Failure::new(
                Exit::Usage,
                format_args!("no component `{component}` in this scene{hint}"),
            ));
        };
        let fields = world.registry().get(id).fields();
        let before = columns.len();
        let wanted =
            fields.iter().enumerate().filter(|(_, known)| field.is_none_or(|field| field == known.name));
        columns.extend(wanted.map(|(index, known)| Column {
            name: format!("{component}.{}", known.name),
            component: id,
            field: index,
            scalar: known.scalar,
        }));
        if let (Some(field), true) = (field, columns.len() == before) {
            let hint = suggestion(field, fields.iter().map(|known| &*known.name).collect::<Vec<_>>());
            return Err(Failure::new(Exit::Usage, format_args!("no field `{field}` in `{component}`{hint}")));
        }
    }
    Ok(columns)
}

/// What is shown of each entity.
struct Rows<'a> {
    world: &'a World,
    /// None shows the names of the components instead.
    columns: &'a [Column],
}

impl Rows<'_> {
    fn heads(&self) -> Vec<String> {
        let mut heads = ["number", "id", "type", "class"].map(str::to_owned).to_vec();
        match self.columns.is_empty() {
            true => heads.push("components".to_owned()),
            false => heads.extend(self.columns.iter().map(|column| column.name.clone())),
        }
        heads
    }

    fn row(&self, &(ordinal, id): &(Ordinal, EntityId)) -> Vec<Value> {
        let type_name = self.world.type_name(id);
        let class = self.world.factory().class_of(&type_name).map(|class| class.name.as_str());
        let mut row =
            vec![json!(ordinal), json!(id.to_string()), json!(*type_name), json!(class.unwrap_or_default())];
        if self.columns.is_empty() {
            let components = self.world.components_of(id).unwrap_or_default().into_iter();
            let names: Vec<&str> = components
                .filter(|&component| component != ComponentId::ENTITY)
                .map(|component| self.world.registry().get(component).name())
                .collect();
            row.push(json!(names.join(" ")));
        }
        let values = self
            .columns
            .iter()
            .map(|column| value(self.world.field(id, column.component, column.field), column.scalar));
        row.extend(values);
        row
    }
}

/// As JSON; what JSON has no number for is a text. An `f32` gets as many digits as it needs, and no more.
fn value(field: Option<FieldValue>, scalar: Scalar) -> Value {
    match field {
        None => Value::Null,
        Some(FieldValue::Float(number)) if !number.is_finite() => json!(number.to_string()),
        Some(FieldValue::Float(number)) if scalar == Scalar::F32 => {
            let short = (number as f32).to_string().parse::<f64>();
            json!(short.unwrap_or(number))
        }
        Some(FieldValue::Entity(to)) => json!(to),
        Some(other) => serde_json::to_value(other).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_float_is_written_short_and_one_that_is_none_as_text() {
        let tenth = FieldValue::Float(0.1_f32.into());
        assert_eq!(value(Some(tenth.clone()), Scalar::F32), json!(0.1));
        assert_eq!(value(Some(tenth), Scalar::F64), json!(0.10000000149011612));
        assert_eq!(value(Some(FieldValue::Float(f64::NAN)), Scalar::F64), json!("NaN"));
        assert_eq!(value(None, Scalar::U32), Value::Null);
    }
}
