//! A list to choose from by typing: the command palette, scorers, columns.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::App;
use super::action::{Action, Screen};
use super::jobs::RunKey;
use super::keymap::Keymap;
use crate::engine::Column;
use crate::metrics::Metric;
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::whitebox::Base;

/// An entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// What is shown and searched.
    pub name: String,
    /// What is shown beside it.
    pub hint: String,
    /// What it does.
    pub action: Action,
}

/// A list that narrows as one types.
#[derive(Clone, Debug)]
pub struct Picker {
    /// What the list is of.
    pub title: String,
    /// What was typed.
    pub typed: String,
    all: Vec<Choice>,
    /// Places of the entries that fit, the closest first.
    pub shown: Vec<usize>,
    /// The marked entry among those shown.
    pub marked: usize,
    /// Choosing keeps the list open.
    pub stays: bool,
    /// The scorer to go back to: the list is tried on while one moves through it.
    pub tried: Option<Scorer>,
}

pub(super) enum Picked {
    Typing,
    Moved,
    Cancelled,
    Chosen(Action),
}

impl Picker {
    pub(super) fn new(title: impl Into<String>, all: Vec<Choice>) -> Self {
        let shown = (0..all.len()).collect();
        let title = title.into();
        Self { title, typed: String::new(), all, shown, marked: 0, stays: false, tried: None }
    }

    /// An entry by its place among those shown.
    pub fn choice(&self, place: usize) -> Option<&Choice> {
        self.shown.get(place).map(|&own| &self.all[own])
    }

    pub(super) fn key(&mut self, key: KeyEvent) -> Picked {
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        let last = self.shown.len().saturating_sub(1);
        match key.code {
            KeyCode::Esc => return Picked::Cancelled,
            KeyCode::Char('c') if ctrl => return Picked::Cancelled,
            KeyCode::Enter => {
                // Where nothing fits there is nothing to choose yet.
                return self
                    .choice(self.marked)
                    .map_or(Picked::Typing, |own| Picked::Chosen(own.action.clone()));
            }
            KeyCode::Char('n') if ctrl => self.marked = (self.marked + 1).min(last),
            KeyCode::Char('p') if ctrl => self.marked = self.marked.saturating_sub(1),
            KeyCode::Down | KeyCode::Tab => self.marked = (self.marked + 1).min(last),
            KeyCode::Up | KeyCode::BackTab => self.marked = self.marked.saturating_sub(1),
            KeyCode::PageDown => self.marked = (self.marked + 10).min(last),
            KeyCode::Home => self.marked = 0,
            KeyCode::End => self.marked = last,
            KeyCode::PageUp => self.marked = self.marked.saturating_sub(10),
            KeyCode::Char('u') if ctrl => return self.narrow(String::new()),
            KeyCode::Backspace => {
                let mut typed = self.typed.clone();
                typed.pop();
                return self.narrow(typed);
            }
            KeyCode::Char(letter) if !ctrl => {
                return self.narrow(format!("{}{letter}", self.typed));
            }
            _ => return Picked::Typing,
        }
        Picked::Moved
    }

    /// Goes on where an earlier list of the same kind was.
    pub(super) fn restore(&mut self, typed: String, marked: usize) {
        if !typed.is_empty() {
            self.narrow(typed);
        }
        self.marked = marked.min(self.shown.len().saturating_sub(1));
    }

    fn narrow(&mut self, typed: String) -> Picked {
        let mut fitting: Vec<(u32, usize)> = self
            .all
            .iter()
            .enumerate()
            .filter_map(|(place, own)| {
                let name = format!("{} {}", own.name, own.hint);
                Some((distance(&typed, &name)?, place))
            })
            .collect();
        fitting.sort_unstable();
        self.shown = fitting.into_iter().map(|(_, place)| place).collect();
        self.typed = typed;
        self.marked = 0;
        Picked::Moved
    }
}

/// How far a name is from what was typed: none when its letters are not all there in order. One that
/// holds it whole is nearest, at the beginning of a word first; else every gap counts, and beginnings
/// of words are near.
pub fn distance(typed: &str, name: &str) -> Option<u32> {
    let (whole, all) = (typed.trim().to_lowercase(), name.to_lowercase());
    if let Some(place) = all.find(&whole) {
        let begins = !all[..place].ends_with(char::is_alphanumeric);
        return Some(if begins { 0 } else { 4 });
    }
    let name: Vec<char> = name.to_lowercase().chars().collect();
    let mut from = 0;
    let mut sum = 2;
    for letter in typed.to_lowercase().chars().filter(|letter| !letter.is_whitespace()) {
        let rest = &name[from..];
        let begins = |place: usize| place == 0 || !name[place - 1].is_alphanumeric();
        let near = rest.first().is_some_and(|own| *own == letter).then_some(0);
        let word =
            || rest.iter().enumerate().position(|(at, own)| *own == letter && begins(from + at));
        let any = || rest.iter().position(|own| *own == letter);
        let (gap, cost) = if let Some(gap) = near.or_else(word) {
            (gap, u32::from(gap > 0))
        } else {
            let gap = any()?;
            (gap, 2 + gap as u32)
        };
        sum += cost;
        from += gap + 1;
    }
    Some(sum)
}

impl App {
    /// All commands that work here.
    pub(super) fn palette(&self) -> Picker {
        let mut all: Vec<Choice> = Keymap::on(self.screen)
            .filter(|own| own.action != Action::Palette)
            .map(|own| Choice {
                name: own.description.to_owned(),
                hint: format!("{}  {:>4}", own.id, self.keymap.shown(own)),
                action: own.action.clone(),
            })
            .collect();
        let mut add = |name: String, hint: &str, action: Action| {
            all.push(Choice { name, hint: hint.to_owned(), action });
        };
        for metric in Metric::ALL {
            add(format!("metric {}", metric.id()), "", Action::SetMetric(metric));
        }
        for rule in self.lens.rules() {
            add(format!("aggregator {}", rule.id()), "", Action::SetAggregator(rule));
        }
        for scorer in self.grid_scorers() {
            let name = format!("scorer {}", scorer.label());
            add(name, scorer.family().id(), Action::SetScorer(scorer));
        }
        for (place, cell) in self.columns.iter().enumerate() {
            add(format!("cell {cell}"), "", Action::SetCell(place));
        }
        add("lift the filter".to_owned(), "", Action::SetFilter(String::new()));
        Picker::new("Commands", all)
    }

    /// The scorers, the current one marked.
    pub(super) fn scorer_picker(&self) -> Picker {
        let scorers = match (self.screen, self.data.engine()) {
            (Screen::Aggregators, Some(engine)) => {
                let rule = self.lens.scorer.aggregator().unwrap_or(Aggregator::Min);
                let all = Base::ALL.map(|base| Scorer::WhiteBox(base, rule)).into_iter();
                all.filter(|own| engine.has_values(own)).collect()
            }
            _ => self.grid_scorers(),
        };
        let choice = |own: &Scorer| {
            let value = self.data.numbers.value(own, self.cell);
            let value = value.map_or("–".to_owned(), |value| format!("{value:.2}"));
            Choice {
                name: own.label(),
                hint: format!("{value:>6}  {:<19}", own.family().id()),
                action: Action::SetScorer(own.clone()),
            }
        };
        let mut picker = Picker::new("Scorer", scorers.iter().map(choice).collect());
        picker.marked = scorers.iter().position(|own| *own == self.lens.scorer).unwrap_or(0);
        picker.tried = Some(self.lens.scorer.clone());
        picker
    }

    /// The columns to sort by.
    pub(super) fn sort_picker(&self) -> Picker {
        let Some(engine) = self.data.engine() else { return Picker::new("Sort by", Vec::new()) };
        let choice = |own: &Column| Choice {
            name: own.name(),
            hint: match own {
                Column::Scorer(scorer) => scorer.label(),
                _ if *own == self.tasks.sort => "again: the other way round".to_owned(),
                _ => String::new(),
            },
            action: Action::SetSort(own.clone()),
        };
        let columns = engine.columns();
        let mut picker = Picker::new("Sort by", columns.iter().map(choice).collect());
        picker.marked = columns.iter().position(|own| *own == self.tasks.sort).unwrap_or(0);
        picker
    }

    /// The runs that the focused pane could show.
    pub(super) fn pane_picker(&self) -> Picker {
        let choice = |key: &RunKey| {
            let cell = self.columns.get(key.id.cell as usize);
            let draw =
                if key.draw == 0 { "reference".to_owned() } else { format!("sample {}", key.draw) };
            let outcome = self.task_of(key.id).and_then(|own| own.outcome(key.draw));
            let outcome = match outcome {
                Some(true) => "✓ solved",
                Some(false) => "✗ failed",
                None => "· not graded",
            };
            let shown = if self.compare.keys.contains(key) { "shown" } else { "" };
            Choice {
                name: format!("{draw} of {}", cell.map_or(String::new(), ToString::to_string)),
                hint: format!("{shown:<6} {outcome:<12}"),
                action: Action::SetPane(*key),
            }
        };
        let all = self.pane_choices();
        let mut picker = Picker::new("This pane shows", all.iter().map(choice).collect());
        let current = self.compare.keys.get(self.compare.focus);
        picker.marked = all.iter().position(|own| Some(own) == current).unwrap_or(0);
        picker
    }

    /// The score columns that can be shown.
    pub(super) fn column_picker(&self) -> Picker {
        let choice = |own: &Scorer| Choice {
            name: own.label(),
            hint: if self.tasks.extra.contains(own) { "shown" } else { "" }.to_owned(),
            action: Action::ToggleColumn(own.clone()),
        };
        let mut picker =
            Picker::new("Score columns", self.grid_scorers().iter().map(choice).collect());
        picker.stays = true;
        picker
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_come_first() {
        assert_eq!(distance("", "anything"), Some(0));
        assert_eq!(distance("xyz", "metric prr"), None);
        let near = distance("prr", "metric prr").expect("fits");
        let far = distance("prr", "previous row, half right").expect("fits");
        assert!(near < far, "{near} {far}");
        assert!(distance("mp", "metric prr") < distance("mp", "compare"));
    }
}
