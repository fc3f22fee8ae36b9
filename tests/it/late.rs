//! Answers that come late, or are overtaken: the app ends with what was asked for last, and never
//! waits for what nobody is doing.

use std::collections::VecDeque;

use qualm::app::jobs::{Pending, Reply, Request, Worker};
use qualm::app::keymap::parse_keys;
use qualm::app::{App, Config, Effect, Input, View};
use qualm::metrics::bootstrap::Resampling;
use qualm::store::Store;
use qualm::theme::Theme;

use crate::explorer::demo;

/// An explorer whose jobs are done only when the test says so; in a lane only the newest is.
struct Slow {
    app: App,
    worker: Worker,
    left: VecDeque<Request>,
}

impl Slow {
    fn new(view: View) -> Self {
        let store = Store::open(demo()).expect("a store");
        let app = App::new(&store, view, &Config::default(), Theme::plain());
        let worker = Worker::new(store, Resampling { resamples: 5, seed: 0 });
        let mut own = Self { app, worker, left: VecDeque::new() };
        let effects = own.app.start();
        own.take(effects);
        own
    }

    fn opened() -> Self {
        let mut own = Self::new(View::default());
        own.settle();
        own
    }

    fn take(&mut self, effects: Vec<Effect>) {
        self.left.extend(effects.into_iter().filter_map(|effect| match effect {
            Effect::Job(request) => Some(*request),
            _ => None,
        }));
    }

    /// Presses keys; nothing that they ask for is done yet.
    fn press(&mut self, keys: &str) {
        for key in parse_keys(keys).expect("keys") {
            let effects = self.app.handle(&Input::Key(key));
            self.take(effects);
        }
    }

    /// Does what is left to do.
    fn settle(&mut self) {
        while let Some(request) = self.left.pop_front() {
            if self.left.iter().any(|newer| newer.lane() == request.lane()) {
                continue;
            }
            let mut replies: Vec<Reply> = Vec::new();
            self.worker.perform(request, &mut |reply| {
                replies.push(reply);
                true
            });
            for reply in replies {
                let effects = self.app.receive(reply);
                self.take(effects);
            }
        }
        assert!(!self.app.is_waiting(), "nothing is on its way, and nothing is waited for");
    }

    /// Values of the grid whose interval nobody computes any more.
    fn waiting(&self) -> usize {
        let app = &self.app;
        let places = app
            .grid_scorers()
            .into_iter()
            .flat_map(|scorer| (0..app.columns.len()).map(move |cell| (scorer.clone(), cell)));
        places
            .filter(|(scorer, cell)| {
                let numbers = &app.data.numbers;
                numbers.row(scorer).is_none()
                    || numbers.interval(scorer, *cell) == Pending::Waiting
                    || (app.pinned().is_some() && numbers.paired(scorer, *cell) == Pending::Waiting)
            })
            .count()
    }
}

#[test]
fn every_interval_comes_whatever_was_switched_meanwhile() {
    let mut own = Slow::opened();
    assert_eq!(own.waiting(), 0);
    // Metrics to and fro, pins on and off, screens in between, answers at every stage or at none.
    for keys in
        ["mM", "mmmmmm", "m", "M", "p", "p", "pp", "ppp", "4", "1", "p414", "1", "ajjA", "p"]
    {
        own.press(keys);
        own.settle();
        if own.app.screen == qualm::app::Screen::Grid {
            assert_eq!(own.waiting(), 0, "after {keys}");
        }
    }
    own.press("mpMj");
    own.press("&turns > 2<Enter>m");
    own.settle();
    assert_eq!(own.waiting(), 0);
}

#[test]
fn a_table_that_is_about_to_go_is_not_acted_on() {
    let mut own = Slow::opened();
    own.press("2");
    own.settle();
    own.press("lj");
    assert_eq!(own.app.cell, 1, "the old rows do not take the cell back");
    own.settle();
    assert_eq!(own.app.task.map(|id| id.cell), Some(1));
    own.press("a");
    assert!(own.app.current_table().is_none(), "scores of another scorer are not these");
    own.settle();
    assert!(own.app.current_table().is_some());
}

#[test]
fn a_search_reaches_its_hit_though_enter_came_first() {
    let mut own = Slow::opened();
    own.press("2v");
    own.settle();
    own.press("/issue_travel_credit<Enter>");
    assert!(!own.app.is_hit(own.app.task.expect("a task")));
    own.settle();
    assert!(own.app.is_hit(own.app.task.expect("a task")));
    own.press("/<Ctrl-u>zzzzzz<Enter>");
    own.settle();
    assert_eq!(own.app.notice.as_deref(), Some("nothing holds “zzzzzz”"));
}

#[test]
fn runs_that_were_passed_over_are_read_when_one_comes_back() {
    let mut own = Slow::opened();
    own.press("2");
    own.settle();
    own.press("jjjk");
    own.settle();
    assert!(own.app.run().is_some());
    own.press("jk");
    own.settle();
    assert!(own.app.run().is_some());
    own.press("<Enter>G");
    own.settle();
    let turns = own.app.run().expect("a run").turns.len();
    own.press("<Tab><Tab><Tab><Tab>G<Tab>");
    own.settle();
    assert!(own.app.compare.turn < own.app.run().expect("a run").turns.len().max(turns));
    own.press("&task = 'nowhere'<Enter>");
    own.settle();
    assert_eq!(own.app.task, None, "no task, and no waiting for its text");
}

#[test]
fn runs_that_come_while_another_screen_is_open_are_there_later() {
    let mut own = Slow::opened();
    own.press("2");
    own.settle();
    own.press("<Enter>1");
    own.settle();
    own.press("3");
    own.settle();
    assert!(own.app.comparison().is_some(), "read, not waited for");
}

#[test]
fn judges_and_treatments_that_are_overtaken_leave_the_last_one() {
    let mut own = Slow::opened();
    let first = own.app.data.engine().expect("loaded").judge();
    own.press("JSJSS");
    own.settle();
    let engine = own.app.data.engine().expect("loaded");
    assert_eq!(engine.judge(), own.app.lens.judge.clone().or(first));
    assert_eq!(engine.stuck_treatment(), own.app.lens.stuck);
    assert_eq!(own.waiting(), 0, "and the grid is whole again");
    own.press("6");
    own.press("v>>v7<6");
    own.settle();
    let (key, _) = own.app.data.stuck.as_ref().expect("counted");
    assert_eq!((key.cell, &key.scope), (own.app.cell, &own.app.scope()));
    own.press("7&turns > 8<Enter>");
    own.settle();
    let (key, _) = own.app.data.judges.as_ref().expect("compared");
    assert_eq!(key.filter.source, "turns > 8");
}

#[test]
fn leaving_while_it_loads_forgets_nothing() {
    let view = View { task: Some("3".to_owned()), sort: Some("ter".to_owned()), ..View::default() };
    let own = Slow::new(view.clone());
    assert_eq!(own.app.view(), view);
}
