//! Keys, clicks and the wheel go to the top overlay, otherwise to the screen.

use crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};

use super::App;
use crate::ui::action::Action;
use crate::ui::hits::Hit;
use crate::ui::input::Input;
use crate::ui::keymap::{chord, parse_chord, shown};
use crate::ui::overlays::note::Written;
use crate::ui::overlays::picker::Picked;
use crate::ui::overlays::prompt::Answer;
use crate::ui::overlays::{Ask, Overlay};
use crate::ui::screens::{Needs, Spot, Target};

impl App {
    pub(super) fn input(&mut self, input: &Input) {
        match input {
            Input::Key(key) => self.key(*key),
            Input::Mouse(mouse) => self.mouse(*mouse),
            Input::Paste(text) => match self.overlays.last_mut() {
                Some(Overlay::Prompt(prompt)) => {
                    prompt.paste(text);
                    self.typed();
                }
                Some(Overlay::Note(editor)) => editor.paste(text),
                _ => {}
            },
            Input::Resize => {}
        }
    }

    /// A key and what it does here, in the words of the key table; none while a text or a list has the keys.
    pub fn purpose(&self, key: KeyEvent) -> Option<String> {
        if !self.overlays.is_empty() {
            return None;
        }
        let binding = self.shared.keymap.binding(key, self.screen)?;
        let name = binding.keys.iter().find(|name| parse_chord(name) == Some(chord(key)))?;
        Some(format!("{}  {}", shown(name), binding.description))
    }

    /// A key was pressed: to the overlay if one is open, else through the key table.
    fn key(&mut self, key: KeyEvent) {
        if self.shared.keymap.action(key, self.screen) == Some(Action::Suspend) {
            self.update(&Action::Suspend);
            return;
        }
        match self.overlays.last_mut() {
            Some(Overlay::Prompt(prompt)) => {
                let answer = prompt.key(key);
                self.answer(answer);
            }
            Some(Overlay::Picker(picker)) => {
                let picked = picker.key(key);
                self.picked(picked);
            }
            Some(Overlay::Note(editor)) => {
                let written = editor.key(key);
                self.written(&written);
            }
            Some(Overlay::Help(_)) => {
                let action = self.shared.keymap.action(key, self.screen);
                self.help_key(action.as_ref());
            }
            Some(Overlay::Scorers(_)) => self.scorers_key(key),
            None => {
                if let Some(action) = self.shared.keymap.action(key, self.screen) {
                    self.update_or_say(&action);
                } else if let Some(words) = self.shared.keymap.absent(key, self.screen) {
                    self.shared.say(words);
                }
            }
        }
    }

    /// The list of keys scrolls where it is long; any other key closes it.
    fn help_key(&mut self, action: Option<&Action>) {
        let Some(Overlay::Help(help)) = self.overlays.last_mut() else { return };
        if !help.scroll(action) {
            self.overlays.pop();
        }
    }

    fn answer(&mut self, answer: Answer) {
        let Some(Overlay::Prompt(prompt)) = self.overlays.last_mut() else { return };
        let (ask, text, before) = (prompt.ask, prompt.text(), prompt.before.clone());
        match answer {
            Answer::Typing => self.typed(),
            Answer::Cancelled => {
                self.overlays.pop();
                if ask == Ask::Author {
                    self.shared.say("notes and votes need a name; nothing is written");
                }
                if ask == Ask::Search {
                    self.screens.search(self.screen, &before, true, &mut self.shared);
                }
            }
            Answer::Switch => self.switch_narrowing(),
            Answer::Done if ask.narrows().is_some() && prompt.error.is_some() => {}
            Answer::Done if matches!(ask, Ask::Name(_)) && text.trim().is_empty() => {
                prompt.refuse("type a name, or leave with Esc".to_owned());
            }
            Answer::Done if ask.action(&text).is_some() => match ask.action(&text) {
                Some(Err(why)) => prompt.refuse(why),
                Some(Ok(action)) => {
                    self.overlays.pop();
                    self.update_or_say(&action);
                }
                None => {}
            },
            Answer::Done if ask == Ask::Score => self.start_scoring(&text),
            Answer::Done if ask == Ask::Author && text.trim().is_empty() => {
                prompt.refuse("type a name, or leave with Esc".to_owned());
            }
            Answer::Done => {
                let prompt = self.overlays.pop();
                if let Some(kind) = ask.kind() {
                    self.shared.history.add(kind, &text);
                }
                match ask {
                    Ask::Search => {
                        self.screens.search(self.screen, &text, true, &mut self.shared);
                    }
                    Ask::Tasks(narrows) => self.narrow(narrows, &text),
                    Ask::Name(narrows) => self.shared.keep_named(narrows, &text),
                    Ask::Export => {
                        if let Some(Overlay::Prompt(prompt)) = prompt {
                            self.export(prompt);
                        }
                    }
                    Ask::Author => self.named(&text),
                    Ask::Score
                    | Ask::Threshold
                    | Ask::StopBelow
                    | Ask::Costs
                    | Ask::Aim(_)
                    | Ask::ScorerName => {}
                }
            }
        }
    }

    /// What is typed is looked at while it is typed.
    pub(super) fn typed(&mut self) {
        let fields = self.shared.engine().map(|engine| engine.fields()).unwrap_or_default();
        let Some(Overlay::Prompt(prompt)) = self.overlays.last_mut() else { return };
        prompt.check(&fields);
        if let Some(narrows) = prompt.ask.narrows() {
            prompt.offer_named(self.shared.named.completions(narrows));
        }
        if prompt.ask == Ask::Search {
            let text = prompt.text();
            self.screens.search(self.screen, &text, false, &mut self.shared);
        }
    }

    fn picked(&mut self, picked: Picked) {
        let Some(Overlay::Picker(picker)) = self.overlays.last_mut() else { return };
        let tried = picker.tried.clone();
        match picked {
            Picked::Typing => {}
            Picked::Moved => {
                // The list of scorers is tried on while one moves through it.
                let action = picker.choice(picker.marked).map(|choice| choice.action.clone());
                if let (Some(_), Some(action)) = (tried, action) {
                    self.update(&action);
                }
            }
            Picked::Cancelled => {
                self.overlays.pop();
                if let Some(scorer) = tried {
                    self.update(&Action::SetScorer(scorer));
                }
            }
            Picked::Chosen(action) => self.chosen(&action),
        }
    }

    fn chosen(&mut self, action: &Action) {
        let Some(Overlay::Picker(list)) = self.overlays.pop() else { return };
        let screen = self.screen;
        self.update_or_say(action);
        if let Some(again) = list.again.clone() {
            self.update(&again);
            if let Some(Overlay::Picker(opened)) = self.overlays.last_mut() {
                opened.restore(*list);
            }
        } else if let Action::OpenPair(_)
        | Action::OpenTask(_)
        | Action::OpenTurn(..)
        | Action::VoteOn(_) = action
        {
            self.listed = Some((screen, list));
        }
    }

    fn written(&mut self, written: &Written) {
        let Some(Overlay::Note(editor)) = self.overlays.last() else { return };
        let (about, text, edits) = (editor.about(), editor.text(), editor.edits().cloned());
        let others = editor.others().to_vec();
        match written {
            Written::Typing => {}
            Written::Leave => {
                self.overlays.pop();
                let is_new = edits.as_ref().is_none_or(|note| note.note != text);
                if let Some(about) = about.filter(|_| is_new && !text.trim().is_empty()) {
                    self.shared.notes.keep_draft(about, text);
                    self.shared.notes.draft_edits = edits;
                    self.shared.notes.draft_others = others;
                    self.shared.say("not saved; c continues it");
                }
            }
            Written::Save => {
                if let Some(about) = about {
                    self.overlays.pop();
                    match edits {
                        Some(old) => self.shared.replace_note(about, &text, old),
                        None => self.shared.save_note(about, others, &text),
                    }
                }
            }
            Written::Withdraw => {
                if let (Some(about), Some(note)) = (about, edits) {
                    self.overlays.pop();
                    self.shared.withdraw_note(about, note);
                }
            }
        }
    }

    fn mouse(&mut self, mouse: MouseEvent) {
        let hit = self.hits.at(mouse.column, mouse.row).cloned();
        match mouse.kind {
            MouseEventKind::ScrollDown => self.wheel(true),
            MouseEventKind::ScrollUp => self.wheel(false),
            MouseEventKind::ScrollLeft => self.wheel_sideways(&Action::Left),
            MouseEventKind::ScrollRight => self.wheel_sideways(&Action::Right),
            MouseEventKind::Down(MouseButton::Left) => self.click(hit),
            MouseEventKind::Drag(MouseButton::Left) => {
                if let (Some(Hit::Spot(spot)), true) = (hit, self.overlays.is_empty()) {
                    let go = self.screens.click(&spot, true, &mut self.shared);
                    self.go(go);
                }
            }
            _ => {}
        }
    }

    fn wheel(&mut self, down: bool) {
        match self.overlays.last_mut() {
            Some(Overlay::Picker(picker)) => {
                picker.step(down);
                self.picked(Picked::Moved);
            }
            Some(Overlay::Scorers(list)) => {
                list.step(if down { &Action::Down } else { &Action::Up });
            }
            Some(Overlay::Help(help)) if help.is_long() => {
                help.scroll(Some(if down { &Action::Down } else { &Action::Up }));
            }
            Some(_) => {}
            None => {
                let go = self.screens.wheel(self.screen, down, &mut self.shared);
                self.go(go);
            }
        }
    }

    /// Runs have no columns to go through.
    fn wheel_sideways(&mut self, action: &Action) {
        if self.overlays.is_empty() && self.screen.needs() != Needs::Task {
            self.update(action);
        }
    }

    /// A click selects; on what is selected already it opens.
    fn click(&mut self, hit: Option<Hit<Spot>>) {
        if !self.overlays.is_empty() {
            return self.click_overlay(hit);
        }
        match hit {
            Some(Hit::Action(action)) => self.update_or_say(&action),
            Some(Hit::Screen(screen)) => self.open(&Target::Screen(screen)),
            Some(Hit::Spot(spot)) => {
                let go = self.screens.click(&spot, false, &mut self.shared);
                self.go(go);
            }
            Some(Hit::Choice(_) | Hit::Nothing) | None => {}
        }
    }

    fn click_overlay(&mut self, hit: Option<Hit<Spot>>) {
        match (self.overlays.last_mut(), hit) {
            (Some(Overlay::Picker(picker)), Some(Hit::Choice(index))) => {
                picker.marked = index;
                let action = picker.choice(index).map(|choice| choice.action.clone());
                self.picked(action.map_or(Picked::Typing, Picked::Chosen));
            }
            (Some(Overlay::Scorers(list)), Some(Hit::Choice(index))) => list.marked = index,
            (Some(Overlay::Scorers(_)), None) | (Some(Overlay::Help(_)), _) => {
                drop(self.overlays.pop());
            }
            (Some(Overlay::Picker(_)), Some(Hit::Nothing)) => {}
            (Some(Overlay::Picker(_)), _) => self.picked(Picked::Cancelled),
            _ => {}
        }
    }
}
