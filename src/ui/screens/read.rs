//! One text on the whole screen.

mod draw;

use std::ops::Range;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Go, Heading, Legend, Needs, NoView, ScreenState, Target};
use crate::report::OutputFormat;
use crate::text::{find_all, readable};
use crate::ui::action::Action;
use crate::ui::hits::Hits;
use crate::ui::overlays::Overlay;
use crate::ui::renewal::NewIds;
use crate::ui::selection::Rows;
use crate::ui::shared::{FileContent, ScreenFigure, Shared};
use crate::ui::widgets::{Memo, wrap_ranges};
pub use draw::Layout;

/// Lines that one step of the wheel moves.
const WHEEL: usize = 3;

/// Texts to read, one at a time.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The texts.
    pub pages: Vec<Page>,
    /// The one that is shown.
    pub page: usize,
    /// The pane to go back to.
    pub pane: usize,
}

/// A text to read.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its name.
    pub title: String,
    /// Its text, safe to show.
    pub text: String,
    /// The pane that it is of; none when it is of no pane.
    pub pane: Option<usize>,
}

impl Page {
    /// A text, made safe to show.
    pub fn new(title: String, text: &str, pane: Option<usize>) -> Self {
        Self { title, text: readable(text).into_owned(), pane }
    }
}

/// The state of the screen.
#[derive(Debug, Default)]
pub struct Read {
    /// What is read.
    pub reader: Reading,
    /// Where in the text the first line on screen begins, in bytes.
    pub start: usize,
    /// Words that are searched.
    pub search: String,
    /// Where they stand in the text.
    pub hits: Vec<Range<usize>>,
    /// The hit that is selected.
    pub hit: usize,
    wrapped: Memo<usize, Arc<Vec<Range<usize>>>>,
    layout: Layout,
}

/// Nothing of a text can be clicked.
#[derive(Clone, Debug)]
pub enum Spot {}

impl Read {
    /// The text that is shown; none before one was opened.
    pub fn page(&self) -> Option<&Page> {
        self.reader.pages.get(self.reader.page)
    }

    /// The text in lines of a width, as ranges of it.
    pub fn lines(&self, room: usize) -> Arc<Vec<Range<usize>>> {
        let text = self.page().map_or("", |page| page.text.as_str());
        self.wrapped.get(room, || Arc::new(wrap_ranges(text, room)))
    }

    /// The first line on screen.
    pub fn first_line(&self, lines: &[Range<usize>]) -> usize {
        lines.partition_point(|line| line.start <= self.start).saturating_sub(1)
    }

    /// Begins with a text; nothing is searched in it yet.
    fn begin(&mut self, reader: Reading) {
        *self = Self { reader, layout: self.layout, ..Self::default() };
    }

    /// Scrolls through the lines that can be the first on screen.
    fn scroll(&mut self, action: &Action) -> Go {
        let page = self.layout.page.max(1);
        let lines = self.lines(self.layout.room);
        let rows = Rows { count: lines.len().saturating_sub(page) + 1, page };
        let Some(next) = rows.step(action, self.first_line(&lines)) else { return Go::Pass };
        self.start = lines.get(next).map_or(0, |line| line.start);
        Go::Stay
    }

    /// The same row in the next pane that has it.
    fn turn_page(&mut self, forwards: bool, shared: &mut Shared) {
        let Some(Page { pane: Some(_), .. }) = self.page() else { return };
        let mut reader = std::mem::take(&mut self.reader);
        let count = reader.pages.len();
        if count == 1 {
            self.reader = reader;
            return shared.say("no other pane has an action here");
        }
        reader.page = (reader.page + if forwards { 1 } else { count - 1 }) % count;
        reader.pane = reader.pages[reader.page].pane.unwrap_or(reader.pane);
        self.begin(reader);
    }

    fn step_hit(&mut self, forwards: bool, shared: &mut Shared) {
        let count = self.hits.len();
        if count > 0 {
            self.hit = (self.hit + if forwards { 1 } else { count - 1 }) % count;
            self.show_hit();
        } else if self.search.trim().is_empty() {
            shared.say("no search yet: / starts one");
        } else {
            self.say_unfound(shared);
        }
    }

    fn say_unfound(&self, shared: &mut Shared) {
        shared.say(format!("nothing here contains “{}”", self.search.trim()));
    }

    /// Brings the selected hit on screen, a third down.
    fn show_hit(&mut self) {
        let Layout { page, room } = self.layout;
        let Some(hit) = self.hits.get(self.hit).map(|hit| hit.start) else { return };
        let lines = self.lines(room);
        let line = lines.partition_point(|line| line.start <= hit).saturating_sub(1);
        let first = self.first_line(&lines);
        if !(first..first + page).contains(&line) {
            let next = line.saturating_sub(page / 3).min(lines.len().saturating_sub(page));
            self.start = lines.get(next).map_or(0, |line| line.start);
        }
    }
}

impl ScreenState for Read {
    type View = NoView;
    type Spot = Spot;
    type Layout = Layout;
    type Position = ();

    const ABOUT: &'static str = "Read: one text whole";
    const NEEDS: Needs = Needs::Task;
    const ENDING: &'static str = "svg";
    const LEGEND: Legend = &[
        ("──", "a part of the text begins"),
        ("␛ ↔", "control characters in the text, made visible"),
    ];

    fn arrive(&mut self, target: &Target, _shared: &mut Shared) {
        if let Target::Read(reader) = target {
            self.begin((**reader).clone());
        }
    }

    fn update(&mut self, action: &Action, shared: &mut Shared) -> Go {
        match action {
            Action::Search => return Go::Show(Overlay::search(&self.search)),
            Action::NextHit => self.step_hit(true, shared),
            Action::PreviousHit => self.step_hit(false, shared),
            Action::NextPane => self.turn_page(true, shared),
            Action::PreviousPane => self.turn_page(false, shared),
            Action::Back | Action::Quit => return Go::Back(Some(Target::Pane(self.reader.pane))),
            other => return self.scroll(other),
        }
        Go::Stay
    }

    fn wheel(&mut self, down: bool, _shared: &mut Shared) -> Go {
        let step = if down { Action::Down } else { Action::Up };
        (0..WHEEL).for_each(|_| drop(self.scroll(&step)));
        Go::Stay
    }

    fn search(&mut self, words: &str, done: bool, shared: &mut Shared) {
        words.clone_into(&mut self.search);
        self.hits = self.page().map_or(Vec::new(), |page| find_all(&page.text, words.trim()));
        // From the first line on screen on; else from the beginning.
        let from_here = self.hits.iter().position(|hit| hit.start >= self.start);
        self.hit = from_here.unwrap_or(0);
        self.show_hit();
        if done && !words.trim().is_empty() && self.hits.is_empty() {
            self.say_unfound(shared);
        }
    }

    fn adjust(&mut self, _shared: &mut Shared) {}

    fn refresh(&mut self, shared: &mut Shared) {
        shared.refresh_tasks();
    }

    fn renew(&mut self, _: &NewIds<'_>) {}

    fn is_waiting(&self, shared: &Shared) -> bool {
        shared.tasks.is_waiting()
    }

    fn is_stale(&self, _shared: &Shared) -> bool {
        false
    }

    fn draw(
        &self,
        shared: &Shared,
        buffer: &mut Buffer,
        area: Rect,
        _hits: &mut Hits<Spot>,
    ) -> Layout {
        draw::draw(self, shared, buffer, area)
    }

    fn drawn(&mut self, layout: Layout) {
        self.layout = layout;
    }

    fn click(&mut self, spot: &Spot, _dragged: bool, _shared: &mut Shared) -> Go {
        match *spot {}
    }

    fn position(&self) {}

    fn resume(&mut self, (): &(), _: &mut Shared) {}

    fn heading(&self, shared: &Shared) -> Heading {
        Heading { plain: true, ..Heading::of_task(shared) }
    }

    fn copied(&self, _shared: &Shared) -> Option<String> {
        self.page().map(|page| page.text.clone())
    }

    fn export(&self, _format: OutputFormat, _shared: &Shared) -> Result<FileContent, String> {
        Err("a text is written as .txt, .ansi or .svg; y copies all of it".to_owned())
    }

    fn figure(&self, _: &Shared) -> Option<ScreenFigure> {
        None
    }

    fn view(&self, _open: bool, _shared: &Shared) -> NoView {
        NoView::default()
    }

    fn restore(&mut self, _view: &NoView, _shared: &mut Shared) {}

    fn resolve(&mut self, _view: &NoView, _shared: &mut Shared) -> Vec<String> {
        Vec::new()
    }
}
