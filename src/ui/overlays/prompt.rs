//! A line of input, with completions above it and errors below it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget as _};
use ratatui_textarea::{CursorMove, TextArea};

use crate::engine::NamedRecipe;
use crate::filter::{Completion, Field, Filter, FilterError, complete};
use crate::metrics::threshold::Aim;
use crate::model::Costs;
use crate::report::OutputFormat;
use crate::report::figure::FigureFormat;
use crate::text::visible;
use crate::ui::action::Action;
use crate::ui::history::Kind;
use crate::ui::hits::{Hit, Hits};
use crate::ui::picture::PICTURES;
use crate::ui::screens::Spot;
use crate::ui::shared::Narrows;
use crate::ui::theme::Theme;
use crate::ui::widgets::{fit, padded, put, width};

/// Completions that are shown.
const MOST: usize = 8;

/// What a prompt asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Words to search for.
    Search,
    /// An expression that narrows lists or numbers.
    Tasks(Narrows),
    /// A name for the selection or the scope.
    Name(Narrows),
    /// A file to write to.
    Export,
    /// The name under which notes and votes are written.
    Author,
    /// The flags of a scoring.
    Score,
    /// A confidence.
    Threshold,
    /// A confidence below which runs are stopped.
    StopBelow,
    /// What a failure, a review and a run cost.
    Costs,
    /// How much of something a threshold is to achieve.
    Aim(AimKind),
    /// A name for a combination of scorers.
    ScorerName,
}

/// What a threshold is to achieve to some share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AimKind {
    /// Successes among the tasks that are accepted.
    Success,
    /// Tasks that are reviewed.
    Review,
}

impl AimKind {
    fn aim(self, share: f64) -> Aim {
        match self {
            Self::Success => Aim::Success(share),
            Self::Review => Aim::Review(share),
        }
    }
}

/// A line in which the user types.
#[derive(Debug)]
pub struct Prompt {
    /// What it asks for.
    pub ask: Ask,
    area: TextArea<'static>,
    /// What may be typed next, and which of it is marked.
    pub completions: Vec<Completion>,
    /// The marked completion; none until the user moves to one.
    pub marked: Option<usize>,
    replaces: std::ops::Range<usize>,
    /// What is wrong with what was typed.
    pub error: Option<FilterError>,
    /// What was there before, to go back to.
    pub before: String,
    /// What is to be known of it beside what it asks for.
    pub note: String,
    /// The rows that a table is limited to, in words.
    pub only: Option<String>,
    /// Whether the screen has a figure, and whether that is written.
    figure: FigureOffer,
    /// What was typed earlier, the oldest first.
    history: Vec<String>,
    /// The line of the history that is shown, and what was typed before it.
    recalled: Option<(usize, String)>,
}

/// Whether the screen has a figure, and whether that is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FigureOffer {
    #[default]
    None,
    Offered,
    Taken,
}

/// What a key did to a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ui) enum Answer {
    Typing,
    Done,
    Cancelled,
    /// What the expression narrows is to be the other one.
    Switch,
}

impl Prompt {
    pub(in crate::ui) fn new(ask: Ask, text: &str) -> Self {
        Self {
            ask,
            area: area(text),
            completions: Vec::new(),
            marked: None,
            replaces: 0..0,
            error: None,
            before: text.to_owned(),
            note: String::new(),
            only: None,
            figure: FigureOffer::None,
            history: Vec::new(),
            recalled: None,
        }
    }

    /// The same prompt, which recalls these lines.
    #[must_use]
    pub(in crate::ui) fn recalling(mut self, history: &[String]) -> Self {
        self.history = history.to_vec();
        self
    }

    /// The same prompt with its cursor before so many bytes of the text.
    #[must_use]
    pub(in crate::ui) fn at(mut self, byte: usize) -> Self {
        let column = self.text().get(..byte).map_or(0, |before| before.chars().count());
        self.area.move_cursor(CursorMove::Jump(0, column as u16));
        self
    }

    /// Begins anew with another text.
    pub(in crate::ui) fn replace(&mut self, text: &str) {
        (self.area, self.marked) = (area(text), None);
    }

    pub(in crate::ui) fn key(&mut self, key: KeyEvent) -> Answer {
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Enter => return Answer::Done,
            KeyCode::Esc => return Answer::Cancelled,
            KeyCode::Char('c') if ctrl => return Answer::Cancelled,
            // The area would begin a new line at these.
            KeyCode::Char('m' | 'j') if ctrl => return Answer::Done,
            // As in a shell; the area itself would undo.
            KeyCode::Char('u') if ctrl => drop(self.area.delete_line_by_head()),
            KeyCode::Char('s') if ctrl && self.ask.narrows().is_some() => return Answer::Switch,
            KeyCode::Char('s') if ctrl && self.ask == Ask::Export => self.switch_figure(),
            KeyCode::Tab => self.take_completion(),
            KeyCode::Down if self.recalled.is_none() => self.mark(true),
            KeyCode::Up if self.marked.is_some() => self.mark(false),
            KeyCode::Up => self.recall(true),
            KeyCode::Down => self.recall(false),
            _ => {
                self.recalled = None;
                self.area.input(key);
            }
        }
        Answer::Typing
    }

    /// Offers the figure of the screen beside its table, where it has one.
    pub(in crate::ui) fn offer_figure(&mut self, has_figure: bool) {
        self.figure = match self.figure {
            _ if !has_figure => FigureOffer::None,
            FigureOffer::None => FigureOffer::Offered,
            known => known,
        };
    }

    /// Whether a file of this name is the figure: where it was chosen, and where nothing else is written so.
    pub(in crate::ui) fn writes_figure(&self, path: &Path) -> bool {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let only_figures = FigureFormat::ALL.map(FigureFormat::ending);
        let is_one = only_figures.contains(&ending) && !PICTURES.contains(&ending);
        self.figure == FigureOffer::Taken || is_one
    }

    /// Writes the figure instead of the screen, or the screen instead of the figure. The name is kept, with an
    /// ending that fits.
    fn switch_figure(&mut self) {
        let text = self.text();
        let (typed, first) = (PathBuf::from(text.trim()), PathBuf::from(&self.before));
        self.figure = match self.figure {
            FigureOffer::None => return,
            FigureOffer::Offered => FigureOffer::Taken,
            FigureOffer::Taken => FigureOffer::Offered,
        };
        let ending = match self.figure {
            FigureOffer::Taken => OsStr::new(FigureFormat::Svg.ending()),
            _ => first.extension().unwrap_or_default(),
        };
        self.replace(&typed.with_extension(ending).display().to_string());
        self.error = None;
    }

    pub(in crate::ui) fn paste(&mut self, text: &str) {
        let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.area.insert_str(line);
    }

    /// Looks at what was typed: what is wrong with it, and what could come next.
    pub(in crate::ui) fn check(&mut self, fields: &[Field]) {
        if self.ask.narrows().is_none() {
            self.error = None;
            return;
        }
        let text = self.text();
        let parsed = Filter::parse(&text, fields);
        self.error = parsed.err().filter(|_| !text.trim().is_empty());
        let found = complete(&text, self.cursor(), fields);
        self.replaces = found.at;
        self.completions = found.items;
        self.marked = self.marked.filter(|index| *index < self.completions.len());
    }

    /// Says what is wrong with what was typed as a whole.
    pub(in crate::ui) fn refuse(&mut self, message: String) {
        self.error = Some(FilterError { at: 0..self.text().len(), message });
    }

    /// Offers expressions that were kept under a name, before what else could come next.
    pub(in crate::ui) fn offer_named(&mut self, named: Vec<Completion>) {
        let text = self.text();
        let typed = text.trim().to_lowercase();
        let fits = |one: &Completion| one.name.to_lowercase().starts_with(&typed);
        let mut fitting: Vec<_> = named.into_iter().filter(fits).collect();
        if !fitting.is_empty() {
            // A name stands for the whole expression.
            self.replaces = 0..text.len();
            // What completes a word would replace all of them.
            self.completions.retain(|_| !typed.contains(char::is_whitespace));
            fitting.append(&mut self.completions);
            self.completions = fitting;
        }
    }

    /// Shows the line before or after in the history; after the newest, what was being typed.
    fn recall(&mut self, older: bool) {
        let (shown, typed) = match self.recalled.take() {
            Some((shown, typed)) => (shown, typed),
            None => (self.history.len(), self.text()),
        };
        let next = if older { shown.checked_sub(1) } else { Some(shown + 1) };
        match next.and_then(|next| Some((next, self.history.get(next)?.clone()))) {
            Some((next, line)) => {
                self.replace(&line);
                self.recalled = Some((next, typed));
            }
            // The oldest stays.
            None if older => self.recalled = self.history.get(shown).map(|_| (shown, typed)),
            None => self.replace(&typed),
        }
    }

    fn mark(&mut self, down: bool) {
        let last = self.completions.len().checked_sub(1);
        self.marked = match (self.marked, down) {
            (None, true) => last.map(|_| 0),
            (None | Some(0), false) => None,
            (Some(index), true) => last.map(|last| (index + 1).min(last)),
            (Some(index), false) => Some(index - 1),
        };
    }

    fn take_completion(&mut self) {
        let Some(completion) = self.completions.get(self.marked.unwrap_or(0)) else { return };
        let text = self.text();
        let (before, after) = (&text[..self.replaces.start], &text[self.replaces.end..]);
        let start = format!("{before}{}", completion.insert);
        let column = start.chars().count() as u16;
        self.area = area(&format!("{start}{after}"));
        self.area.move_cursor(CursorMove::Jump(0, column));
        self.marked = None;
    }

    /// Where the cursor stands, in bytes.
    fn cursor(&self) -> usize {
        let column = self.area.cursor().1;
        let text = self.text();
        text.char_indices().nth(column).map_or(text.len(), |(byte, _)| byte)
    }

    /// What was typed.
    pub fn text(&self) -> String {
        self.area.lines().join(" ")
    }

    pub(super) fn draw(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        theme: &Theme,
        hits: &mut Hits<Spot>,
    ) {
        let first = self.marked.unwrap_or(0).saturating_sub(MOST - 1);
        let shown: Vec<_> = self.completions.iter().enumerate().skip(first).take(MOST).collect();
        let height = shown.len() as u16 + 2;
        let frame = Rect { y: area.bottom().saturating_sub(height), height, ..area };
        Clear.render(frame, buffer);
        buffer.set_style(frame, theme.overlay);
        hits.add(area, Hit::Nothing);
        for ((index, completion), line) in shown.into_iter().zip(frame.rows()) {
            let name = padded(&fit(&visible(&completion.name), 28), 28);
            let marked = self.marked == Some(index);
            let (mark, style) = if marked { ("▸", theme.selected) } else { (" ", theme.text) };
            let name = Span::styled(format!("   {mark} {name} "), style);
            let hint = visible(&completion.hint).into_owned();
            put(buffer, line, Line::from(vec![name, Span::styled(hint, theme.dim)]));
        }
        let line = Rect { y: frame.bottom() - 2, height: 1, ..frame };
        let sign = if self.figure == FigureOffer::Taken {
            " write the figure to "
        } else {
            self.ask.sign()
        };
        put(buffer, line, Line::styled(sign, theme.key));
        let indent = width(sign) as u16;
        let rest = Rect { x: line.x + indent, width: line.width.saturating_sub(indent), ..line };
        self.area.render(rest, buffer);
        let below = Rect { y: frame.bottom() - 1, height: 1, ..frame };
        let said = if let Some(error) = &self.error {
            let message = self.pointed_at(error, usize::from(indent), usize::from(below.width));
            Line::styled(message, theme.error)
        } else {
            let note = Span::styled(format!("   {}", self.note), theme.text);
            let only = self.only.as_ref();
            let only = only.map_or(String::new(), |only| format!("; only {only}"));
            let used = if self.note.is_empty() { 3 } else { note.width() + 3 + width(&only) };
            let hints = self.hint();
            let hint = whole_hints(&hints, usize::from(below.width).saturating_sub(used));
            let hint = Span::styled(format!("   {hint}{only}"), theme.dim);
            Line::from(if self.note.is_empty() { vec![hint] } else { vec![note, hint] })
        };
        put(buffer, below, said);
    }

    fn hint(&self) -> String {
        let formats = FigureFormat::ALL.into_iter().filter(|format| format.is_built());
        let formats: Vec<&str> = formats.map(FigureFormat::ending).collect();
        let formats = formats.join(" .");
        match self.figure {
            FigureOffer::None => self.ask.hint(),
            FigureOffer::Offered => {
                self.ask.hint().replacen("⏎ write  ", "⏎ write  Ctrl-s its figure  ", 1)
            }
            FigureOffer::Taken => {
                format!("⏎ write  Ctrl-s the screen instead  .{formats} for print, on white")
            }
        }
    }

    /// What is wrong, under the place where it stands if there is room, else from the left.
    fn pointed_at(&self, error: &FilterError, indent: usize, room: usize) -> String {
        let text = self.text();
        let before = width(text.get(..error.at.start).unwrap_or(&text));
        let size = width(text.get(error.at.clone()).unwrap_or_default()).max(1);
        let (space, carets) = (" ".repeat(indent + before), "^".repeat(size));
        let message = visible(&error.message);
        let pointed = format!("{space}{carets} {message}");
        fit(&if width(&pointed) > room { format!(" {message}") } else { pointed }, room)
    }
}

impl Ask {
    /// What the expression narrows that is asked for.
    pub fn narrows(self) -> Option<Narrows> {
        match self {
            Self::Tasks(narrows) => Some(narrows),
            _ => None,
        }
    }

    /// The lines that can be recalled; none where nothing is remembered.
    pub fn kind(self) -> Option<Kind> {
        match self {
            Self::Search => Some(Kind::Search),
            Self::Tasks(_) => Some(Kind::Tasks),
            Self::Export => Some(Kind::Files),
            Self::Author
            | Self::Name(_)
            | Self::Score
            | Self::Threshold
            | Self::StopBelow
            | Self::Costs
            | Self::Aim(_)
            | Self::ScorerName => None,
        }
    }

    /// What the answer asks for, where it asks for something; or what is wrong with it.
    pub fn action(self, text: &str) -> Option<Result<Action, String>> {
        match self {
            Self::Threshold | Self::StopBelow => Some(number(text).map(Action::SetThreshold)),
            Self::Costs => Some(costs(text).map(Action::SetCosts)),
            Self::Aim(kind) => {
                Some(share(text).map(|share| Action::FindThreshold(kind.aim(share))))
            }
            Self::ScorerName => {
                let name = NamedRecipe::name(text).map_err(|why| why.to_string());
                Some(name.map(Action::KeepScorerAs))
            }
            _ => None,
        }
    }

    fn sign(self) -> &'static str {
        match self {
            Self::Search => " / ",
            Self::Tasks(Narrows::Selection) => " select & ",
            Self::Tasks(Narrows::Scope) => " scope & ",
            Self::Name(Narrows::Selection) => " name of the selection ",
            Self::Name(Narrows::Scope) => " name of the scope ",
            Self::Export => " write to ",
            Self::Author => " your name ",
            Self::Score => " qualm score … ",
            Self::StopBelow => " stop a run when its confidence so far is below ",
            Self::Threshold => " accept tasks with a confidence of at least ",
            Self::Costs => " costs of a failure, a review and a run ",
            Self::Aim(AimKind::Success) => " keep at least this share of successes ",
            Self::Aim(AimKind::Review) => " review at most this share of tasks ",
            Self::ScorerName => " name of the scorer ",
        }
    }

    fn hint(self) -> String {
        match self {
            Self::Author => {
                "⏎ go on  Esc leave  signs your notes and votes; kept in the settings".to_owned()
            }
            Self::Score => "⏎ start  Esc leave  keys come from the environment".to_owned(),
            Self::Search => "⏎ keep  Esc forget  then n/N next and previous hit".to_owned(),
            Self::Tasks(narrows) => format!(
                "⏎ apply  Ctrl-s {} instead  Tab complete  ↑ history  empty lifts it",
                narrows.other().word()
            ),
            Self::Threshold | Self::StopBelow => "⏎ set  Esc leave".to_owned(),
            Self::Costs => {
                "⏎ keep them with the store  Esc leave  in any unit: 10 1 0.05".to_owned()
            }
            Self::Aim(_) => "⏎ find the threshold  Esc leave  90% or 0.9".to_owned(),
            Self::Name(_) => "⏎ keep it with the store  Esc leave".to_owned(),
            Self::ScorerName => {
                "⏎ fit it in all cells and keep it with the store  Esc leave".to_owned()
            }
            Self::Export => {
                let pictures = PICTURES.join(" .");
                let tables = OutputFormat::SCREENS.map(OutputFormat::ending).join(" .");
                format!("⏎ write  .{pictures} for a picture, .{tables} for the table")
            }
        }
    }
}

/// Reads a number.
fn number(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| "type a number, such as 0.8".to_owned())
}

/// Reads a share: 0.9, 90% or 90.
fn share(text: &str) -> Result<f64, String> {
    let (digits, percent) = match text.trim().strip_suffix('%') {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    let share =
        number(digits).map(|share| if percent || share > 1.0 { share / 100.0 } else { share });
    let share = share.ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "type a share, such as 0.9 or 90%".to_owned())
}

/// Reads three costs.
fn costs(text: &str) -> Result<Costs, String> {
    let numbers = text.split([' ', ',', ';']).filter(|word| !word.is_empty()).map(number);
    let costs = match numbers.collect::<Result<Vec<f64>, String>>()?[..] {
        [failure, review, run] => Some(Costs { failure, review, run }),
        _ => None,
    };
    let wrong = || "type three costs that are not negative, such as 10 1 0.05".to_owned();
    costs.filter(Costs::are_valid).ok_or_else(wrong)
}

/// As many of the hints, which two spaces separate, as there is room for.
fn whole_hints(hints: &str, room: usize) -> &str {
    let mut shown = hints;
    while width(shown) > room {
        let Some((first, _)) = shown.rsplit_once("  ") else { return hints };
        shown = first;
    }
    shown
}

fn area(text: &str) -> TextArea<'static> {
    let mut area = TextArea::new(vec![text.to_owned()]);
    area.move_cursor(CursorMove::End);
    area.set_cursor_line_style(Style::default());
    area
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_costs_are_read_as_people_write_them() {
        for text in ["0.9", ".9", "90%", " 90 ", "90 %"] {
            assert_eq!(share(text), Ok(0.9), "{text}");
        }
        assert_eq!((share("1"), share("0")), (Ok(1.0), Ok(0.0)));
        for text in ["", "-1", "120%", "nine", "inf"] {
            assert!(share(text).is_err(), "{text}");
        }
        let wanted = Costs { failure: 10.0, review: 1.0, run: 0.5 };
        for text in ["10 1 0.5", "10, 1, .5", "10;1;0.5"] {
            assert_eq!(costs(text), Ok(wanted), "{text}");
        }
        for text in ["", "10 1", "10 1 0 0", "10 -1 0", "10 one 0"] {
            assert!(costs(text).is_err(), "{text}");
        }
        assert!(number("nan").is_err() && number("-3.5") == Ok(-3.5));
    }
}
