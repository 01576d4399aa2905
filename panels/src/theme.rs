//! Colours of the light and the dark theme. Every text colour has a contrast of at least 4.5 on every ground
//! it is written on; egui's own weak text and warnings do not.

use egui::style::WidgetVisuals;
use egui::{Color32, Context, FontDefinitions, FontFamily, FontId, Stroke, TextStyle, Theme, Visuals};

/// The colours panels paint with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    /// Ground of panels.
    pub panel: Color32,
    /// Ground of every other row and of cards.
    pub faint: Color32,
    /// Ground of component names and of empty bars.
    pub chip: Color32,
    /// Ground of text fields and plots.
    pub field: Color32,
    /// Ground of selected rows.
    pub selected: Color32,
    /// Text.
    pub text: Color32,
    /// Headings, and values that matter.
    pub strong: Color32,
    /// Text beside the point.
    pub weak: Color32,
    /// Links, and bars that mean nothing in particular.
    pub accent: Color32,
    /// Running, within budget.
    pub good: Color32,
    /// Not as it should be.
    pub warn: Color32,
    /// Failed, over budget.
    pub error: Color32,
    /// Lines between things.
    pub line: Color32,
}

impl Palette {
    /// For the dark theme.
    pub const DARK: Self = Self {
        panel: Color32::from_rgb(24, 26, 30),
        faint: Color32::from_rgb(31, 34, 39),
        chip: Color32::from_rgb(48, 52, 60),
        field: Color32::from_rgb(15, 16, 19),
        selected: Color32::from_rgb(26, 62, 98),
        text: Color32::from_rgb(208, 212, 218),
        strong: Color32::from_rgb(244, 246, 249),
        weak: Color32::from_rgb(164, 171, 181),
        accent: Color32::from_rgb(112, 184, 255),
        good: Color32::from_rgb(104, 206, 138),
        warn: Color32::from_rgb(240, 180, 76),
        error: Color32::from_rgb(255, 138, 128),
        line: Color32::from_rgb(62, 67, 76),
    };

    /// For the light theme.
    pub const LIGHT: Self = Self {
        panel: Color32::from_rgb(249, 250, 251),
        faint: Color32::from_rgb(240, 242, 245),
        chip: Color32::from_rgb(222, 226, 232),
        field: Color32::from_rgb(255, 255, 255),
        selected: Color32::from_rgb(204, 226, 250),
        text: Color32::from_rgb(42, 46, 52),
        strong: Color32::from_rgb(10, 12, 15),
        weak: Color32::from_rgb(84, 91, 101),
        accent: Color32::from_rgb(0, 82, 164),
        good: Color32::from_rgb(12, 98, 48),
        warn: Color32::from_rgb(128, 74, 0),
        error: Color32::from_rgb(168, 20, 20),
        line: Color32::from_rgb(200, 205, 212),
    };

    /// The palette that goes with these visuals.
    pub fn of(visuals: &Visuals) -> &'static Self {
        if visuals.dark_mode { &Self::DARK } else { &Self::LIGHT }
    }

    /// egui's visuals in these colours.
    fn visuals(&self, base: Visuals) -> Visuals {
        let dark = base.dark_mode;
        let shade = |amount: u8| {
            let [r, g, b, _] = self.panel.to_array();
            let step = |c: u8| if dark { c.saturating_add(amount) } else { c.saturating_sub(amount) };
            Color32::from_rgb(step(r), step(g), step(b))
        };
        let widget = |old: WidgetVisuals, ground: Color32, line: Color32, text: Color32| WidgetVisuals {
            bg_fill: ground,
            weak_bg_fill: ground,
            bg_stroke: Stroke::new(old.bg_stroke.width, line),
            fg_stroke: Stroke::new(old.fg_stroke.width, text),
            ..old
        };
        let mut visuals = base;
        let old = visuals.widgets.clone();
        visuals.widgets.noninteractive = widget(old.noninteractive, self.panel, self.line, self.text);
        visuals.widgets.inactive = widget(old.inactive, shade(22), shade(22), self.text);
        visuals.widgets.hovered = widget(old.hovered, shade(34), self.weak, self.strong);
        visuals.widgets.active = widget(old.active, shade(44), self.strong, self.strong);
        visuals.widgets.open = widget(old.open, shade(22), self.line, self.strong);
        visuals.selection.bg_fill = self.selected;
        visuals.selection.stroke = Stroke::new(1.0, self.strong);
        visuals.weak_text_color = Some(self.weak);
        visuals.hyperlink_color = self.accent;
        visuals.faint_bg_color = self.faint;
        visuals.extreme_bg_color = self.field;
        visuals.code_bg_color = self.faint;
        visuals.warn_fg_color = self.warn;
        visuals.error_fg_color = self.error;
        visuals.panel_fill = self.panel;
        visuals.window_fill = self.panel;
        visuals.window_stroke.color = self.line;
        visuals
    }
}

/// Gives a context the light and the dark theme, and arrows. Which theme is shown stays as it is.
pub fn apply_theme(ctx: &Context) {
    ctx.set_fonts(fonts());
    ctx.set_visuals_of(Theme::Dark, Palette::DARK.visuals(Visuals::dark()));
    ctx.set_visuals_of(Theme::Light, Palette::LIGHT.visuals(Visuals::light()));
    ctx.all_styles_mut(|style| {
        // egui's 9 points are too small to read.
        style.text_styles.insert(TextStyle::Small, FontId::proportional(11.0));
    });
}

/// egui's fonts, with the one for code behind the one for text: that one has no arrows.
fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::default();
    let code = fonts.families.get(&FontFamily::Monospace).cloned().unwrap_or_default();
    let text = fonts.families.entry(FontFamily::Proportional).or_default();
    for font in code {
        if !text.contains(&font) {
            text.push(font);
        }
    }
    fonts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance as WCAG 2 defines it.
    fn luminance(colour: Color32) -> f64 {
        let channel = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(colour.r()) + 0.7152 * channel(colour.g()) + 0.0722 * channel(colour.b())
    }

    fn contrast(a: Color32, b: Color32) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn the_contrast_formula_gives_its_known_extremes() {
        assert!((contrast(Color32::WHITE, Color32::BLACK) - 21.0).abs() < 1e-9);
        assert!((contrast(Color32::from_gray(119), Color32::WHITE) - 4.48).abs() < 0.01);
    }

    #[test]
    fn every_text_is_readable_on_every_ground() {
        for palette in [Palette::DARK, Palette::LIGHT] {
            let grounds = [palette.panel, palette.faint, palette.chip, palette.field, palette.selected];
            let texts = [
                ("text", palette.text),
                ("strong", palette.strong),
                ("weak", palette.weak),
                ("accent", palette.accent),
                ("good", palette.good),
                ("warn", palette.warn),
                ("error", palette.error),
            ];
            for ground in grounds {
                for (name, text) in texts {
                    let contrast = contrast(text, ground);
                    assert!(contrast >= 4.5, "{name} {text:?} on {ground:?}: {contrast:.2}");
                }
            }
        }
    }

    #[test]
    fn texts_of_buttons_are_readable_in_every_state() {
        let themes = [(Palette::DARK, Visuals::dark()), (Palette::LIGHT, Visuals::light())];
        for (palette, base) in themes {
            let visuals = palette.visuals(base);
            let widgets = &visuals.widgets;
            for (name, widget) in [
                ("inactive", widgets.inactive),
                ("hovered", widgets.hovered),
                ("active", widgets.active),
                ("open", widgets.open),
            ] {
                let contrast = contrast(widget.fg_stroke.color, widget.weak_bg_fill);
                assert!(contrast >= 4.5, "{name}: {contrast:.2}");
            }
            assert!(contrast(visuals.weak_text_color(), visuals.panel_fill) >= 4.5);
        }
    }
}
