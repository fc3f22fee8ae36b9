//! One text on the whole screen: everything of an action, or what is hidden from the agent.

use std::ops::Range;
use std::sync::Arc;

use super::action::{Action, Screen};
use super::compare::Comparison;
use super::{App, Ask, Overlay, Prompt};
use crate::compare::{Contrast, Loop, RowKind, Step, before, lay_out, lay_out_container};
use crate::model::{Message, Role, Trajectory};
use crate::text::{find_all, readable, sized};
use crate::widgets::{Memo, wrap_ranges};

/// What is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// An action of a pane, by its row.
    Row(usize, usize),
    /// What the side pane shows.
    Side,
}

/// The state of the reader.
#[derive(Debug)]
pub struct Reader {
    /// What is being read.
    pub source: Source,
    /// Its name.
    pub title: String,
    /// Its text, safe to show.
    pub text: String,
    /// Where in the text the first line on screen begins.
    pub place: usize,
    /// Words that are searched.
    pub search: String,
    /// Where they stand.
    pub hits: Vec<Range<usize>>,
    /// The hit that was gone to.
    pub hit: usize,
    wrapped: Memo<usize, Arc<Vec<Range<usize>>>>,
}

impl Reader {
    fn new(source: Source, title: String, text: &str) -> Self {
        let text = readable(text).into_owned();
        let (place, search, hits) = (0, String::new(), Vec::new());
        Self { source, title, text, place, search, hits, hit: 0, wrapped: Memo::default() }
    }

    /// The text in lines of a width, as places in it.
    pub fn lines(&self, room: usize) -> Arc<Vec<Range<usize>>> {
        self.wrapped.get(room, || Arc::new(wrap_ranges(&self.text, room)))
    }

    /// The first line on screen.
    pub fn first_line(&self, lines: &[Range<usize>]) -> usize {
        lines.partition_point(|own| own.start <= self.place).saturating_sub(1)
    }

    fn search(&mut self, words: &str) {
        words.clone_into(&mut self.search);
        self.hits = find_all(&self.text, words.trim());
        self.hit = 0;
        // From where one is; else from the beginning.
        if let Some(hit) = self.hits.iter().position(|own| own.start >= self.place) {
            self.hit = hit;
        }
    }
}

impl App {
    pub(super) fn push_search(&mut self, text: &str) {
        self.overlays.push(Overlay::Prompt(Box::new(Prompt::new(Ask::Search, text))));
    }

    /// Opens the action of the selected row.
    pub(super) fn read_row(&mut self) {
        let Some(own) = self.compared() else { return };
        let pane = self.compare.focus;
        let row = self.row_in(&own.sheet, pane);
        // Where this run has no action, another has.
        let mut panes = std::iter::once(pane).chain(0..own.opened.len());
        let found = panes.find_map(|pane| Some((pane, self.text_of(&own, row, pane)?)));
        if let Some((pane, (title, text))) = found {
            self.read(Reader::new(Source::Row(row, pane), title, &text));
        }
    }

    /// Opens what the side pane shows.
    pub(super) fn read_side(&mut self) {
        let Some(own) = self.compared() else { return };
        let text = self.side_text(&own);
        self.read(Reader::new(
            Source::Side,
            "about the task (hidden from the agent)".to_owned(),
            &text,
        ));
    }

    fn read(&mut self, reader: Reader) {
        self.reader = Some(reader);
        self.open(Screen::Read);
    }

    fn text_of(&self, own: &Comparison, row: usize, pane: usize) -> Option<(String, String)> {
        let run = own.run(pane);
        let name = self.pane_name(pane);
        let (title, parts) = match (own.sheet.rows.get(row)?.kind, own.sheet.step(row, pane)) {
            (RowKind::Before, _) => ("before the first turn".to_owned(), Vec::new()),
            (RowKind::End, _) => ("the end".to_owned(), vec![self.ending(run)]),
            (RowKind::Action, None) => return None,
            (RowKind::Action, Some(step)) => {
                let facts = self.row_facts(own, row, pane, step);
                let mut parts: Vec<String> =
                    Some(facts).filter(|own| !own.is_empty()).into_iter().collect();
                parts.extend(step_parts(run, step));
                (format!("turn {} · {}", step.turn + 1, step.kind(run)), parts)
            }
        };
        let mut parts = parts;
        let rest: Vec<usize> = match (own.sheet.rows[row].kind, own.sheet.step(row, pane)) {
            (RowKind::Before, _) => before(run).collect(),
            (_, Some(step)) => step.after.clone(),
            _ => Vec::new(),
        };
        parts.extend(rest.into_iter().map(|place| message_part(&run.messages[place])));
        Some((format!("{name} · {title}"), parts.join("\n\n")))
    }

    /// How a run ended; how it was graded is left out for who is to judge it.
    fn ending(&self, run: &Trajectory) -> String {
        let ended = run.head.termination.as_deref().unwrap_or("the harness does not say how");
        let reward = run.head.outcome.reward;
        let reward = match reward {
            _ if self.is_blind() => String::new(),
            Some(own) => format!("\nreward {own}"),
            None => "\nnot graded".to_owned(),
        };
        format!("ended: {ended}{reward}")
    }

    /// What the head of an action's row says, in full.
    fn row_facts(&self, own: &Comparison, row: usize, pane: usize, step: &Step) -> String {
        let run = own.run(pane);
        let views = self.turn_views(run);
        let view = &views[step.turn];
        let mut facts = Vec::new();
        if let (Some(confidence), Some(rank)) = (view.confidence, view.rank) {
            let scored = views.iter().filter(|own| own.rank.is_some()).count();
            facts.push(format!("{} {confidence:.4}", self.lens.base().id().to_uppercase()));
            facts.push(format!("rank {rank} of {scored} turns"));
        }
        facts.extend(view.weight.map(|own| format!("weight {own:.3}")));
        facts.extend(view.weakest.then(|| "the weakest turn".to_owned()));
        facts.extend(step.failed(run).then(|| "failed".to_owned()));
        let loops = self.loops(own);
        let turns = |own: &&Loop| (own.first_turn..=own.last_turn).contains(&step.turn);
        facts.extend(loops[pane].iter().filter(|_| step.call.is_some()).find(turns).map(|own| {
            format!(
                "{} ×{}, turns {} to {}",
                own.call,
                own.times,
                own.first_turn + 1,
                own.last_turn + 1
            )
        }));
        let other = self.counterpart(pane).map_or(pane, |other| other.max(pane));
        facts.extend(match own.sheet.contrast(row, other) {
            Contrast::Arguments(keys) => Some(format!("other arguments: {}", keys.join(", "))),
            Contrast::Other => Some("another action than the other run's".to_owned()),
            Contrast::OnlyHere | Contrast::Missing => Some("only here".to_owned()),
            Contrast::None | Contrast::Same => None,
        });
        facts.join(" · ")
    }

    pub(super) fn update_reader(&mut self, action: &Action) {
        let room = self.layout.room;
        let page = self.layout.page.max(1);
        let Some(reader) = self.reader.as_mut() else { return };
        let lines = reader.lines(room);
        let first = reader.first_line(&lines);
        let last = lines.len().saturating_sub(page);
        let next = match action {
            Action::Down => first + 1,
            Action::Up => first.saturating_sub(1),
            Action::HalfPageDown => first + (page / 2).max(1),
            Action::HalfPageUp => first.saturating_sub((page / 2).max(1)),
            Action::First => 0,
            Action::Last => last,
            Action::Search => {
                let text = reader.search.clone();
                return self.push_search(&text);
            }
            Action::NextHit | Action::PreviousHit => {
                return self.step_reader(*action == Action::NextHit);
            }
            Action::NextPane | Action::PreviousPane => return self.read_beside(action),
            _ => return,
        };
        reader.place = lines.get(next.min(last)).map_or(0, |own| own.start);
    }

    fn step_reader(&mut self, forwards: bool) {
        let Some(reader) = self.reader.as_mut() else { return };
        let count = reader.hits.len();
        if count == 0 {
            let searched = !reader.search.trim().is_empty();
            let words = reader.search.trim().to_owned();
            return self.say(if searched {
                format!("nothing here holds “{words}”")
            } else {
                "nothing is searched for: / begins".to_owned()
            });
        }
        reader.hit = (reader.hit + if forwards { 1 } else { count - 1 }) % count;
        self.show_hit();
    }

    pub(super) fn search_reader(&mut self, words: &str) {
        if let Some(reader) = self.reader.as_mut() {
            reader.search(words);
            self.show_hit();
        }
    }

    /// Says so when the text holds nothing that was searched for.
    pub(super) fn say_unfound(&mut self, words: &str) {
        let words = words.trim();
        let reader = self.reader.as_ref().filter(|_| self.screen == Screen::Read);
        if reader.is_some_and(|own| !words.is_empty() && own.hits.is_empty()) {
            self.say(format!("nothing here holds “{words}”"));
        }
    }

    /// Brings the hit on screen, a third down.
    fn show_hit(&mut self) {
        let (room, page) = (self.layout.room, self.layout.page);
        let Some(reader) = self.reader.as_mut() else { return };
        let Some(hit) = reader.hits.get(reader.hit).map(|own| own.start) else { return };
        let lines = reader.lines(room);
        let line = lines.partition_point(|own| own.start <= hit).saturating_sub(1);
        let first = reader.first_line(&lines);
        if !(first..first + page).contains(&line) {
            let next = line.saturating_sub(page / 3).min(lines.len().saturating_sub(page));
            reader.place = lines.get(next).map_or(0, |own| own.start);
        }
    }

    /// The same row in the next pane that has it.
    fn read_beside(&mut self, action: &Action) {
        let (Some(own), Some(Source::Row(row, pane))) =
            (self.compared(), self.reader.as_ref().map(|own| own.source))
        else {
            return;
        };
        let panes = own.opened.len();
        let step = if *action == Action::NextPane { 1 } else { panes - 1 };
        let mut places = (1..panes).map(|count| (pane + step * count) % panes);
        let found = places.find_map(|pane| Some((pane, self.text_of(&own, row, pane)?)));
        match found {
            Some((pane, (title, text))) => {
                self.focus_pane(pane);
                self.reader = Some(Reader::new(Source::Row(row, pane), title, &text));
            }
            None => self.say("no other pane has an action here"),
        }
    }
}

/// The messages that a row shows of a pane.
pub(super) fn row_messages(own: &Comparison, row: usize, pane: usize) -> Vec<&Message> {
    let run = own.run(pane);
    match (own.sheet.rows[row].kind, own.sheet.step(row, pane)) {
        (RowKind::Before, _) => run.messages[before(run)].iter().collect(),
        (_, Some(step)) => {
            let after = step.after.iter().map(|place| &run.messages[*place]);
            std::iter::once(step.message(run)).chain(after).collect()
        }
        _ => Vec::new(),
    }
}

/// What an action says itself.
fn step_parts(run: &Trajectory, step: &Step) -> Vec<String> {
    let message = step.message(run);
    let mut parts = Vec::new();
    if step.is_first() {
        let thought = message.reasoning.iter().map(|own| headed("thought", own));
        parts.extend(thought);
        parts.extend(message.words().map(|own| headed("said", own)));
    }
    if let Some(call) = step.call(run) {
        parts.push(headed(&format!("call {}", call.name), &pretty(&call.arguments)));
    } else if parts.is_empty() {
        parts.push("(an empty message)".to_owned());
    }
    parts
}

/// A message of somebody else, or a result.
fn message_part(message: &Message) -> String {
    let text = message.content.as_deref().unwrap_or_default();
    let title = match (message.role, message.error) {
        (Role::Tool, error) => {
            let whose = if message.for_user { "result for the user" } else { "result" };
            let failed = if error { ", failed" } else { "" };
            format!("{whose} ({}{failed})", sized(text.len()))
        }
        (Role::User, _) => "user".to_owned(),
        (Role::System, _) => "instructions".to_owned(),
        (Role::Assistant, _) => "fixed text".to_owned(),
    };
    let body = if message.role == Role::Tool { pretty(text) } else { text.to_owned() };
    let calls = message
        .tool_calls
        .iter()
        .map(|call| format!("calls {}\n{}", call.name, pretty(&call.arguments)));
    let whole: Vec<String> =
        std::iter::once(body).filter(|own| !own.is_empty()).chain(calls).collect();
    headed(&title, &whole.join("\n"))
}

fn headed(title: &str, text: &str) -> String {
    format!("── {title} ──\n{text}")
}

/// JSON in lines; other text as it is.
fn pretty(text: &str) -> String {
    let Some(lines) = lay_out_container(text) else {
        let lines = lay_out(text, None);
        return lines.into_iter().flat_map(|own| own.pieces).map(|own| own.text).collect();
    };
    let lines = lines.into_iter().map(|line| {
        let text: String = line.pieces.into_iter().map(|own| own.text).collect();
        format!("{}{text}", "  ".repeat(line.indent))
    });
    lines.collect::<Vec<_>>().join("\n")
}
