//! One row of the table opened: how its times are spread, and how they went.

use super::model;
use super::table::Key;
use crate::theme::Palette;
use crate::view::View;
use crate::{format, series, widgets};
use egui::accesskit::Role;
use egui::{RichText, Ui};
use egui_extras::Column;
use egui_plot::{Bar, BarChart, HLine, Line, Plot, PlotPoints};
use std::time::Duration;
use vivarium_world::inspect::{Bucket, Distribution, TickSample, TimingView};

const HEIGHT: f32 = 140.0;
/// The most bars of a histogram.
const BARS: usize = 48;

/// The buckets as at most `bars` of them, neighbours counted together.
fn merged(buckets: &[Bucket], bars: usize) -> Vec<Bucket> {
    let (Some(first), Some(last)) = (buckets.first(), buckets.last()) else { return Vec::new() };
    let start = log(first.from);
    let width = ((log(last.to) - start) / bars.max(1) as f64).max(1e-9);
    let mut merged: Vec<(usize, Bucket)> = Vec::new();
    for &bucket in buckets {
        let place = ((log(bucket.from) - start) / width) as usize;
        match merged.last_mut() {
            Some((last, sum)) if *last == place => {
                sum.to = bucket.to;
                sum.count += bucket.count;
            }
            _ => merged.push((place, bucket)),
        }
    }
    merged.into_iter().map(|(_, bucket)| bucket).collect()
}

/// Where a time stands on an axis on which each doubling has the same length.
fn log(time: Duration) -> f64 {
    (time.as_nanos().max(1) as f64).log2()
}

/// The time at such a place.
fn time_at(place: f64) -> Duration {
    Duration::from_secs_f64((place.clamp(0.0, 63.0).exp2() / 1e9).max(0.0))
}

/// `60 samples: half at most 600 µs, 95 % at most 900 µs, 99 % at most 1.1 ms`
fn words(spread: &Distribution) -> String {
    let samples: u64 = spread.buckets.iter().map(|bucket| bucket.count).sum();
    let [p50, p95, p99] = [spread.p50, spread.p95, spread.p99].map(format::duration);
    let samples = format::counted(samples, "sample");
    format!("{samples}: half at most {p50}, 95 % at most {p95}, 99 % at most {p99}")
}

/// The histogram of the open row, and its times over the last ticks; those of the update if none is open.
pub(super) fn ui(
    ui: &mut Ui,
    view: &View<'_>,
    timing: &TimingView,
    ticks: &[TickSample],
    open: Option<&Key>,
) {
    let row = open.and_then(|open| {
        timing.rows.iter().find(|row| match open {
            Key::Whole(name) => row.system.is_none() && row.name == *name,
            Key::System(system) => row.system == Some(*system),
        })
    });
    if let Some(row) = row {
        ui.label(RichText::new(&row.name).strong());
        match &row.distribution {
            Some(spread) => histogram(ui, spread),
            None => {
                let window = format::duration(timing.window);
                ui.weak(format!("It was not measured in the last whole window of {window}"));
            }
        }
    }
    match row {
        Some(row) => match row.system {
            Some(system) => {
                let times = model::by_system(ticks).remove(&system).unwrap_or_default();
                plot(ui, &format!("Milliseconds of {} a tick", row.name), ticks, &times, None);
            }
            None if row.name == "update" => whole(ui, view, ticks),
            // Effects are timed by window alone.
            None => {}
        },
        None => whole(ui, view, ticks),
    }
}

fn whole(ui: &mut Ui, view: &View<'_>, ticks: &[TickSample]) {
    let times: Vec<Duration> = ticks.iter().map(|tick| tick.took).collect();
    let budget = model::budget(view.snapshot.status.step);
    plot(ui, "Milliseconds a tick", ticks, &times, Some(budget));
}

fn histogram(ui: &mut Ui, spread: &Distribution) {
    let bars = merged(&spread.buckets, BARS);
    let bar = |bucket: &Bucket| {
        let (from, to) = (log(bucket.from), log(bucket.to));
        let name = format!("{} to {}", format::duration(bucket.from), format::duration(bucket.to));
        Bar::new((from + to) / 2.0, bucket.count as f64).width((to - from).max(0.02)).name(name)
    };
    let colour = Palette::of(ui.visuals()).accent;
    let chart = BarChart::new("samples", bars.iter().map(bar).collect())
        .color(colour)
        .element_formatter(Box::new(|bar, _| format!("{}: {}", bar.name, format::count(bar.value as u64))));
    let response = Plot::new("histogram")
        .height(HEIGHT)
        .include_y(0.0)
        .allow_scroll(false)
        .x_axis_formatter(|mark, _| format::duration(time_at(mark.value)))
        .show(ui, |plot| plot.bar_chart(chart))
        .response;
    widgets::describe(&response, Role::Image, &format!("How often each time came: {}", words(spread)));
    ui.label(words(spread));
    egui::CollapsingHeader::new("Histogram as a table").show(ui, |ui| {
        let table = widgets::table(ui)
            .id_salt("buckets")
            .vscroll(false)
            .columns(Column::initial(90.0).resizable(true), 2)
            .column(Column::remainder());
        let table = table.header(widgets::ROW, |mut row| {
            for title in ["from", "below", "samples"] {
                row.col(|ui| drop(ui.strong(title)));
            }
        });
        table.body(|body| {
            body.rows(widgets::ROW, bars.len(), |mut row| {
                let bucket = &bars[row.index()];
                row.col(|ui| widgets::right(ui, format::duration(bucket.from)));
                row.col(|ui| widgets::right(ui, format::duration(bucket.to)));
                row.col(|ui| drop(ui.label(format::count(bucket.count))));
            });
        });
    });
}

/// Times over the ticks they are of, with no more points than there are columns.
fn plot(ui: &mut Ui, title: &str, ticks: &[TickSample], times: &[Duration], budget: Option<Duration>) {
    let palette = Palette::of(ui.visuals());
    let point = |at: usize| [ticks[at].tick as f64, times[at].as_secs_f64() * 1e3];
    let count = ticks.len().min(times.len());
    let points = series::decimated(count, point, ui.available_width().max(80.0) as usize);
    let slowest = points.iter().map(|point| point[1]).fold(0.0, f64::max);
    let budget = budget.map_or(0.0, |budget| budget.as_secs_f64() * 1e3);
    ui.label(RichText::new(title).weak());
    let response = Plot::new("times")
        .height(HEIGHT)
        .include_y(0.0)
        .allow_scroll(false)
        .x_axis_formatter(|mark, _| format::count(mark.value.max(0.0) as u64))
        .show(ui, |plot| {
            plot.line(Line::new("tick", PlotPoints::from(points)).color(palette.accent).width(1.5));
            // Far above the ticks it would only flatten them.
            if budget > 0.0 && budget < slowest * 3.0 {
                plot.hline(HLine::new("budget", budget).color(palette.warn));
            }
        })
        .response;
    let greatest = format::duration(times.iter().max().copied().unwrap_or_default());
    let text = format!("{title}: at most {greatest} in the last {}", format::counted(count, "tick"));
    widgets::describe(&response, Role::Image, &text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(from: u64, to: u64, count: u64) -> Bucket {
        Bucket { from: Duration::from_nanos(from), to: Duration::from_nanos(to), count }
    }

    #[test]
    fn merging_buckets_loses_no_sample_and_keeps_their_order() {
        let buckets: Vec<Bucket> = (0..300).map(|n| bucket(100 + n * 10, 110 + n * 10, n)).collect();
        let bars = merged(&buckets, 40);
        assert!(bars.len() <= 41 && bars.len() > 10, "{}", bars.len());
        let count = |buckets: &[Bucket]| buckets.iter().map(|bucket| bucket.count).sum::<u64>();
        assert_eq!(count(&bars), count(&buckets));
        assert!(bars.windows(2).all(|pair| pair[0].to <= pair[1].from));
        assert_eq!(merged(&[], 40), []);
        assert_eq!(merged(&buckets[..1], 40), buckets[..1]);
    }

    #[test]
    fn a_time_is_found_again_on_the_axis() {
        for nanos in [1, 740, 3_000_000, 60_000_000_000] {
            let time = Duration::from_nanos(nanos);
            let off = time_at(log(time)).as_secs_f64() / time.as_secs_f64();
            assert!((off - 1.0).abs() < 1e-6, "{time:?}");
        }
        assert_eq!(log(Duration::ZERO), 0.0);
        assert_eq!(time_at(f64::MAX), time_at(63.0));
    }
}
