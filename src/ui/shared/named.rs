//! Named selections and scopes, which are stored with the store.

use super::{Narrows, Shared};
use crate::filter::Completion;
use crate::store::{NamedKind, NamedTasks};
use crate::text::visible;
use crate::ui::query::{Errands, Lane, Query, Worker};

/// The longest name, in bytes.
const LONGEST_NAME: usize = 80;

/// Selections and scopes that are kept under a name, and those on their way to the disk.
#[derive(Debug, Default)]
pub struct Named {
    all: Vec<NamedTasks>,
    saving: Errands<SaveNamed>,
}

impl Named {
    /// Those that narrow lists, or those that narrow numbers.
    pub fn of(&self, narrows: Narrows) -> impl Iterator<Item = &NamedTasks> {
        self.all.iter().filter(move |named| named.kind == narrows.kind())
    }

    /// The same as completions of a prompt.
    pub(in crate::ui) fn completions(&self, narrows: Narrows) -> Vec<Completion> {
        let completion = |named: &NamedTasks| Completion {
            name: named.name.clone(),
            insert: named.expression.clone(),
            hint: named.expression.clone().into(),
        };
        self.of(narrows).map(completion).collect()
    }

    /// Whether these are all.
    pub(super) fn are(&self, all: &[NamedTasks]) -> bool {
        self.all == all
    }

    pub(super) fn set(&mut self, all: Vec<NamedTasks>) {
        self.all = all;
    }
}

impl Narrows {
    fn kind(self) -> NamedKind {
        match self {
            Self::Selection => NamedKind::Selection,
            Self::Scope => NamedKind::Scope,
        }
    }
}

impl Shared {
    /// Keeps what lists or numbers are narrowed by under a name.
    pub(in crate::ui) fn keep_named(&mut self, narrows: Narrows, name: &str) {
        let (name, expression) = (name.trim().to_owned(), self.narrowed_by(narrows).to_owned());
        if name.len() > LONGEST_NAME {
            return self.say(format!("the name is too long: at most {LONGEST_NAME} letters"));
        }
        if !expression.is_empty() {
            let named = NamedTasks { kind: narrows.kind(), name, expression };
            self.save_named(named, false);
        }
    }

    /// Withdraws a name.
    pub(in crate::ui) fn forget_named(&mut self, narrows: Narrows, name: &str) {
        let named = self.named.of(narrows).find(|named| named.name == name).cloned();
        named.into_iter().for_each(|named| self.save_named(named, true));
    }

    fn save_named(&mut self, named: NamedTasks, withdrawn: bool) {
        let author = self.author.clone();
        self.named.saving.send(SaveNamed { named, withdrawn, author }, &mut self.effects);
    }

    /// Names that are on the disk now, or why not.
    pub(super) fn poll_named(&mut self) {
        for (SaveNamed { named, withdrawn, .. }, saved) in self.named.saving.take() {
            let name = visible(&named.name).into_owned();
            if let Err(why) = saved {
                self.say(format!("“{name}” is not kept: {}", visible(&why)));
                continue;
            }
            let same = |known: &NamedTasks| (known.kind, &known.name) == (named.kind, &named.name);
            self.named.all.retain(|known| !same(known));
            if withdrawn {
                self.say(format!("“{name}” is withdrawn"));
            } else {
                self.say(format!("kept with the store as “{name}”; : and & offer it"));
                self.named.all.push(named);
                self.named.all.sort_by(|a, b| a.name.cmp(&b.name));
            }
        }
    }
}

/// Keep an expression under a name, or withdraw it.
#[derive(Clone, Debug, PartialEq)]
struct SaveNamed {
    named: NamedTasks,
    withdrawn: bool,
    author: String,
}

impl Query for SaveNamed {
    type Answer = Result<(), String>;
    const LANE: Lane = Lane::Annotate;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let (named, author, now) = (&self.named, &self.author, super::votes::now());
        let saved = if self.withdrawn {
            worker.store.withdraw_named(named.kind, &named.name, author, now)
        } else {
            worker.store.keep_named(named, author, now)
        };
        send(saved.map_err(|error| error.to_string()));
    }
}
