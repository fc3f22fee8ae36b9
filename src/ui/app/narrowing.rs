//! The prompt of selection and scope, the presets, and named expressions.

use super::App;
use crate::filter::conjuncts;
use crate::text::{counted, grouped};
use crate::ui::action::{Action, Preset};
use crate::ui::overlays::{Ask, Choice, Overlay, Prompt};
use crate::ui::screens::Screen;
use crate::ui::shared::Narrows;

impl App {
    /// Asks for the expression of the selection or the scope.
    pub(super) fn edit_tasks(&mut self, narrows: Narrows) {
        let text = self.shared.narrowed_by(narrows).to_owned();
        self.ask(Prompt::new(Ask::Tasks(narrows), &text));
        self.typed();
    }

    /// Opens a prompt that recalls what was typed into others of its kind.
    pub(super) fn ask(&mut self, prompt: Prompt) {
        let lines = prompt.ask.kind().map_or(&[][..], |kind| self.shared.history.of(kind));
        let prompt = prompt.recalling(lines);
        self.overlays.push(Overlay::Prompt(Box::new(prompt)));
    }

    /// What is typed becomes the scope in place of the selection, or the other way round. Where nothing
    /// was changed yet and the other has an expression, that one is shown.
    pub(super) fn switch_narrowing(&mut self) {
        let Some(Overlay::Prompt(prompt)) = self.overlays.last_mut() else { return };
        let Some(narrows) = prompt.ask.narrows() else { return };
        let other = narrows.other();
        prompt.ask = Ask::Tasks(other);
        let there = self.shared.narrowed_by(other);
        if prompt.text() == self.shared.narrowed_by(narrows) && !there.is_empty() {
            prompt.replace(there);
        }
        self.typed();
    }

    /// Narrows lists or numbers by what was typed. A selection that becomes the scope is none any more.
    pub(super) fn narrow(&mut self, narrows: Narrows, text: &str) {
        let text = text.trim();
        if text.is_empty() && self.shared.narrowed_by(narrows).is_empty() {
            return self.shared.say(match narrows {
                Narrows::Selection => "there is no selection to lift",
                Narrows::Scope => "there is no scope to lift",
            });
        }
        let other = narrows.other();
        if !text.is_empty() && self.shared.narrowed_by(other) == text {
            self.shared.narrow(other, "");
        }
        self.shared.narrow(narrows, text);
        if narrows == Narrows::Selection {
            self.say_selected();
        }
    }

    pub(super) fn toggle_preset(&mut self, preset: Preset) {
        self.shared.toggle_preset(preset);
        self.say_selected();
    }

    /// Whether the open screen shows a list that a selection narrows.
    pub(in crate::ui) fn lists_tasks(&self) -> bool {
        matches!(self.screen, Screen::Tasks | Screen::Compare | Screen::Aggregators)
    }

    /// Says what was selected where it is not seen.
    fn say_selected(&mut self) {
        if self.shared.is_voting && self.shared.selection_tells(&self.shared.task_query()) {
            self.shared.say("the list leaves out tasks that you have not voted on");
            return;
        }
        if self.lists_tasks() || self.shared.notice.is_some() {
            return;
        }
        let said = match conjuncts(&self.shared.lens.selection).len() {
            0 => "nothing is selected: lists show all tasks".to_owned(),
            _ => format!(
                "selected in Tasks, Compare and Aggregators, no number changes: {}",
                self.shared.lens.selection
            ),
        };
        self.shared.say(said);
    }

    /// How many tasks the expression would keep that is being typed.
    pub(super) fn count_typed(&mut self) {
        let Some(Overlay::Prompt(prompt)) = self.overlays.last_mut() else { return };
        let Some(narrows) = prompt.ask.narrows() else { return };
        let text = prompt.text();
        prompt.note = if prompt.error.is_some() {
            String::new()
        } else {
            let kept = self.shared.would_keep(text.trim(), narrows);
            let all = self.shared.would_keep("", narrows);
            let kept = kept.map_or("…".to_owned(), |kept| grouped(kept as u64));
            let is_pooled = self.shared.engine().is_some_and(|engine| engine.is_pooled());
            let noun = if is_pooled { "run" } else { "task" };
            let all = counted(all.unwrap_or_default() as u64, noun);
            let known = if self.shared.counts_known_only(text.trim(), narrows) {
                ", without tasks that you have not voted on"
            } else {
                ""
            };
            match narrows {
                Narrows::Selection => format!("lists {kept} of {all}{known}"),
                Narrows::Scope => format!("numbers on {kept} of {all}{known}"),
            }
        };
    }

    /// Why the open screen shows no numbers: those of the scope would tell somebody who votes.
    pub(in crate::ui) fn hidden_numbers(&self) -> Option<String> {
        let numbers = [
            Screen::Grid,
            Screen::Aggregators,
            Screen::Curves,
            Screen::Stuck,
            Screen::Judges,
            Screen::Versus,
        ];
        self.shared.hidden_numbers().filter(|_| numbers.contains(&self.screen))
    }

    /// Asks for a name of what is selected or in scope.
    pub(super) fn name_tasks(&mut self, narrows: Narrows) {
        if self.shared.narrowed_by(narrows).is_empty() {
            let word = narrows.word();
            return self.shared.say(format!("there is no {word} to name; & writes an expression"));
        }
        self.ask(Prompt::new(Ask::Name(narrows), ""));
    }

    /// The commands of the palette that are about selection and scope.
    pub(super) fn narrowing_choices(&self) -> Vec<Choice> {
        let choice = |name: String, hint: &str, action: Action| Choice {
            name,
            hint: hint.to_owned(),
            action,
        };
        let mut choices = Vec::new();
        for narrows in [Narrows::Selection, Narrows::Scope] {
            let word = narrows.word();
            choices.push(choice(format!("edit the {word}"), "", Action::EditTasks(narrows)));
            let name = format!("keep the {word} under a name");
            choices.push(choice(name, "", Action::NameTasks(narrows)));
            for named in self.shared.named.of(narrows) {
                let action = Action::Narrow(narrows, named.expression.clone());
                choices.push(choice(format!("{word} {}", named.name), &named.expression, action));
                let action = Action::ForgetNamed(narrows, named.name.clone());
                let name = format!("withdraw the {word} {}", named.name);
                choices.push(choice(name, &named.expression, action));
            }
        }
        choices
    }
}
