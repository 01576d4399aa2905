//! Templates written back to the scene file: only what they say changes in it.

use super::Inspector;
use super::hear::LONGEST_KEPT;
use crate::edits::{Deed, Step};
use crate::template_text::TemplateText;
use std::path::Path;
use vivarium_world::inspect::TemplateView;
use vivarium_world::{Command, Config, Done, LogLevel, Value};

/// Why templates are written.
#[derive(Debug)]
pub(super) enum Write {
    /// The user asked for it.
    Edit {
        /// What is done.
        step: Box<Step>,
        /// Whether it had been taken back before.
        again: bool,
    },
    /// A step is taken back.
    Undone,
}

/// Templates on their way to the file.
#[derive(Debug)]
pub(super) struct Writing {
    texts: Vec<TemplateText>,
    why: Write,
}

impl Inspector {
    /// Writes templates, as they are now, to the open scene file.
    pub(super) fn write_templates(&mut self, names: &[String]) {
        let templates = &self.host.snapshot().catalog.templates;
        let texts = names.iter().filter_map(|name| templates.iter().find(|t| t.name == *name)).map(text_of);
        let texts: Vec<TemplateText> = texts.collect();
        if !texts.is_empty() {
            let step = Box::new(Step::of_write(texts.clone()));
            self.write_to_file(texts, Write::Edit { step, again: false });
        }
    }

    pub(super) fn write_to_file(&mut self, texts: Vec<TemplateText>, why: Write) {
        let hindrance = if self.documents.file().is_none() {
            Some(
                "the scene did not come from a file; save it under a name, and templates can be written to that",
            )
        } else if self.disk_change.is_some() {
            Some("the file changed on disk: take it or keep yours first; nothing was written")
        } else if self.documents.is_saving() || self.writing.is_some() {
            Some("the file is just being written; try again in a moment")
        } else {
            None
        };
        if let Some(hindrance) = hindrance {
            return self.lose_write(&why, hindrance.to_owned());
        }
        self.documents.write_templates(texts.clone());
        self.writing = Some(Writing { texts, why });
    }

    /// The file says it.
    pub(super) fn hear_written(&mut self, path: &Path, text: String, before: Vec<TemplateText>) {
        self.loaded_text = (text.len() <= LONGEST_KEPT).then_some(text);
        let Some(Writing { texts, why }) = self.writing.take() else { return };
        let names: Vec<&str> = texts.iter().map(|text| text.name.as_str()).collect();
        let message = format!("wrote to {}: {}", path.display(), names.join(", "));
        self.note(LogLevel::Info, message);
        for TemplateText { name, config } in texts {
            self.host.send(Command::FileSays { name, config });
        }
        if let Write::Edit { mut step, again } = why {
            step.undo = Some(Deed::Write(before));
            self.hear_edit(*step, again, Done::Ok);
        }
    }

    /// The file is as it was.
    pub(super) fn hear_not_written(&mut self, message: String) {
        match self.writing.take() {
            Some(Writing { why, .. }) => self.lose_write(&why, message),
            None => self.note(LogLevel::Error, message),
        }
    }

    fn lose_write(&mut self, why: &Write, message: String) {
        if matches!(why, Write::Undone | Write::Edit { again: true, .. }) {
            self.edits.lose_saved();
        }
        self.note(LogLevel::Error, message);
    }
}

fn text_of(template: &TemplateView) -> TemplateText {
    let value = |json: &str| serde_json::from_str(json).map_or(Value::Null, Value::into_owned);
    let keys = template.keys.iter().map(|key| (key.key.clone(), value(&key.value)));
    TemplateText { name: template.name.clone(), config: Config::from_iter(keys) }
}
