//! Answers that come late or are superseded: the app ends with the newest question's answer, and never
//! waits for one that nobody computes.

use std::collections::VecDeque;
use std::path::Path;

use qualm::metrics::bootstrap::Resampling;
use qualm::model::Trajectory;
use qualm::store::Store;
use qualm::ui::effects::Effect;
use qualm::ui::keymap::parse_keys;
use qualm::ui::query::{Job, Worker};
use qualm::ui::shared::{Pending, RunKey};
use qualm::ui::theme::Theme;
use qualm::ui::{App, Config, Input, Screen, View};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use serde_json::json;

use crate::explorer::{demo, made, view};

/// An explorer whose jobs run only when the test says so; of a lane, only the newest runs.
struct Slow {
    app: App,
    worker: Worker,
    left: VecDeque<Job>,
}

impl Slow {
    fn new(view: View) -> Self {
        Self::of(demo(), view, &Config::default())
    }

    fn of(path: &Path, view: View, config: &Config) -> Self {
        let store = Store::open(path).expect("a store");
        let app = App::new(&store, view, config, Theme::plain());
        let worker = Worker::new(store, Resampling { resamples: 5, seed: 0 });
        let mut slow = Self { app, worker, left: VecDeque::new() };
        let effects = slow.app.start();
        slow.take(effects);
        slow
    }

    fn opened() -> Self {
        let mut slow = Self::new(View::default());
        slow.settle();
        slow
    }

    fn take(&mut self, effects: Vec<Effect>) {
        self.left.extend(effects.into_iter().filter_map(|effect| match effect {
            Effect::Job(job) => Some(job),
            _ => None,
        }));
    }

    /// Presses keys without running the jobs that they start.
    fn press(&mut self, keys: &str) {
        for key in parse_keys(keys).expect("keys") {
            let effects = self.app.handle(&Input::Key(key));
            self.take(effects);
        }
    }

    /// Runs the next waiting job; says whether there was one.
    fn step(&mut self) -> bool {
        let Some(job) = self.left.pop_front() else { return false };
        if !self.left.iter().any(|newer| newer.lane() == job.lane()) {
            job.perform(&self.worker, &mut || true);
            let effects = self.app.answered();
            self.take(effects);
        }
        true
    }

    /// Runs all waiting jobs.
    fn settle(&mut self) {
        while self.step() {}
        assert!(!self.app.is_waiting(), "nothing is on its way, and nothing is waited for");
    }

    /// Whether all that is drawn of the open screen is dimmed.
    fn is_dimmed(&self) -> bool {
        let area = Rect::new(0, 0, 120, 40);
        let mut buffer = Buffer::empty(area);
        qualm::ui::draw_on(&mut buffer, area, &self.app);
        let body = (4..39).flat_map(|row| (0..120).map(move |column| (column, row)));
        // Text on a reversed ground is never dimmed, since it would not be legible.
        let either = Modifier::DIM | Modifier::REVERSED;
        let dim = |at: (u16, u16)| buffer[at].modifier.intersects(either);
        let written: Vec<(u16, u16)> = body.filter(|at| buffer[*at].symbol() != " ").collect();
        assert!(written.len() > 100, "there are old rows");
        written.into_iter().all(dim)
    }

    /// The first line of the open screen, and whether its beginning is dimmed.
    fn first_line(&self) -> (String, bool) {
        let area = Rect::new(0, 0, 120, 40);
        let mut buffer = Buffer::empty(area);
        qualm::ui::draw_on(&mut buffer, area, &self.app);
        let line: String = (0..120).map(|column| buffer[(column, 2)].symbol()).collect();
        (line, buffer[(1, 2)].modifier.contains(Modifier::DIM))
    }

    fn is_on_hit(&self) -> bool {
        let task = self.app.shared.task.expect("a task");
        self.app.screens.tasks.search.is_hit(task, &self.app.shared)
    }

    /// The run that the open screen shows first, or has the focus.
    fn run(&self) -> Option<&Trajectory> {
        let shared = &self.app.shared;
        if self.app.screen == Screen::Compare {
            return self.app.screens.compare.panel.run(shared);
        }
        let id = shared.task?;
        let draw = shared.task_of(id)?.draw_numbers().next()?;
        shared.runs.get(RunKey { id, draw })?.ready().map(|opened| &opened.run)
    }

    /// The number of grid values whose interval is missing and not being computed.
    fn waiting(&self) -> usize {
        let app = &self.app;
        let shown =
            app.shared.scorers().into_iter().flat_map(|scorer| {
                (0..app.shared.cells.len()).map(move |cell| (scorer.clone(), cell))
            });
        shown
            .filter(|(scorer, cell)| {
                let numbers = &app.shared.numbers;
                numbers.row(scorer).is_none()
                    || numbers.interval(scorer, *cell) == Pending::Waiting
                    || (app.shared.lens.pinned.is_some()
                        && numbers.difference(scorer, *cell) == Pending::Waiting)
            })
            .count()
    }
}

#[test]
fn every_interval_arrives_whatever_was_switched_meanwhile() {
    let mut slow = Slow::opened();
    assert_eq!(slow.waiting(), 0);
    // Metrics back and forth, pins on and off, other screens, answers at every stage or at none.
    for keys in
        ["mM", "mmmmmm", "m", "M", "p", "p", "pp", "ppp", "4", "1", "p414", "1", "ajjA", "p"]
    {
        slow.press(keys);
        slow.settle();
        if slow.app.screen == Screen::Grid {
            assert_eq!(slow.waiting(), 0, "after {keys}");
        }
    }
    slow.press("mPMj");
    slow.press("&turns > 2<Ctrl-s><Enter>m");
    slow.settle();
    assert_eq!(slow.waiting(), 0);
}

#[test]
fn an_outdated_table_is_not_used() {
    let mut slow = Slow::opened();
    slow.press("2");
    slow.settle();
    slow.press("lj");
    assert_eq!(slow.app.shared.cell, 1, "the old rows do not take the cell back");
    slow.settle();
    assert_eq!(slow.app.shared.task.map(|id| id.cell), Some(1));
    slow.press("a");
    assert!(slow.app.shared.current_table().is_none(), "scores of another scorer are not these");
    slow.settle();
    assert!(slow.app.shared.current_table().is_some());
}

#[test]
fn a_search_jumps_to_its_hit_even_if_enter_came_first() {
    let mut slow = Slow::opened();
    slow.press("2v");
    slow.settle();
    slow.press("/issue_travel_credit<Enter>");
    assert!(!slow.is_on_hit());
    slow.settle();
    assert!(slow.is_on_hit());
    slow.press("/<Ctrl-u>zzzzzz<Enter>");
    slow.settle();
    assert_eq!(slow.app.shared.notice.as_deref(), Some("nothing contains “zzzzzz”"));
}

#[test]
fn skipped_runs_are_read_when_selected_again() {
    let mut slow = Slow::opened();
    slow.press("2");
    slow.settle();
    slow.press("jjjk");
    slow.settle();
    assert!(slow.run().is_some());
    slow.press("jk");
    slow.settle();
    assert!(slow.run().is_some());
    slow.press("<Enter>G");
    slow.settle();
    let turns = slow.run().expect("a run").turns.len();
    slow.press("<Tab><Tab><Tab><Tab>G<Tab>");
    slow.settle();
    assert!(
        slow.app.screens.compare.panel.turn < slow.run().expect("a run").turns.len().max(turns)
    );
    slow.press("&task = 'nowhere'<Enter>");
    slow.settle();
    assert_eq!(slow.app.shared.task, None, "no task, and no waiting for its text");
}

#[test]
fn runs_that_arrive_on_another_screen_are_kept() {
    let mut slow = Slow::opened();
    slow.press("2");
    slow.settle();
    slow.press("<Enter>1");
    slow.settle();
    slow.press("3");
    slow.settle();
    assert!(
        slow.app.screens.compare.panel.comparison(&slow.app.shared).is_some(),
        "read, not waited for"
    );
}

#[test]
fn the_last_judge_and_treatment_win() {
    let mut slow = Slow::opened();
    let first = slow.app.shared.engine().expect("loaded").judge();
    slow.press("JSJSS");
    slow.settle();
    let engine = slow.app.shared.engine().expect("loaded");
    assert_eq!(engine.judge(), slow.app.shared.lens.judge.clone().or(first));
    assert_eq!(engine.stuck_treatment(), slow.app.shared.lens.stuck);
    assert_eq!(slow.waiting(), 0, "and the grid is whole again");
    slow.press("6");
    slow.press("v>>v7<6");
    slow.settle();
    assert!(slow.app.screens.stuck.numbers(&slow.app.shared).is_some(), "of these cells");
    slow.press("7&turns > 8<Ctrl-s><Enter>");
    slow.settle();
    assert_eq!(slow.app.shared.kept().expect("in scope").key.source, "turns > 8");
    assert!(slow.app.screens.judges.numbers(&slow.app.shared).is_some(), "of these tasks");
}

#[test]
fn the_view_is_kept_when_leaving_while_loading() {
    let view = view(json!({"task": "3", "sort": "ter"}));
    let slow = Slow::new(view.clone());
    assert_eq!(slow.app.view(), view);
}

#[test]
fn old_rows_are_dimmed_until_new_ones_come() {
    for (screen, changes) in [
        ("1", &["J", "&turns > 2<Ctrl-s><Enter>"][..]),
        ("2", &["a", "l", "f", "&<Ctrl-u>turns > 2<Ctrl-s><Enter>"]),
        ("4", &["a", "f", "&<Ctrl-u>turns > 2<Ctrl-s><Enter>"]),
        ("6", &[">", "v", "m", "J", "&turns > 2<Ctrl-s><Enter>"]),
        ("7", &["m", "J", "&turns > 2<Ctrl-s><Enter>"]),
    ] {
        let mut slow = Slow::opened();
        slow.press(screen);
        slow.settle();
        assert!(!slow.is_dimmed(), "{screen}: all is there");
        for change in changes {
            slow.press(change);
            assert!(slow.is_dimmed(), "{screen}{change}: the old rows");
            slow.settle();
            assert!(!slow.is_dimmed(), "{screen}{change}: the new rows");
        }
    }
}

/// How many pairs are done stands dimmed from the vote until the queue is counted anew.
#[test]
fn the_count_of_done_pairs_is_dimmed_until_the_new_one_comes() {
    let (_home, path) = made(4);
    let config = Config { author: Some("ada".to_owned()), ..Config::default() };
    let mut slow = Slow::of(&path, View::default(), &config);
    slow.settle();
    slow.press("7");
    slow.settle();
    slow.press("<Enter>");
    slow.settle();
    let (line, dimmed) = slow.first_line();
    assert!(line.starts_with(" 0 of ") && line.contains("done by ada") && !dimmed, "{line}");
    slow.press("=");
    let mut seen = Vec::new();
    while slow.step() {
        let (line, dimmed) = slow.first_line();
        assert!(line.contains("done by ada"), "{line}");
        seen.push(dimmed);
    }
    assert!(seen.contains(&true), "old while the new one is on its way");
    let (line, dimmed) = slow.first_line();
    assert!(line.starts_with(" 1 of ") && !dimmed, "{line}");
}
