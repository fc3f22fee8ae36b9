//! The messages, calls and results of a pane in a row, as titled blocks of lines.

use super::action::ShownAction;
use super::answers::next_action_words;
use super::lines::{self, Line, NEW, OLD, safe};
use super::runs::SideBySide;
use crate::compare::{Contrast, RowKind, before};
use crate::model::{Message, Role};

/// Words under a title.
pub(super) struct Block {
    /// What they are.
    pub(super) title: &'static str,
    /// A name that belongs to the title, as it was written.
    pub(super) name: Option<String>,
    /// The words.
    pub(super) lines: Vec<Line>,
    /// Whether the first pane has the same ones.
    pub(super) same: bool,
}

impl Block {
    /// The words as they are printed; several lines that are the same as in the first pane are only
    /// said to be.
    pub(super) fn printed(self, shown: &SideBySide<'_>, full: bool) -> Vec<String> {
        let fitted = lines::fitted(&self.lines, full);
        match fitted.len() {
            0 => vec!["(nothing)".to_owned()],
            1 => fitted,
            _ if self.same && !full => vec![format!("(as in {})", safe(&shown.labels[0]))],
            _ => fitted,
        }
    }
}

/// What a pane says and gets in a row.
pub(super) fn blocks(shown: &SideBySide<'_>, row: usize, pane: usize) -> Vec<Block> {
    let writer = Writer { shown, row, pane };
    match shown.sheet.rows[row].kind {
        RowKind::Before => {
            let messages = |pane: usize| {
                let run = shown.runs[pane];
                run.messages[before(run)].iter().collect::<Vec<_>>()
            };
            let first = if pane > 0 { messages(0) } else { Vec::new() };
            spoken(&messages(pane), &first)
        }
        RowKind::Action => {
            let action = shown.action(row, pane);
            action.map_or_else(Vec::new, |action| writer.action(action))
        }
        RowKind::End => Vec::new(),
    }
}

struct Writer<'s> {
    shown: &'s SideBySide<'s>,
    row: usize,
    pane: usize,
}

impl Writer<'_> {
    fn action(&self, action: ShownAction<'_>) -> Vec<Block> {
        let first = if self.pane == 0 { None } else { self.shown.action(self.row, 0) };
        let mut blocks = Vec::new();
        let said =
            |text: Option<&str>| text.filter(|text| !text.trim().is_empty()).map(str::to_owned);
        if let Some(text) = said(action.reasoning()) {
            let same = first.is_some_and(|first| first.reasoning() == action.reasoning());
            blocks.push(block("thinks", lines::plain(&text), same));
        }
        // A message is an action even when it is empty.
        let is_message = action.call().is_none();
        if let Some(text) = said(action.words()).or(is_message.then(String::new)) {
            let same = first.is_some_and(|first| first.words() == action.words());
            blocks.push(block("says", lines::plain(&text), same));
        }
        if let Some(arguments) = action.arguments() {
            let marks = if self.pane == 0 { OLD } else { NEW };
            let lines = lines::arguments(arguments, self.other_arguments(action), marks);
            blocks.push(block("with", lines, *action.contrast == Contrast::Same));
        }
        let first_results = first.map(ShownAction::results).unwrap_or_default();
        for (index, result) in action.results().into_iter().enumerate() {
            let title = if result.error { "returns an error" } else { "returns" };
            let text = |message: &Message| message.content.clone().unwrap_or_default();
            let same = first_results
                .get(index)
                .is_some_and(|first| text(first) == text(result) && first.error == result.error);
            blocks.push(block(title, lines::returned(&text(result)), same));
        }
        let first_messages = first.map(ShownAction::messages).unwrap_or_default();
        blocks.extend(spoken(&action.messages(), &first_messages));
        blocks.extend(self.sampled(action));
        blocks
    }

    /// The next actions that were sampled at the turn, with its first action.
    fn sampled(&self, action: ShownAction<'_>) -> Option<Block> {
        let turn = action.step.is_first().then_some(action.step.turn)?;
        let words = next_action_words(self.shown.answers, action.run, turn);
        let lines: Vec<Line> = words.iter().flat_map(|line| lines::plain(line)).collect();
        (!lines.is_empty()).then(|| block("next actions, sampled again", lines, false))
    }

    /// The arguments that an action's differ from: the first pane's, or for the first pane those of
    /// the first other pane that differ.
    fn other_arguments(&self, action: ShownAction<'_>) -> Option<&str> {
        let other = if self.pane == 0 {
            let mut panes = 1..self.shown.runs.len();
            panes.find_map(|pane| {
                self.shown.action(self.row, pane).filter(|other| other.has_other_arguments())
            })
        } else {
            self.shown.action(self.row, 0).filter(|_| action.has_other_arguments())
        };
        other.and_then(ShownAction::arguments)
    }
}

/// What others said, compared with what they said in the first pane.
fn spoken(messages: &[&Message], first: &[&Message]) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let same = first.get(index).is_some_and(|first| says_the_same(first, message));
        blocks.extend(one_message(message, same));
    }
    blocks
}

/// What somebody else said, and the calls they made.
fn one_message(message: &Message, same: bool) -> Vec<Block> {
    let title = match message.role {
        Role::User => "user",
        Role::System => "system",
        Role::Assistant if message.scripted => "agent, scripted",
        Role::Assistant => "agent",
        Role::Tool if message.error => "returned to the user, an error",
        Role::Tool if message.for_user => "returned to the user",
        Role::Tool => "tool",
    };
    let mut blocks = Vec::new();
    if let Some(text) = &message.reasoning {
        blocks.push(block("thinks", lines::plain(text), same));
    }
    let text = message.content.as_deref().unwrap_or_default();
    if !text.trim().is_empty() || message.tool_calls.is_empty() {
        let is_result = message.role == Role::Tool;
        let lines = if is_result { lines::returned(text) } else { lines::plain(text) };
        blocks.push(block(title, lines, same));
    }
    for call in &message.tool_calls {
        let lines = lines::arguments(&call.arguments, None, OLD);
        let name = Some(call.name.clone());
        blocks.push(Block { name, ..block("user calls", lines, same) });
    }
    blocks
}

/// A block without a name.
fn block(title: &'static str, lines: Vec<Line>, same: bool) -> Block {
    Block { title, name: None, lines, same }
}

/// Whether two messages say the same, whatever the ids of their calls.
fn says_the_same(a: &Message, b: &Message) -> bool {
    (a.role, &a.content, &a.reasoning, &a.tool_calls)
        == (b.role, &b.content, &b.reasoning, &b.tool_calls)
        && (a.error, a.for_user, a.scripted) == (b.error, b.for_user, b.scripted)
}
