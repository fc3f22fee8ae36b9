//! Texts for the Read screen: the full text of an action, or what is hidden from the agent.

use std::borrow::Cow;

use super::{Comparison, Panel};
use crate::compare::{
    Contrast, ExpectedCall, Loop, RowKind, Step, before, expectation, lay_out, lay_out_container,
    missing_calls,
};
use crate::model::{Message, Role, Trajectory};
use crate::text::sized;
use crate::ui::screens::read::{Page, Reading};
use crate::ui::screens::{Go, Target};
use crate::ui::shared::Shared;

impl Panel {
    /// Opens the action of the selected row, with those of the other panes behind it.
    pub(super) fn read_row(&self, shared: &Shared) -> Go {
        let Some(comparison) = self.compared(shared) else { return Go::Stay };
        let row = self.row_in(&comparison.sheet, self.focus);
        let texts = RowText { panel: self, shared, comparison: &comparison, row };
        let pages: Vec<Page> =
            (0..comparison.opened.len()).filter_map(|pane| texts.page(pane)).collect();
        // Where this run has no action, another has.
        let page = pages.iter().position(|page| page.pane == Some(self.focus)).unwrap_or(0);
        self.read(pages, page)
    }

    /// Opens what the side pane shows.
    pub(super) fn read_side(&self, shared: &Shared) -> Go {
        let Some(comparison) = self.compared(shared) else { return Go::Stay };
        let title = "about the task (hidden from the agent)".to_owned();
        let page = Page::new(title, &self.side_text(&comparison, shared), None);
        self.read(vec![page], 0)
    }

    fn read(&self, pages: Vec<Page>, page: usize) -> Go {
        if pages.is_empty() {
            return Go::Stay;
        }
        Go::Open(Target::Read(Box::new(Reading { pages, page, pane: self.focus })))
    }
}

/// What the texts of a row are written from.
struct RowText<'a> {
    panel: &'a Panel,
    shared: &'a Shared,
    comparison: &'a Comparison,
    row: usize,
}

impl RowText<'_> {
    /// All of the row in a pane; none where the pane has no action.
    fn page(&self, pane: usize) -> Option<Page> {
        let run = self.comparison.run(pane);
        let sheet = &self.comparison.sheet;
        let (title, mut parts, rest) = match (sheet.rows[self.row].kind, sheet.step(self.row, pane))
        {
            (RowKind::Before, _) => {
                ("before the first turn".to_owned(), Vec::new(), before(run).collect())
            }
            (RowKind::End, _) => ("the end".to_owned(), vec![self.ending(pane)], Vec::new()),
            (RowKind::Action, None) => return None,
            (RowKind::Action, Some(step)) => {
                let facts = Some(self.facts(pane, step)).filter(|facts| !facts.is_empty());
                let parts = facts.into_iter().chain(step_parts(run, step)).collect();
                let title = format!("turn {} · {}", step.turn + 1, step.kind(run));
                (title, parts, step.after.clone())
            }
        };
        parts.extend(rest.into_iter().map(|index| message_part(&run.messages[index])));
        let title = format!("{} · {title}", self.panel.pane_name(pane, self.shared));
        Some(Page::new(title, &parts.join("\n\n"), Some(pane)))
    }

    /// How a run ended, and how it was graded unless that is hidden.
    fn ending(&self, pane: usize) -> String {
        let run = self.comparison.run(pane);
        let ended = run.head.termination.as_deref().unwrap_or("the harness does not say how");
        let reward = match run.head.outcome.reward {
            _ if self.panel.blind => String::new(),
            Some(reward) => format!("\nreward {reward}"),
            None => "\nnot graded".to_owned(),
        };
        let expected = self.panel.expected(self.comparison);
        let missing = missing_calls(run, &expected[pane]);
        let missing = missing.map(|check| format!("never made: {}", expectation(check)));
        let lines: Vec<String> =
            [format!("ended: {ended}{reward}")].into_iter().chain(missing).collect();
        lines.join("\n")
    }

    /// What was expected instead of a call's arguments.
    fn expected(&self, pane: usize, step: &Step) -> Option<String> {
        let position = step.position(self.comparison.run(pane))?;
        let expected = self.panel.expected(self.comparison);
        ExpectedCall::otherwise_at(&expected[pane], position)?.difference_words()
    }

    /// What the head of an action's row says, in full.
    fn facts(&self, pane: usize, step: &Step) -> String {
        let run = self.comparison.run(pane);
        let views = self.shared.turn_views(run);
        let view = &views[step.turn];
        let mut facts = Vec::new();
        if let (Some(confidence), Some(rank)) = (view.confidence, view.rank) {
            let scored = views.iter().filter(|view| view.rank.is_some()).count();
            facts.push(format!("{} {confidence:.4}", self.shared.lens.base().id().to_uppercase()));
            facts.push(format!("rank {rank} of {scored} turns"));
        }
        facts.extend(view.unscored.map(|why| format!("no score: {}", why.words())));
        facts.extend(view.weight.map(|weight| format!("weight {weight:.3}")));
        facts.extend(run.turns[step.turn].drift.map(|drift| drift.words()));
        facts.extend(view.weakest.then(|| "the weakest turn".to_owned()));
        facts.extend(step.failed(run).then(|| "failed".to_owned()));
        facts.extend(self.expected(pane, step).map(|words| format!("expected {words}")));
        let loops = self.panel.loops(self.comparison);
        let mut around = loops[pane].iter().filter(|repeated| is_in_loop(step, repeated));
        facts.extend(around.next().map(|Loop { call, times, first_turn, last_turn, .. }| {
            format!("{call} ×{times}, turns {} to {}", first_turn + 1, last_turn + 1)
        }));
        let other = self.panel.counterpart(pane).map_or(pane, |other| other.max(pane));
        facts.extend(match self.comparison.sheet.contrast(self.row, other) {
            Contrast::Arguments(keys) => Some(format!("other arguments: {}", keys.join(", "))),
            Contrast::Other => Some("another action than the other run's".to_owned()),
            Contrast::OnlyHere | Contrast::Missing => Some("only here".to_owned()),
            Contrast::None | Contrast::Same => None,
        });
        facts.join(" · ")
    }
}

/// Whether a step is a call within a loop.
pub(super) fn is_in_loop(step: &Step, repeated: &Loop) -> bool {
    step.call.is_some() && (repeated.first_turn..=repeated.last_turn).contains(&step.turn)
}

/// The texts that a row shows of a pane, in the order in which they are shown.
pub(super) fn row_texts(comparison: &Comparison, row: usize, pane: usize) -> Vec<Cow<'_, str>> {
    let run = comparison.run(pane);
    let (said, rest) = match (comparison.sheet.rows[row].kind, comparison.sheet.step(row, pane)) {
        (RowKind::Before, _) => ([None; 4], before(run).collect()),
        (_, Some(step)) => {
            let call = step.call(run);
            // What a turn thinks and says stands with the first of its calls.
            let first = step.is_first().then(|| step.message(run));
            let said = [
                call.map(|call| call.name.as_str()),
                first.and_then(|message| message.reasoning.as_deref()),
                first.and_then(Message::words),
                call.map(|call| call.arguments.as_str()),
            ];
            (said, step.after.clone())
        }
        _ => ([None; 4], Vec::new()),
    };
    let mut texts: Vec<Cow<'_, str>> = said.into_iter().flatten().map(Cow::Borrowed).collect();
    for message in rest.into_iter().map(|index| &run.messages[index]) {
        texts.extend(message.content.as_deref().map(Cow::Borrowed));
        let calls = message.tool_calls.iter();
        texts.extend(calls.map(|call| format!("{}({})", call.name, call.arguments).into()));
    }
    texts
}

/// What an action itself says.
fn step_parts(run: &Trajectory, step: &Step) -> Vec<String> {
    let message = step.message(run);
    let mut parts = Vec::new();
    if step.is_first() {
        parts.extend(message.reasoning.iter().map(|thought| headed("thought", thought)));
        parts.extend(message.words().map(|words| headed("said", words)));
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
    let title = match message.role {
        Role::Tool => {
            let result = if message.for_user { "result for the user" } else { "result" };
            let failed = if message.error { ", failed" } else { "" };
            format!("{result} ({}{failed})", sized(text.len()))
        }
        Role::User => "user".to_owned(),
        Role::System => "instructions".to_owned(),
        Role::Assistant => "fixed text".to_owned(),
    };
    let body = if message.role == Role::Tool { pretty(text) } else { text.to_owned() };
    let calls = message.tool_calls.iter();
    let calls = calls.map(|call| format!("calls {}\n{}", call.name, pretty(&call.arguments)));
    let body = Some(body).filter(|body| !body.is_empty());
    let parts: Vec<String> = body.into_iter().chain(calls).collect();
    headed(&title, &parts.join("\n"))
}

fn headed(title: &str, text: &str) -> String {
    format!("── {title} ──\n{text}")
}

/// JSON in lines; other text as it is.
fn pretty(text: &str) -> String {
    let Some(lines) = lay_out_container(text) else {
        let lines = lay_out(text, None);
        return lines.into_iter().flat_map(|line| line.pieces).map(|piece| piece.text).collect();
    };
    let lines = lines.into_iter().map(|line| {
        let text: String = line.pieces.into_iter().map(|piece| piece.text).collect();
        format!("{}{text}", "  ".repeat(line.indent))
    });
    lines.collect::<Vec<_>>().join("\n")
}
