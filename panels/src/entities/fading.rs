//! Rows that were written lately: a bar beside them, which fades.

use crate::theme::Palette;
use egui::{Rect, Ui};
use std::collections::HashMap;
use std::time::Duration;
use vivarium_world::Ordinal;
use vivarium_world::inspect::EntityPage;

/// Seconds until a bar is gone.
const LASTS: f64 = 0.8;

/// When each row in sight was last seen to have been written.
#[derive(Default)]
pub(super) struct Fading {
    seen: HashMap<Ordinal, f64>,
    now: f64,
}

impl Fading {
    /// Notes which rows were written, and draws again while a bar fades.
    pub(super) fn take_in(&mut self, ui: &Ui, page: &EntityPage) {
        self.note(ui.input(|input| input.time), page);
        if !self.seen.is_empty() {
            ui.ctx().request_repaint_after(Duration::from_millis(60));
        }
    }

    fn note(&mut self, now: f64, page: &EntityPage) {
        self.now = now;
        let written = page.rows.iter().filter(|row| row.changed);
        self.seen.extend(written.map(|row| (row.ordinal, now)));
        self.seen.retain(|_, seen| now - *seen < LASTS);
    }

    /// How fresh a row is: 1 just now, 0 long ago.
    pub(super) fn of(&self, ordinal: Ordinal) -> f32 {
        let seen = self.seen.get(&ordinal);
        seen.map_or(0.0, |seen| (1.0 - (self.now - seen) / LASTS).clamp(0.0, 1.0) as f32)
    }
}

/// The bar at the right of a cell.
pub(super) fn mark(ui: &Ui, fresh: f32) {
    if fresh > 0.0 {
        let cell = ui.max_rect();
        let bar = Rect::from_x_y_ranges(cell.right() - 3.0..=cell.right(), cell.y_range().shrink(2.0));
        let accent = Palette::of(ui.visuals()).accent;
        ui.painter().rect_filled(bar, 0.0, accent.gamma_multiply(fresh));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    #[test]
    fn a_row_that_was_written_fades() {
        let mut page = Fixture::paused().snapshot.entities.unwrap();
        page.rows[1].changed = true;
        let ordinal = page.rows[1].ordinal;
        let mut fading = Fading::default();
        fading.note(10.0, &page);
        assert_eq!((fading.of(ordinal), fading.of(page.rows[0].ordinal)), (1.0, 0.0));
        page.rows[1].changed = false;
        fading.note(10.4, &page);
        assert!((0.4..0.6).contains(&fading.of(ordinal)), "{}", fading.of(ordinal));
        fading.note(11.0, &page);
        assert!(fading.of(ordinal) == 0.0 && fading.seen.is_empty());
    }
}
