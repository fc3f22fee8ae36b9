//! A comparison as a part of a page: the rows of the sheet, texts with what differs marked, and the
//! tokens of every turn by how likely they were.

use askama::Template;

use super::action::ShownAction;
use super::answers::{judged, self_assessment};
use super::blocks::{Block, blocks};
use super::checks::{basis_words, check_lines, expected_words};
use super::lines::{Line, NEW, fitted, plain, safe};
use super::phrases::{
    counts, day, marked, names, number, outcome, rank, reward, run_name, subject, tokens, verdict,
};
use super::runs::SideBySide;
use crate::compare::{HeatRange, Measure, RowKind, ended_badly};
use crate::model::{Cell, Judgment, Span, TokenSeq};
use crate::text::{counted, grouped, two, visible};

/// Lines and bytes beyond which a text is folded.
const LONG: (usize, usize) = (14, 1_200);

/// Bytes beyond which a text is cut.
const MOST: usize = 16 * 1024;

/// Steps of a token's colour; one that is surer than all of them has none.
pub(in crate::report) const TOKEN_STEPS: usize = 15;

/// How sure a token without colour is.
const SURE: f64 = 0.9;

/// Alternatives that a token names.
const ALTERNATIVES: usize = 6;

#[derive(Template)]
#[template(path = "page/comparison.html")]
struct Comparison {
    panes: Vec<Pane>,
    /// The probabilities at both ends of the colours.
    range: Option<(String, String)>,
    steps: Vec<usize>,
    /// What judges say of the runs.
    verdicts: Vec<String>,
    rows: Vec<Row>,
    hidden: Vec<(String, Vec<String>)>,
}

struct Pane {
    label: String,
    name: String,
    class: &'static str,
    outcome: &'static str,
    facts: Vec<(String, String)>,
}

struct Row {
    title: String,
    diverges: bool,
    first: bool,
    error: bool,
    parts: Vec<Part>,
}

/// What a pane has in a row.
#[derive(Default)]
struct Part {
    label: String,
    missing: bool,
    weakest: bool,
    head: String,
    marks: Vec<String>,
    blocks: Vec<Words>,
}

/// Words under a title.
struct Words {
    title: String,
    is_long: bool,
    size: String,
    pieces: Vec<Piece>,
}

enum Piece {
    Plain(String),
    Old(String),
    New(String),
    Token { text: String, step: usize, tip: String },
}

/// Writes a comparison. What may come from anybody is escaped by the template.
pub(super) fn render(shown: &SideBySide<'_>) -> Result<String, askama::Error> {
    let range = HeatRange::of(shown.runs, Measure::Probability);
    let view = Comparison {
        panes: (0..shown.runs.len()).map(|pane| pane_view(shown, pane)).collect(),
        range: range.map(|range| (two(range.low), two(range.high))),
        steps: (0..TOKEN_STEPS).step_by(2).collect(),
        verdicts: verdicts(shown),
        rows: (0..shown.sheet.rows.len()).map(|row| row_view(shown, row, range)).collect(),
        hidden: hidden(shown),
    };
    view.render()
}

fn pane_view(shown: &SideBySide<'_>, pane: usize) -> Pane {
    let run = shown.runs[pane];
    let head = &run.head;
    let named = |name: &str, value: Option<String>| Some((name.to_owned(), value?));
    let elsewhere = !shown.is_first_cell(&head.cell);
    let facts = [
        named("cell", elsewhere.then(|| safe(&head.cell.to_string()))),
        named(&safe(&shown.scores.scorer.label()), Some(number(shown.score(pane)))),
        named("rank", shown.rank(pane).map(|known| rank(shown, head, known))),
        named("length", Some(counts(head))),
        named("ended", head.termination.as_deref().map(safe)),
        named("reward", reward(head)),
        named("basis", basis_words(run)),
        named("cost", head.cost.map(|cost| format!("{cost:.4}"))),
        named("tokens", tokens(head).map(|words| words.replacen("tokens ", "", 1))),
        named("duration", head.duration.map(|seconds| format!("{seconds:.1} s"))),
    ];
    Pane {
        label: safe(&shown.labels[pane]),
        name: run_name(shown, &head.cell, head.draw),
        class: match head.outcome.success {
            Some(true) => "solved",
            Some(false) => "failed",
            None => "ungraded",
        },
        outcome: outcome(head.outcome.success),
        facts: facts.into_iter().flatten().collect(),
    }
}

fn row_view(shown: &SideBySide<'_>, index: usize, range: Option<HeatRange>) -> Row {
    let row = &shown.sheet.rows[index];
    let title = match row.kind {
        RowKind::Before => "Before the first turn".to_owned(),
        RowKind::End => "End".to_owned(),
        RowKind::Action => {
            let names: Vec<String> = names(shown, index).into_iter().map(safe).collect();
            format!("{} {}", shown.sheet.action_number(index), names.join(" / "))
        }
    };
    Row {
        title,
        diverges: row.diverges(),
        first: shown.sheet.first_divergence() == Some(index),
        error: row.error,
        parts: (0..shown.runs.len()).map(|pane| part(shown, index, pane, range)).collect(),
    }
}

fn part(shown: &SideBySide<'_>, row: usize, pane: usize, range: Option<HeatRange>) -> Part {
    let label = safe(&shown.labels[pane]);
    let empty = Part { label, ..Part::default() };
    let action = shown.action(row, pane);
    match (shown.sheet.rows[row].kind, action) {
        (RowKind::Before, _) => {
            let blocks = blocks(shown, row, pane);
            Part { blocks: blocks.into_iter().map(|block| words(shown, block)).collect(), ..empty }
        }
        (RowKind::End, _) => {
            let run = shown.runs[pane];
            let why = run.head.termination.as_deref().map(|why| format!("ended {}", safe(why)));
            let cut = ended_badly(run).then(|| "cut off".to_owned());
            let facts = [why, Some(outcome(run.head.outcome.success).to_owned()), cut];
            Part { head: facts.into_iter().flatten().collect::<Vec<_>>().join(" · "), ..empty }
        }
        (RowKind::Action, None) => Part { missing: true, ..empty },
        (RowKind::Action, Some(action)) => acting(shown, (row, pane), action, range, empty),
    }
}

/// What a pane does in a row.
fn acting(
    shown: &SideBySide<'_>,
    (row, pane): (usize, usize),
    action: ShownAction<'_>,
    range: Option<HeatRange>,
    empty: Part,
) -> Part {
    let mut head = vec![action.turn_words(), safe(action.name())];
    head.extend(action.measures());
    let mut marks: Vec<String> =
        action.key_words().map(|keys| format!("≠ {keys}")).into_iter().collect();
    marks.extend(action.marks().into_iter().map(str::to_owned));
    marks
        .extend(expected_words(shown, row, pane).map(|words| format!("expected {}", safe(&words))));
    let generated = generated(action).zip(range);
    let mut all: Vec<Words> = Vec::new();
    all.extend(generated.map(|(tokens, range)| heat(tokens, range)));
    for (index, block) in blocks(shown, row, pane).into_iter().enumerate() {
        let text = match block.title {
            "says" => action.words(),
            // Others think, too, but later.
            "thinks" if index == 0 => action.reasoning(),
            _ => None,
        };
        // The tokens have these words already.
        let is_generated = |(tokens, _): (&TokenSeq, _)| {
            text.is_some_and(|text| tokens.text().contains(text.trim()))
        };
        if !generated.is_some_and(is_generated) {
            all.push(words(shown, block));
        }
    }
    Part { head: head.join(" · "), marks, weakest: action.view.weakest, blocks: all, ..empty }
}

/// The tokens of a turn, with its first action.
fn generated(action: ShownAction<'_>) -> Option<&TokenSeq> {
    let tokens = action.run.turns[action.step.turn].tokens.as_ref()?;
    (action.step.is_first() && !tokens.text().is_empty()).then_some(tokens)
}

/// The words of a block. Several lines that are the same as in the first pane are only said to be.
fn words(shown: &SideBySide<'_>, block: Block) -> Words {
    let name = block.name.as_ref().map_or_else(String::new, |name| format!(" {}", safe(name)));
    let title = format!("{}{name}", block.title);
    let lines = block.lines.len();
    if block.same && lines > 1 {
        let text = format!("(as in {})", safe(&shown.labels[0]));
        let pieces = vec![Piece::Plain(text)];
        return Words { title, is_long: false, size: String::new(), pieces };
    }
    let mut pieces = pieces(block.lines);
    let bytes: usize = pieces.iter().map(Piece::len).sum();
    if bytes > MOST {
        cut(&mut pieces, bytes);
    }
    let is_long = lines > LONG.0 || bytes > LONG.1;
    Words { title, is_long, size: counted(lines as u64, "line"), pieces }
}

/// The pieces of some lines; neighbours that are marked alike are one.
fn pieces(lines: Vec<Line>) -> Vec<Piece> {
    let mut all: Vec<Piece> = Vec::new();
    for (index, line) in lines.into_iter().enumerate() {
        if index > 0 {
            push_plain(&mut all, "\n");
        }
        for piece in line.pieces {
            match piece.marks {
                None => push_plain(&mut all, &piece.text),
                Some(marks) if marks == NEW => all.push(Piece::New(piece.text)),
                Some(_) => all.push(Piece::Old(piece.text)),
            }
        }
    }
    if all.is_empty() { vec![Piece::Plain("(nothing)".to_owned())] } else { all }
}

fn push_plain(pieces: &mut Vec<Piece>, text: &str) {
    match pieces.last_mut() {
        Some(Piece::Plain(last)) => last.push_str(text),
        _ => pieces.push(Piece::Plain(text.to_owned())),
    }
}

impl Piece {
    fn text(&mut self) -> &mut String {
        match self {
            Self::Plain(text) | Self::Old(text) | Self::New(text) | Self::Token { text, .. } => {
                text
            }
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Plain(text) | Self::Old(text) | Self::New(text) | Self::Token { text, .. } => {
                text.len()
            }
        }
    }
}

/// Leaves the beginning of a text, and says how much is left out.
fn cut(pieces: &mut Vec<Piece>, bytes: usize) {
    let mut room = MOST;
    let mut kept = 0;
    for piece in pieces.iter_mut() {
        if room == 0 {
            break;
        }
        let text = piece.text();
        if text.len() > room {
            text.truncate(text.floor_char_boundary(room));
            room = 0;
        }
        room = room.saturating_sub(text.len());
        kept += 1;
    }
    pieces.truncate(kept);
    let left_out = grouped(bytes.saturating_sub(MOST) as u64);
    push_plain(pieces, &format!("\n… {left_out} more bytes are left out of this page"));
}

/// The tokens of a turn; those that were not certain are coloured and name their alternatives.
fn heat(tokens: &TokenSeq, range: HeatRange) -> Words {
    let mut pieces: Vec<Piece> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let text = lines_of(token.text);
        let probability = Measure::Probability.of(token).filter(|_| token.span == Span::Action);
        let sureness = probability.map(|value| range.sureness(Measure::Probability, value));
        match sureness.filter(|sureness| *sureness <= SURE && !text.is_empty()) {
            None => push_plain(&mut pieces, &text),
            Some(sureness) => {
                let step = (sureness / SURE * (TOKEN_STEPS - 1) as f64).round() as usize;
                pieces.push(Piece::Token { text, step, tip: alternatives(tokens, index) });
            }
        }
    }
    let title = format!("generated, {}", counted(tokens.len() as u64, "token"));
    Words { title, is_long: false, size: String::new(), pieces }
}

/// Text of a token, safe to show; its line breaks stay.
fn lines_of(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(safe).collect();
    lines.join("\n")
}

/// The probability of a token and its recorded alternatives, a line each.
fn alternatives(tokens: &TokenSeq, index: usize) -> String {
    let shown = |text: &str| match text {
        "" => "(empty)".to_owned(),
        text => visible(text).replace(' ', "·"),
    };
    let token = tokens.get(index);
    let mut lines = vec![format!("{} {}", two(token.logprob.exp()), shown(token.text))];
    let mut others: Vec<_> = tokens.alternatives(index).collect();
    others.sort_by(|a, b| b.logprob.total_cmp(&a.logprob));
    let others = others.into_iter().filter(|other| other.text != token.text).take(ALTERNATIVES);
    lines.extend(others.map(|other| format!("{} {}", two(other.logprob.exp()), shown(other.text))));
    if lines.len() > 1 {
        lines.insert(1, "instead of".to_owned());
    }
    lines.join("\n")
}

/// What judges say of the runs, a line each.
fn verdicts(shown: &SideBySide<'_>) -> Vec<String> {
    let words = |judgment: &&Judgment| {
        let (a, b) = (judgment.draw_a, judgment.draw_b);
        let (judge, confidence) = (safe(&judgment.judge), number(judgment.confidence));
        let (cell, verdict) = (other_cell(shown, &judgment.cell), verdict(judgment));
        format!("{judge}: {cell}{a}–{b} {verdict}, confidence {confidence}")
    };
    shown.judgments.iter().map(words).collect()
}

/// The name of a cell that is not the first pane's.
fn other_cell(shown: &SideBySide<'_>, cell: &Cell) -> String {
    if shown.is_first_cell(cell) { String::new() } else { format!("{} ", safe(&cell.to_string())) }
}

/// What the agent did not see, as titled lines.
fn hidden(shown: &SideBySide<'_>) -> Vec<(String, Vec<String>)> {
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    let mut add = |title: String, lines: Vec<String>| {
        if !lines.is_empty() {
            all.push((title, lines));
        }
    };
    let printed = |text: &str| fitted(&plain(text), true);
    add("instruction".to_owned(), shown.instruction.map(printed).unwrap_or_default());
    for pane in 0..shown.runs.len() {
        let label = safe(&shown.labels[pane]);
        add(format!("checks of {label}"), check_lines(shown, pane, true));
        add(format!("the agent's model says of {label}"), self_assessment(shown, pane, true));
    }
    for pane in 1..shown.runs.len() {
        let (a, b) = (safe(&shown.labels[0]), safe(&shown.labels[pane]));
        let edits = counted(shown.sheet.edits(pane) as u64, "edit");
        let agreement = shown.agreement(pane).into_iter();
        let agreement = agreement.map(|(scorer, value)| format!("{scorer} {value:.3}"));
        let agreement: Vec<String> = std::iter::once(edits).chain(agreement).collect();
        add(format!("pair {a}–{b}"), vec![agreement.join("  ")]);
        add(format!("judges wrote about {a}–{b}"), judged(shown, pane, true));
    }
    for note in &shown.notes {
        let about = format!("{}{}", other_cell(shown, &note.cell), subject(shown, note));
        let title = format!("note on {about}, {}, {}", safe(&note.author), day(note.time));
        add(title, printed(&note.note));
    }
    let errors = shown.errors.iter().map(|label| {
        let about = format!("{}{}", other_cell(shown, &label.cell), marked(shown, label));
        format!("{about}, {}, {}", safe(&label.author), day(label.time))
    });
    add("decisive errors".to_owned(), errors.collect());
    all
}
