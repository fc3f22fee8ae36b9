//! The explorer without a terminal, for pictures and tests: the same app and views, with every job
//! done at once.

use std::collections::VecDeque;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::jobs::{Export, Reply, Request, Worker};
use crate::app::{App, Effect, Input};
use crate::views;

/// An app with a screen of some size.
#[derive(Debug)]
pub struct Headless {
    /// The app.
    pub app: App,
    /// Columns and rows.
    pub size: (u16, u16),
    /// What was copied, last.
    pub copied: Option<String>,
    /// Nothing is written: neither notes and votes nor files.
    pub read_only: bool,
    worker: Worker,
}

impl Headless {
    /// Opens the app and does its first jobs.
    pub fn new(worker: Worker, app: App, size: (u16, u16)) -> Self {
        let mut own = Self { app, size, copied: None, read_only: false, worker };
        own.draw();
        let effects = own.app.start();
        own.settle(effects);
        own
    }

    /// Draws a frame.
    pub fn draw(&mut self) -> Buffer {
        let area = Rect::new(0, 0, self.size.0, self.size.1);
        let mut buffer = Buffer::empty(area);
        let layout = views::draw_on(&mut buffer, area, &self.app);
        self.app.drawn(layout);
        buffer
    }

    /// An event, all it leads to, and the frame after it.
    pub fn input(&mut self, input: &Input) {
        let effects = self.app.handle(input);
        self.settle(effects);
        self.draw();
    }

    /// Does jobs until none is left.
    fn settle(&mut self, effects: Vec<Effect>) {
        let mut left = VecDeque::from(effects);
        while let Some(effect) = left.pop_front() {
            let request = match effect {
                Effect::Job(request) => *request,
                Effect::Copy(text) => {
                    self.copied = Some(text);
                    continue;
                }
                Effect::Picture(path) => {
                    let content = Export::Text(views::picture_for(&self.app, self.size, &path));
                    Request::Export { path, content }
                }
                Effect::Redraw => continue,
            };
            if self.read_only && request.lane().keeps_all() {
                continue;
            }
            let mut replies: Vec<Reply> = Vec::new();
            self.worker.perform(request, &mut |reply| {
                replies.push(reply);
                true
            });
            left.extend(replies.into_iter().flat_map(|reply| self.app.receive(reply)));
        }
    }
}
