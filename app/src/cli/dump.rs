//! `vivarium dump`: entities and their values.

use serde_json::{Value, json};
use vivarium_world::{ComponentId, EntityId, FieldValue, Ordinal, Scalar, World, suggestion};

use super::Offer;
use super::arguments::{DumpArguments, DumpFormat};
use super::exit::{Exit, Failure};
use super::open::{Opened, open, threads_or_default};
use super::output::Output;
use super::query;
use super::steps::Steps;
use super::table::Table;

pub(super) fn run(arguments: &DumpArguments, offer: &Offer) -> Result<Exit, Failure> {
    let Opened { mut world, name, .. } =
        open(&arguments.world, threads_or_default(arguments.threads), offer)?;
    // What is wrong with the question is said before the world runs for long.
    let filter = query::filter(&arguments.query, &world)?;
    let columns = columns(&world, &arguments.fields)?;
    let mut steps = Steps::new(&arguments.world);
    let stopped = steps.run_silently(&mut world, arguments.ticks)?;
    let mut found: Vec<(Ordinal, EntityId, [String; 2])> = Vec::new();
    world.each_subject(|subject| {
        if filter.matches(&subject) {
            let texts = [subject.type_name(), subject.class_name()].map(str::to_owned);
            found.push((subject.ordinal(), subject.id(), texts));
        }
    });
    let table = table(&world, &columns, &found);
    let mut output = Output::stdout();
    match arguments.format {
        DumpFormat::Table => output.text(&table.to_text())?,
        DumpFormat::Csv => output.text(&table.to_csv())?,
        DumpFormat::Jsonl => output.text(&table.to_json_lines())?,
        DumpFormat::Json => output.json(&json!({
            "schema": 1,
            "scene": name,
            "tick": world.clocks().tick,
            "entities": table.to_json(),
        }))?,
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

fn table(world: &World, columns: &[Column], entities: &[(Ordinal, EntityId, [String; 2])]) -> Table {
    let mut heads = ["number", "id", "type", "class"].map(str::to_owned).to_vec();
    match columns.is_empty() {
        true => heads.push("components".to_owned()),
        false => heads.extend(columns.iter().map(|column| column.name.clone())),
    }
    let mut table = Table::new(heads);
    for (ordinal, id, [type_name, class]) in entities {
        let mut row = vec![json!(ordinal), json!(id.to_string()), json!(type_name), json!(class)];
        if columns.is_empty() {
            let components = world.components_of(*id).unwrap_or_default().into_iter();
            let names: Vec<&str> = components
                .filter(|&component| component != ComponentId::ENTITY)
                .map(|component| world.registry().get(component).name())
                .collect();
            row.push(json!(names.join(" ")));
        }
        row.extend(
            columns
                .iter()
                .map(|column| value(world.field(*id, column.component, column.field), column.scalar)),
        );
        table.push(row);
    }
    table
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
