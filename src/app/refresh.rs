//! What the open screen needs and does not have is asked for.

use std::sync::Arc;

use super::App;
use super::action::Screen;
use super::data::{Found, Load};
use super::jobs::{FilterKey, JudgesKey, Lane, LensKey, NumbersKey, Request, RunKey, StuckKey};
use crate::engine::{Column, Kept};
use crate::filter::Filter;
use crate::scorers::Scorer;

impl App {
    /// Asks for what the screen lacks. Called after every change.
    pub(super) fn refresh(&mut self) {
        self.follow_scorer();
        if self.data.engine().is_none() {
            return;
        }
        self.refresh_engine();
        self.find_outside();
        let Some(kept) = self.refresh_filter() else { return };
        match self.screen {
            Screen::Cells => {}
            Screen::Grid => self.refresh_numbers(&kept, &self.grid_scorers()),
            // In a comparison the table says which task comes next.
            Screen::Tasks | Screen::Compare | Screen::Read => self.refresh_table(&kept),
            Screen::Aggregators => {
                self.refresh_numbers(&kept, &self.rule_scorers());
                self.refresh_table(&kept);
            }
            Screen::Stuck => self.refresh_stuck(&kept),
            Screen::Judges | Screen::Triage => self.refresh_judges(&kept),
        }
        self.refresh_runs();
        self.refresh_search();
    }

    /// Whether numbers of the open screen are on their way.
    pub fn is_waiting(&self) -> bool {
        let lanes =
            [Lane::Filter, Lane::Points, Lane::Table, Lane::Lens, Lane::Stuck, Lane::Judges];
        lanes.iter().any(|lane| self.data.asked.contains_key(lane))
    }

    /// The engine under the judge and the treatment of the lens, with all votes.
    fn refresh_engine(&mut self) {
        let Some(engine) = self.data.engine().cloned() else { return };
        let key = LensKey {
            judge: self.lens.judge.clone().or_else(|| self.data.lens.judge.clone()),
            stuck: self.lens.stuck,
            votes: self.data.votes.len(),
        };
        if key != self.data.lens && self.data.ask(Lane::Lens, format!("{key:?}")) {
            let votes = Arc::new(self.data.votes.clone());
            self.ask(Request::Lens { key, engine, votes });
        }
    }

    fn refresh_stuck(&mut self, kept: &Arc<Kept>) {
        let Some((filter, _)) = &self.data.kept else { return };
        let (filter, metric) = (filter.clone(), self.lens.metric);
        let key = StuckKey { filter, scope: self.scope(), cell: self.cell, metric };
        // A finished answer stays; one that still comes in parts is asked for once.
        if self.data.stuck.as_ref().is_some_and(|(own, _)| *own == key) {
            return;
        }
        if self.data.ask(Lane::Stuck, format!("{key:?}")) {
            self.ask(Request::Stuck { key: Box::new(key), kept: kept.clone() });
        }
    }

    fn refresh_judges(&mut self, kept: &Arc<Kept>) {
        let Some((filter, _)) = &self.data.kept else { return };
        let key = JudgesKey { filter: filter.clone(), metric: self.lens.metric };
        if self.data.judges.as_ref().is_some_and(|(own, _)| *own == key) {
            return;
        }
        if self.data.ask(Lane::Judges, format!("{key:?}")) {
            let author = self.author.clone();
            self.ask(Request::Judges { key, kept: kept.clone(), author });
        }
    }

    /// The filter with what it depends on.
    fn filter_key(&self, filter: &Filter) -> FilterKey {
        let Some(engine) = self.data.engine() else { return FilterKey::default() };
        let columns = engine.columns();
        let follows = filter.columns().iter().any(|&place| columns[place].follows_scorer());
        let scorer = || {
            let query = self.task_query();
            let moved = filter.columns().iter().any(|&place| columns[place] == Column::Moved);
            let before = query.before.filter(|_| moved).map(|own| own.to_string());
            (query.scorer.to_string(), before)
        };
        let version = self.data.version;
        let noted = filter.columns().iter().any(|&place| columns[place] == Column::Note);
        let notes = if noted { self.data.note_count() } else { 0 };
        FilterKey {
            notes,
            source: filter.source().to_owned(),
            scorer: follows.then(scorer),
            version,
        }
    }

    /// The kept tasks, once they answer the filter.
    fn refresh_filter(&mut self) -> Option<Arc<Kept>> {
        let engine = self.data.engine()?.clone();
        if self.lens.filter.is_empty() {
            let all = FilterKey { version: self.data.version, ..FilterKey::default() };
            if self.data.kept.as_ref().is_none_or(|(key, _)| *key != all) {
                self.data.kept = Some((all, Arc::new(Kept::all(engine))));
            }
            return self.data.kept.as_ref().map(|(_, kept)| kept.clone());
        }
        let filter = Filter::parse(&self.lens.filter, &engine.fields()).ok()?;
        let key = self.filter_key(&filter);
        if let Some((known, kept)) = &self.data.kept
            && *known == key
        {
            return Some(kept.clone());
        }
        if self.data.ask(Lane::Filter, format!("{key:?}")) {
            let query = Box::new(self.task_query());
            let noted = self.data.noted.clone();
            self.ask(Request::Filter { key, engine, filter, query, noted });
        }
        None
    }

    fn refresh_numbers(&mut self, kept: &Arc<Kept>, scorers: &[Scorer]) {
        let Some((filter, _)) = self.data.kept.as_ref().filter(|_| !self.columns.is_empty()) else {
            return;
        };
        let key = NumbersKey { filter: filter.clone(), metric: self.lens.metric };
        let pinned = self.pinned().cloned();
        if self.data.numbers.ask(&key, pinned.as_ref()) {
            // What was on its way answers another question, so this one is new.
            self.data.asked.remove(&Lane::Points);
            self.data.asked.remove(&Lane::Intervals);
        }
        let missing: Vec<Scorer> =
            scorers.iter().filter(|own| self.data.numbers.row(own).is_none()).cloned().collect();
        if !missing.is_empty() {
            let names: Vec<String> = missing.iter().map(ToString::to_string).collect();
            if self.data.ask(Lane::Points, format!("{key:?} {names:?}")) {
                self.ask(Request::Points { key, kept: kept.clone(), scorers: missing });
            }
            return;
        }
        // The selected cell first: its interval is the one that is read.
        let mut cells: Vec<usize> = vec![self.cell];
        cells.extend((0..self.columns.len()).filter(|cell| *cell != self.cell));
        cells.retain(|cell| self.data.numbers.lacks_intervals(scorers, *cell));
        if cells.is_empty() {
            return;
        }
        let names: Vec<String> = scorers.iter().map(ToString::to_string).collect();
        // Cells come in one after the other: the question stays the same meanwhile.
        if self.data.ask(Lane::Intervals, format!("{key:?} {names:?} {pinned:?}")) {
            let (kept, scorers) = (kept.clone(), scorers.to_vec());
            self.ask(Request::Intervals { key, kept, scorers, pinned, cells });
        }
    }

    fn refresh_table(&mut self, kept: &Arc<Kept>) {
        let Some((filter, _)) = &self.data.kept else { return };
        let Some(engine) = self.data.engine().cloned() else { return };
        let key = self.table_key(filter.clone());
        if self.data.table.as_ref().is_some_and(|(own, _)| *own == key) {
            return;
        }
        if self.data.ask(Lane::Table, format!("{key:?}")) {
            let query = Box::new(self.task_query());
            let (kept, noted) = (kept.clone(), self.data.noted.clone());
            self.ask(Request::Table { key, engine, kept, query, noted });
        }
    }

    /// The texts of the runs that are looked at.
    fn refresh_runs(&mut self) {
        let keys = self.run_keys();
        if keys.iter().all(|key| self.data.runs.get(*key).is_some()) {
            return;
        }
        if self.data.ask(Lane::Runs, format!("{keys:?}")) {
            self.data.runs.keep(&keys);
            let row = |key: &RunKey| Some((*key, self.task_of(key.id)?.row_of(key.draw)?));
            let missing = keys.iter().filter(|key| self.data.runs.get(**key).is_none());
            let missing: Vec<(RunKey, u32)> = missing.filter_map(row).collect();
            for (key, _) in &missing {
                self.data.runs.set(*key, Load::Waiting);
            }
            self.ask(Request::Runs(missing));
        }
    }

    fn refresh_search(&mut self) {
        let words = self.tasks.search.trim().to_lowercase();
        if words.is_empty() {
            self.data.found = None;
            self.data.asked.remove(&Lane::Search);
        } else if self.data.ask(Lane::Search, words.clone()) {
            self.data.found = Some(Found { words: words.clone(), ..Found::default() });
            self.ask(Request::Search { words });
        }
    }

    pub(super) fn set_filter(&mut self, text: &str) {
        let text = text.trim();
        if let Some(engine) = self.data.engine().filter(|_| !text.is_empty())
            && let Err(error) = Filter::parse(text, &engine.fields())
        {
            self.say(error.message);
            return;
        }
        text.clone_into(&mut self.lens.filter);
    }
}
