//! The name under which notes and votes are written: asked for once, and kept in the settings.

use std::path::PathBuf;

use super::Shared;
use crate::text::visible;
use crate::ui::config::{Config, keep_author};
use crate::ui::query::{Errands, Lane, Query, Worker};

/// A name on its way to the settings.
#[derive(Debug, Default)]
pub(super) struct Naming {
    /// The file of the settings.
    settings: Option<PathBuf>,
    /// The name of the account.
    suggested: String,
    saving: Errands<KeepAuthor>,
}

impl Naming {
    pub(super) fn new(config: &Config) -> Self {
        let suggested = config.suggested_author.clone().unwrap_or_default();
        Self { settings: config.path.clone(), suggested, saving: Errands::default() }
    }
}

impl Shared {
    /// The name to suggest where it is asked for.
    pub(in crate::ui) fn suggested_author(&self) -> &str {
        &self.naming.suggested
    }

    /// Takes a name, and sends it to the settings.
    pub(in crate::ui) fn set_author(&mut self, name: &str) {
        name.trim().clone_into(&mut self.author);
        if let Some(path) = self.naming.settings.clone() {
            let name = self.author.clone();
            self.naming.saving.send(KeepAuthor { path, name }, &mut self.effects);
        }
    }

    /// Says why a name could not be kept. It counts until the user leaves.
    pub(super) fn poll_author(&mut self) {
        for (_, kept) in self.naming.saving.take() {
            if let Err(why) = kept {
                let why = visible(&why).into_owned();
                self.say(format!("the name is not kept in the settings: {why}"));
            }
        }
    }
}

/// Keep a name in the settings.
#[derive(Clone, PartialEq)]
struct KeepAuthor {
    path: PathBuf,
    name: String,
}

impl Query for KeepAuthor {
    type Answer = Result<(), String>;
    const LANE: Lane = Lane::Annotate;

    fn run(self, _: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        send(keep_author(&self.path, &self.name));
    }
}
