//! Search in ids, instructions and all texts. Texts are searched in the background, part by part.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::compare::usual_draws;
use crate::engine::TaskId;
use crate::text::{counted, holds, visible};
use crate::ui::query::{Asked, Lane, Query, Worker};
use crate::ui::screens::Target;
use crate::ui::shared::Shared;

/// A search, and what it found.
#[derive(Debug, Default)]
pub struct Search {
    /// The words.
    pub words: String,
    /// The selection goes to the first hit as soon as it is found.
    pub(super) seeking: bool,
    /// The words are final, and what they find is still to be said.
    typed: bool,
    /// The row that the search goes out from.
    from: usize,
    found: Found,
    asked: Asked<SearchQuery>,
}

/// What was found in the texts.
#[derive(Debug, Default)]
struct Found {
    /// Rows of the runs that hold the words.
    rows: BTreeSet<u32>,
    /// Tasks whose instructions hold them, by dataset.
    instructions: HashMap<String, HashSet<String>>,
    /// Share of the texts that was searched.
    done: f64,
}

impl Search {
    /// Whether anything is searched for.
    pub(super) fn is_on(&self) -> bool {
        !self.words.is_empty()
    }

    /// Searches for nothing any more.
    pub(super) fn clear(&mut self) {
        self.words.clear();
    }

    /// Searches for the same in another reading of the store.
    pub(super) fn renew(&mut self) {
        self.asked.forget();
        self.found = Found::default();
    }

    /// Begins to search from the selected row; returns the words so far.
    pub(super) fn begin(&mut self, shared: &Shared) -> &str {
        self.from = shared.tasks.index;
        &self.words
    }

    /// Every letter searches anew from where the search began.
    pub(super) fn type_words(&mut self, words: &str, done: bool, shared: &mut Shared) {
        words.clone_into(&mut self.words);
        (self.seeking, self.typed) = (true, done);
        shared.select_task(self.from);
        self.first_hit(shared);
    }

    /// The share of the texts that was searched.
    pub fn done(&self) -> f64 {
        self.found.done
    }

    /// Asks for the texts that hold the words, and takes in what was found.
    pub(super) fn refresh(&mut self, shared: &mut Shared) {
        if shared.engine().is_none() {
            return;
        }
        let words = self.words.trim().to_lowercase();
        if words.is_empty() {
            self.asked.forget();
            self.found = Found::default();
            return;
        }
        let parts = self.asked.take();
        if self.asked.question().is_some_and(|asked| asked.words == words) {
            parts.into_iter().for_each(|part| self.take_part(part, shared));
        }
        if self.asked.want(SearchQuery { words }, &mut shared.effects) {
            self.found = Found::default();
        }
        // A table that came since may hold what is sought.
        if self.seeking && shared.current_table().is_some() {
            self.first_hit(shared);
        }
        // Once everything is searched, the result is said; the rows that fit are coloured anyway.
        if self.typed && self.found.done >= 1.0 && shared.current_table().is_some() {
            self.typed = false;
            let said = if self.seeking {
                format!("nothing contains “{}”", visible(self.words.trim()))
            } else {
                self.hits_in_words(shared)
            };
            self.seeking = false;
            shared.say(said);
        }
    }

    fn take_part(&mut self, part: Result<Part, String>, shared: &mut Shared) {
        match part {
            Ok(part) => {
                self.found.rows.extend(part.rows);
                self.found.instructions.extend(part.instructions);
                self.found.done = part.done;
            }
            Err(error) => {
                (self.found.done, self.seeking) = (1.0, false);
                shared.say(visible(&error));
            }
        }
    }

    /// Whether a task fits the search: by id, by its instruction, or by a text of one of its draws.
    pub fn is_hit(&self, id: TaskId, shared: &Shared) -> bool {
        let words = self.words.trim();
        if words.is_empty() {
            return false;
        }
        let Some(task) = shared.task_of(id) else { return false };
        if holds(&task.id, words) {
            return true;
        }
        let dataset = &shared.cells[id.cell as usize].dataset;
        let instructions = self.found.instructions.get(dataset);
        let rows = task.row..task.row + task.draws() as u32;
        instructions.is_some_and(|tasks| tasks.contains(&task.id))
            || self.found.rows.range(rows).next().is_some()
    }

    /// What opens a task: with the words, where a text of one of its draws holds them.
    pub(super) fn opened(&self, id: TaskId, shared: &Shared) -> Target {
        let words = self.words.trim();
        let task = shared.task_of(id).filter(|_| !words.is_empty());
        let draws: Vec<(u32, Option<bool>)> = task.map_or(Vec::new(), |task| {
            task.draw_numbers().map(|draw| (draw, task.outcome(draw))).collect()
        });
        let holds = |draw: &u32| {
            let row = task.and_then(|task| task.row_of(*draw));
            row.is_some_and(|row| self.found.rows.contains(&row))
        };
        let Some(first) = draws.iter().map(|(draw, _)| *draw).find(holds) else {
            return Target::Task(id, None);
        };
        let is_usual = usual_draws(&draws).iter().any(holds);
        Target::Found(id, (!is_usual).then_some(first), words.to_owned())
    }

    /// Selects what is searched for: the task of that very id, else the next row that fits.
    fn first_hit(&mut self, shared: &mut Shared) {
        let words = self.words.trim();
        let Some(table) = shared.current_table().cloned().filter(|_| !words.is_empty()) else {
            return;
        };
        let named = |id: &TaskId| {
            shared.task_of(*id).is_some_and(|task| task.id.eq_ignore_ascii_case(words))
        };
        if shared.task.is_some_and(|id| named(&id)) {
            self.seeking = false;
        } else if let Some(index) = table.rows.iter().position(named) {
            self.seeking = false;
            shared.select_task(index);
        } else {
            self.next_hit(true, true, shared);
            // Texts come in part by part: a later one may hold it.
            self.seeking = !shared.task.is_some_and(|id| self.is_hit(id, shared));
        }
    }

    /// Selects the next row that fits the search, going round; says whether there is one.
    fn next_hit(&self, forwards: bool, from_here: bool, shared: &mut Shared) -> bool {
        let Some(table) = shared.current_table().cloned() else { return false };
        let (count, index) = (table.rows.len(), shared.tasks.index);
        let first = usize::from(!from_here);
        let stepped = |step: usize| {
            if forwards { (index + step) % count } else { (index + count - step % count) % count }
        };
        let mut steps = (first..count + first).map(stepped);
        let hit = steps.find(|&index| self.is_hit(table.rows[index], shared));
        hit.into_iter().for_each(|index| shared.select_task(index));
        hit.is_some()
    }

    /// Goes to the next or previous hit.
    pub(super) fn step(&mut self, forwards: bool, shared: &mut Shared) {
        let words = self.words.trim();
        if words.is_empty() {
            shared.say("no search yet: / starts one");
        } else if !self.next_hit(forwards, false, shared) {
            let more = if self.found.done >= 1.0 { "" } else { " yet; still searching" };
            shared.say(format!("nothing contains “{words}”{more}"));
        } else {
            let counted = self.hits_in_words(shared);
            shared.say(counted);
        }
    }

    /// How many rows fit the search, and which of them is selected.
    fn hits_in_words(&self, shared: &Shared) -> String {
        let rows = shared.current_table().map_or(&[][..], |table| &table.rows);
        let is_hit = |id: &&TaskId| self.is_hit(**id, shared);
        let before = rows.iter().take(shared.tasks.index + 1).filter(is_hit).count();
        let all = rows.iter().filter(is_hit).count() as u64;
        let words = visible(self.words.trim());
        let more = if self.found.done >= 1.0 { "" } else { " so far" };
        format!("“{words}”: {before} of {}{more}", counted(all, "task"))
    }
}

/// Runs and tasks whose texts hold these words.
#[derive(Clone, PartialEq)]
struct SearchQuery {
    words: String,
}

/// What one part of the texts holds.
struct Part {
    rows: Vec<u32>,
    instructions: HashMap<String, HashSet<String>>,
    done: f64,
}

impl Query for SearchQuery {
    type Answer = Result<Part, String>;
    const LANE: Lane = Lane::Search;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let rows_of = worker.rows();
        let none = HashMap::new;
        let instructions = in_instructions(worker, &self.words);
        if !send(Ok(Part { rows: Vec::new(), instructions, done: 0.0 })) {
            return;
        }
        let mut all = false;
        let searched = worker.store.search(&self.words, &mut |ids, progress| {
            let rows = ids.iter().filter_map(|id| rows_of.get(id).copied()).collect();
            let done = progress.done as f64 / progress.total.max(1) as f64;
            all = progress.done == progress.total;
            send(Ok(Part { rows, instructions: none(), done }))
        });
        match searched {
            Ok(()) if all => {}
            // A store without messages is searched through at once.
            Ok(()) => drop(send(Ok(Part { rows: Vec::new(), instructions: none(), done: 1.0 }))),
            Err(error) => drop(send(Err(error.to_string()))),
        }
    }
}

/// The tasks whose instructions hold the words, by dataset.
fn in_instructions(worker: &Worker, words: &str) -> HashMap<String, HashSet<String>> {
    let mut found: HashMap<String, HashSet<String>> = HashMap::new();
    let all = worker.instructions().iter();
    for ((dataset, task), _) in all.filter(|(_, text)| text.to_lowercase().contains(words)) {
        found.entry(dataset.clone()).or_default().insert(task.clone());
    }
    found
}
