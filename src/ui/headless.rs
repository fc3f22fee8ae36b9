//! The explorer without a terminal, for pictures and tests: the same app, with every question answered
//! at once.

use std::collections::VecDeque;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::app::App;
use super::effects::Effect;
use super::frame::{draw_on, picture};
use super::input::Input;
use super::query::Worker;
use super::renewal::Renewal;
use super::scoring::ScoringNews;
use super::shared::FileContent;
use crate::store::Store;
use crate::watch::News;

/// An app with a screen of some size.
#[derive(Debug)]
pub struct Headless {
    /// The app.
    pub app: App,
    /// Columns and rows.
    pub size: (u16, u16),
    /// What was copied, last.
    pub copied: Option<String>,
    /// The arguments of the scoring that was started last; none after it was asked to end.
    pub started: Option<Vec<String>>,
    /// Nothing is written: neither notes and votes nor files.
    pub read_only: bool,
    worker: Arc<Worker>,
}

impl Headless {
    /// Opens the app and answers its first questions.
    pub fn new(worker: Worker, app: App, size: (u16, u16)) -> Self {
        let mut headless = Self {
            app,
            size,
            copied: None,
            started: None,
            read_only: false,
            worker: Arc::new(worker),
        };
        headless.draw();
        let effects = headless.app.start();
        headless.settle(effects);
        headless
    }

    /// The store that questions are answered from.
    pub fn store(&self) -> &Store {
        &self.worker.store
    }

    /// Draws a frame.
    pub fn draw(&mut self) -> Buffer {
        let area = Rect::new(0, 0, self.size.0, self.size.1);
        let mut buffer = Buffer::empty(area);
        let drawn = draw_on(&mut buffer, area, &self.app);
        self.app.drawn(drawn);
        buffer
    }

    /// An event, all it leads to, and the frame after it.
    pub fn input(&mut self, input: &Input) {
        let effects = self.app.handle(input);
        self.settle(effects);
        self.draw();
    }

    /// Takes up what a look at a watched store found.
    pub fn renew(&mut self, news: News) {
        self.app.renew(Renewal::new(news, self.worker.resampling));
        if let Some(worker) = self.app.take_up() {
            self.worker = worker;
        }
        let effects = self.app.answered();
        self.settle(effects);
        self.draw();
    }

    /// Takes up what a scoring reports.
    pub fn scored(&mut self, news: ScoringNews) {
        let effects = self.app.scored(news);
        self.settle(effects);
        self.draw();
    }

    /// Answers questions until none is left.
    fn settle(&mut self, effects: Vec<Effect>) {
        let mut left = VecDeque::from(effects);
        while let Some(effect) = left.pop_front() {
            match effect {
                Effect::Job(job) if self.read_only && job.lane().keeps_all() => {}
                Effect::Job(job) => {
                    job.perform(&self.worker, &mut || true);
                    left.extend(self.app.answered());
                }
                Effect::Copy(text) => self.copied = Some(text),
                Effect::Picture(path) => {
                    let ending = path.extension().and_then(|ending| ending.to_str());
                    let text = picture(&self.app, self.size, ending.unwrap_or_default());
                    self.app.shared.write_file(path, FileContent::Text(text));
                    left.extend(self.app.answered());
                }
                Effect::Score(arguments) => self.started = Some(arguments),
                Effect::StopScoring => self.started = None,
                Effect::Redraw | Effect::Suspend => {}
            }
        }
    }
}
