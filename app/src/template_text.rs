//! What a scene file says of templates, and its text with something else said.

use vivarium_world::{Config, RewriteError, rewrite_template, template_in};

/// What a scene file says of a template.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateText {
    /// Its name.
    pub name: String,
    /// Its keys, without its class.
    pub config: Config<'static>,
}

/// A scene's text with other templates, and what it said of them.
pub(crate) fn rewrite(
    text: &str,
    texts: &[TemplateText],
) -> Result<(String, Vec<TemplateText>), RewriteError> {
    let (mut text, mut before) = (text.to_owned(), Vec::new());
    for TemplateText { name, config } in texts {
        before.push(TemplateText { name: name.clone(), config: template_in(&text, name)? });
        text = rewrite_template(&text, name, config)?;
    }
    Ok((text, before))
}
