//! What comes back from jobs is taken in.

use std::collections::{HashMap, HashSet};

use super::App;
use super::data::Load;
use super::jobs::{Lane, LensKey, Reply};
use crate::text::visible;

impl App {
    pub(super) fn take(&mut self, reply: Reply) {
        match reply {
            Reply::Loaded(Ok(loaded)) => {
                self.data.set_notes(loaded.notes.clone());
                self.data.loaded = Load::Ready(loaded);
                self.loaded();
            }
            Reply::Loaded(Err(error)) => self.data.loaded = Load::Failed(error),
            Reply::Filtered(key, kept) => {
                self.data.asked.remove(&Lane::Filter);
                self.data.kept = Some((key, kept));
            }
            Reply::Lens(key, engine) => {
                self.data.asked.remove(&Lane::Lens);
                self.data.set_engine(key, engine);
            }
            Reply::Run(key, run) => {
                self.data.asked.remove(&Lane::Runs);
                self.data.runs.answer(key, run.map_or_else(Load::Failed, Load::Ready));
            }
            Reply::Found { words, rows, asks, done } => self.found(&words, rows, asks, done),
            Reply::Voted { number, pair, vote, saved } => self.voted(number, pair, *vote, saved),
            Reply::Noted(id, note, saved) => self.noted(id, *note, saved),
            Reply::Exported(Ok(path)) => {
                let shown = path.display().to_string();
                self.notice = Some(format!("written: {}", visible(&shown)));
            }
            Reply::Exported(Err(error)) | Reply::Failed(error) => {
                self.notice = Some(visible(&error).into_owned());
            }
            numbers => self.take_numbers(numbers),
        }
    }

    /// The numbers of a screen.
    fn take_numbers(&mut self, reply: Reply) {
        let data = &mut self.data;
        match reply {
            Reply::Points(key, values) if data.numbers.key.as_ref() == Some(&key) => {
                data.asked.remove(&Lane::Points);
                data.numbers.add_values(values);
            }
            Reply::Intervals { key, pinned, cell, intervals } => {
                let numbers = &mut data.numbers;
                if numbers.key.as_ref() == Some(&key) && numbers.pinned == pinned {
                    numbers.add_intervals(cell, intervals);
                }
            }
            Reply::Table(key, table) => {
                data.asked.remove(&Lane::Table);
                if self.table_key(key.filter.clone()) == key {
                    self.data.table = Some((key, table));
                    // A pair that is looked at stays, whatever the table holds.
                    if !self.is_triaging() {
                        self.keep_task();
                    }
                }
            }
            Reply::Stuck(key, view) => {
                data.asked.remove(&Lane::Stuck);
                self.stuck.place = self.stuck.place.min(view.list.len().saturating_sub(1));
                data.stuck = Some((key, view));
            }
            Reply::Judges(key, view) => {
                data.asked.remove(&Lane::Judges);
                let last = view.triage.items.len().saturating_sub(1);
                self.judges.place = self.judges.place.min(last);
                data.judges = Some((key, view));
            }
            _ => {}
        }
    }

    /// Runs and tasks that a search found, part by part.
    fn found(
        &mut self,
        words: &str,
        rows: Vec<u32>,
        asks: HashMap<String, HashSet<String>>,
        done: f64,
    ) {
        let Some(found) = self.data.found.as_mut().filter(|own| own.words == words) else { return };
        found.rows.extend(rows);
        found.asks.extend(asks);
        found.done = done;
        // The first hit is gone to as soon as it is known.
        if self.tasks.seeking {
            self.first_hit();
        }
        if self.tasks.seeking && done >= 1.0 && self.overlays.is_empty() {
            self.say(format!("nothing holds “{}”", visible(words)));
        }
    }

    /// The store is read: what the view names can be found now.
    fn loaded(&mut self) {
        let Some(engine) = self.data.engine().cloned() else { return };
        let key = LensKey {
            judge: engine.judge(),
            stuck: engine.stuck_treatment(),
            votes: engine.votes().len(),
        };
        (self.data.lens, self.data.votes) = (key, engine.votes().to_vec());
        let judged = engine.consistency_ids().iter().position(|own| own == "ter");
        // What the paper asks first: how far failures agree, by a judge.
        (self.stuck.row, self.stuck.column) = (judged.unwrap_or(0), 2);
        let before = self.columns.get(self.cell).cloned();
        self.columns = engine.frames().iter().map(|frame| frame.cell.clone()).collect();
        let place = before.and_then(|own| self.columns.iter().position(|cell| *cell == own));
        self.cell = place.unwrap_or(0);
        self.find_wanted();
        self.lens.remember();
        self.keep_rule();
        self.settle_panes();
    }
}
