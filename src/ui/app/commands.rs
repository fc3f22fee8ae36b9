//! What every screen can do: change the lens, choose from lists, copy, write files, leave.

use super::App;
use crate::metrics::Metric;
use crate::model::{Cell, Costs};
use crate::scorers::Scorer;
use crate::store::{ChosenBy, Note};
use crate::text::{counted, visible};
use crate::ui::action::Action;
use crate::ui::effects::Effect;
use crate::ui::keymap::Keymap;
use crate::ui::overlays::{Ask, Choice, Help, NoteEditor, Overlay, Picker, Prompt, ScorerList};
use crate::ui::screens::{Go, Target};
use crate::ui::shared::{About, Narrows, Shared};
use crate::ui::view::Named as _;

impl App {
    /// The open screen does what it is asked, else the app; says whether it means something here.
    pub(super) fn update(&mut self, action: &Action) -> bool {
        if self.shared.author.is_empty() && action.needs_author() {
            self.ask_author(action);
            return true;
        }
        match self.screens.update(self.screen, action, &mut self.shared) {
            Go::Pass => return self.command(action),
            go => self.go(go),
        }
        true
    }

    /// Does what a key or an entry of a list asks for, and says so where that is nothing.
    pub(super) fn update_or_say(&mut self, action: &Action) {
        if !self.update(action) {
            let row = Keymap::on(self.screen).find(|binding| binding.action == *action);
            let key = row.and_then(|binding| self.shared.keymap.key_of(binding.id));
            let what = key.unwrap_or("this").to_owned();
            self.shared.say(format!("{what} does nothing here"));
        }
    }

    fn command(&mut self, action: &Action) -> bool {
        match action {
            Action::Quit => self.quit(),
            Action::Help => self.overlays.push(Overlay::Help(Help::default())),
            Action::Palette => self.pick(Self::palette),
            Action::Scorers => self.overlays.push(Overlay::Scorers(ScorerList::default())),
            Action::StopScoring => self.stop_scoring(),
            Action::ChooseScorer => self.pick(Self::scorer_picker),
            Action::Note => self.write_note(),
            Action::ChooseNote => self.choose_note(),
            Action::EditNote(note) => self.edit_note(note),
            Action::OpenTask(id) => self.open(&Target::Task(*id, None)),
            Action::OpenTurn(id, turn) => self.open(&Target::Turn(*id, *turn)),
            Action::OpenPair(pair) => self.open(&Target::Task(pair.id, Some(pair.draw))),
            Action::VoteOn(pair) => self.open(&Target::Pair(*pair, ChosenBy::Direct)),
            Action::NextJudge => self.next_judge(),
            Action::NextTreatment => {
                self.shared.lens.stuck = self.shared.lens.stuck.next();
                let words = self.shared.lens.stuck.words();
                self.shared.say(format!("stuck tasks are {words}, in agreement scores"));
            }
            Action::Redraw => self.shared.effects.push(Effect::Redraw),
            Action::Suspend => self.shared.effects.push(Effect::Suspend),
            Action::Back => self.go_back(None),
            Action::JumpBack => self.jump_back(),
            Action::Choose => self.pick(Self::cell_picker),
            Action::NextChoice => self.shared.step_cell(true),
            Action::PreviousChoice => self.shared.step_cell(false),
            Action::Open(screen) => self.open(&Target::Screen(*screen)),
            Action::Copy if self.hidden_numbers().is_some() => {
                self.shared.say("numbers are hidden in this scope while you vote");
            }
            Action::Copy => match self.screens.copied(self.screen, &self.shared) {
                Some(text) => self.shared.copy(text),
                None => self.shared.say("there is nothing to copy here"),
            },
            Action::CopyCommand => self.copy_command(),
            Action::Export => self.ask_export(),
            Action::SwitchTheme => self.shared.switch_theme(),
            Action::EditTasks(narrows) => self.edit_tasks(*narrows),
            Action::Narrow(narrows, text) => self.narrow(*narrows, text),
            Action::Preset(preset) => self.toggle_preset(*preset),
            Action::NameTasks(narrows) => self.name_tasks(*narrows),
            Action::ForgetNamed(narrows, name) => self.shared.forget_named(*narrows, name),
            Action::SetCell(cell) => self.select_cell(*cell),
            Action::EditCosts => {
                let Costs { failure, review, run } = self.shared.costs.current;
                self.ask(Prompt::new(Ask::Costs, &format!("{failure} {review} {run}")));
            }
            Action::SetCosts(costs) => self.shared.set_costs(*costs),
            Action::SelectTasks(expression, all_cells) => {
                self.shared.narrow(Narrows::Selection, expression);
                self.open(&Target::Tasks);
                self.shared.tasks.all_cells = *all_cells;
            }
            other => return self.change_lens(other),
        }
        true
    }

    fn change_lens(&mut self, action: &Action) -> bool {
        let shared = &mut self.shared;
        match action {
            Action::NextAggregator | Action::PreviousAggregator => {
                match shared.lens.stepped_rule(*action == Action::NextAggregator) {
                    Some(rule) => shared.set_rule(rule),
                    None => shared.say_no_rule(),
                }
            }
            Action::SetAggregator(rule) => shared.set_rule(*rule),
            Action::SetScorer(scorer) => shared.set_scorer(scorer.clone()),
            Action::NextMetric => shared.lens.step_metric(true),
            Action::PreviousMetric => shared.lens.step_metric(false),
            Action::SetMetric(metric) => shared.lens.metric = *metric,
            Action::NextShow => shared.lens.show = shared.lens.show.next(),
            _ => return false,
        }
        true
    }

    fn quit(&mut self) {
        let notes = &mut self.shared.notes;
        if notes.draft.is_some() && !notes.warned {
            notes.warned = true;
            self.shared
                .say("a note is not saved: c continues it, quitting again keeps it for next time");
        } else if let Some(scoring) = self.shared.scoring.as_mut().filter(|scoring| !scoring.warned)
        {
            scoring.warned = true;
            self.shared.say("quitting ends the scoring; q again does so, and the answers are kept");
        } else {
            self.done = true;
        }
    }

    fn pick(&mut self, picker: fn(&Self) -> Picker) {
        let picker = picker(self);
        self.overlays.push(Overlay::picker(picker));
    }

    /// All commands that work here.
    fn palette(&self) -> Picker {
        let keymap = &self.shared.keymap;
        let mut all: Vec<Choice> = Keymap::on(self.screen)
            .filter(|binding| binding.action != Action::Palette)
            .map(|binding| Choice {
                name: binding.description.to_owned(),
                hint: format!("{}  {:>4}", binding.id, keymap.shown(binding)),
                action: binding.action.clone(),
            })
            .collect();
        let mut add = |name: String, hint: &str, action: Action| {
            all.push(Choice { name, hint: hint.to_owned(), action });
        };
        for metric in Metric::ALL {
            add(format!("metric {}", metric.id()), "", Action::SetMetric(metric));
        }
        for rule in self.shared.lens.rules() {
            add(format!("aggregator {}", rule.id()), "", Action::SetAggregator(rule));
        }
        for scorer in self.shared.scorers() {
            let name = format!("scorer {}", scorer.label());
            add(name, scorer.family().id(), Action::SetScorer(scorer));
        }
        for (index, cell) in self.shared.cells.iter().enumerate() {
            add(format!("cell {cell}"), "", Action::SetCell(index));
        }
        all.extend(self.narrowing_choices());
        Picker::new("Commands", all)
    }

    /// The cells with runs.
    fn cell_picker(&self) -> Picker {
        let cells = self.shared.cells.iter().enumerate();
        let choice = |(index, cell): (usize, &Cell)| {
            let summary = self.shared.summaries.iter().find(|summary| summary.cell == *cell);
            let tasks = summary.map_or(String::new(), |summary| counted(summary.tasks, "task"));
            Choice { name: cell.to_string(), hint: tasks, action: Action::SetCell(index) }
        };
        let mut picker = Picker::new("Cell", cells.map(choice).collect());
        picker.marked = self.shared.cell;
        picker
    }

    fn scorer_picker(&self) -> Picker {
        Picker::of_scorers(&self.shared.scorers(), &self.shared)
    }

    /// Begins a note on the selected task, or goes on with one that was left.
    fn write_note(&mut self) {
        let about: Vec<About> = self.shared.task.map(About::task).into_iter().collect();
        let overlay = NoteEditor::open(about, &mut self.shared);
        self.go(overlay);
    }

    /// Asks who writes, before the first note or vote.
    fn ask_author(&mut self, action: &Action) {
        self.unnamed = Some(action.clone());
        let prompt = Prompt::new(Ask::Author, self.shared.suggested_author());
        self.ask(prompt);
    }

    /// Goes on with what waited for the name.
    pub(super) fn named(&mut self, name: &str) {
        self.shared.set_author(name);
        if let Some(action) = self.unnamed.take() {
            self.update(&action);
        }
    }

    /// Lists the user's notes on the selected task.
    fn choose_note(&mut self) {
        let notes = self.shared.task.map_or(&[][..], |id| self.shared.notes.on(id)).iter();
        let mine = notes.rev().filter(|note| note.author == self.shared.author);
        let choices: Vec<Choice> = mine
            .map(|note| Choice {
                name: visible(note.note.lines().next().unwrap_or_default()).into_owned(),
                hint: About::of_note(note),
                action: Action::EditNote(Box::new(note.clone())),
            })
            .collect();
        match &choices[..] {
            [] => self.shared.say("you have no note on this task; c writes one"),
            [only] => {
                let action = only.action.clone();
                self.update(&action);
            }
            _ => self.overlays.push(Overlay::picker(Picker::new("Your notes", choices))),
        }
    }

    fn edit_note(&mut self, note: &Note) {
        let Some(id) = self.shared.task else { return };
        let overlay = NoteEditor::edit(id, note, &mut self.shared);
        self.go(overlay);
    }

    /// The next judge that could make TER.
    fn next_judge(&mut self) {
        let Some(engine) = self.shared.engine() else { return };
        let (specs, current) = (engine.judge_specs(), engine.judge());
        let index = specs.iter().position(|spec| Some(spec) == current.as_ref());
        match specs.get(index.map_or(0, |index| (index + 1) % specs.len().max(1))) {
            Some(_) if specs.len() == 1 => self.shared.say("there is one judge only"),
            Some(next) => self.shared.set_judge(next.clone()),
            None => self.shared.say("no judge has given a verdict in this store"),
        }
    }
}

impl Picker {
    /// A list of scorers that is tried on while one moves through it.
    pub(in crate::ui) fn of_scorers(scorers: &[Scorer], shared: &Shared) -> Self {
        let choice = |scorer: &Scorer| {
            let value = shared.numbers.value(scorer, shared.cell);
            let value = value.map_or("–".to_owned(), |value| format!("{value:.2}"));
            Choice {
                name: scorer.label(),
                hint: format!("{value:>6}  {:<19}", scorer.family().id()),
                action: Action::SetScorer(scorer.clone()),
            }
        };
        let metric = shared.lens.metric.id().to_uppercase();
        let cell = shared.current_cell().map_or(String::new(), |cell| format!(" in {cell}"));
        let title = format!("Scorer · {metric}{cell}");
        let mut picker = Self::new(title, scorers.iter().map(choice).collect());
        let current = scorers.iter().position(|scorer| *scorer == shared.lens.scorer);
        picker.marked = current.unwrap_or(0);
        picker.tried = Some(shared.lens.scorer.clone());
        picker
    }
}
