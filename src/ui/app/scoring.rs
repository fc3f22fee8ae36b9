//! The list of scorers, and a scoring that is started from it.

use crossterm::event::{KeyCode, KeyEvent};

use super::App;
use crate::models::ScorerOutlook;
use crate::text::{shell_words, visible};
use crate::ui::action::Action;
use crate::ui::effects::Effect;
use crate::ui::keymap::{chord, chord_name};
use crate::ui::overlays::scorers::words;
use crate::ui::overlays::{Ask, Overlay, Prompt};
use crate::ui::scoring::{Scoring, ScoringNews};

/// What stands for a model's name that the user has to type.
const NAME: &str = "NAME";

impl App {
    /// A key of the list of scorers.
    pub(super) fn scorers_key(&mut self, key: KeyEvent) {
        let action = self.shared.keymap.action(key, self.screen);
        let Some(Overlay::Scorers(list)) = self.overlays.last_mut() else { return };
        if action.as_ref().is_some_and(|action| list.step(action)) {
            return;
        }
        let row = list.row(&self.shared).cloned();
        match action {
            _ if key.code == KeyCode::Enter => self.ask_scoring(row.as_ref()),
            Some(Action::Back | Action::Quit | Action::Scorers) => drop(self.overlays.pop()),
            Some(Action::StopScoring) => self.stop_scoring(),
            Some(Action::Copy) => match row.and_then(|row| self.shared.score_command(&row)) {
                Some(command) => self.shared.copy(command),
                None => self.shared.say("no command is needed, or none computes it"),
            },
            _ => {
                let name = chord_name(chord(key));
                let words =
                    name.map(|name| format!("{name} does nothing in this list; Esc closes it"));
                words.into_iter().for_each(|words| self.shared.say(words));
            }
        }
    }

    /// Asks for the model that is to compute what a scorer lacks.
    fn ask_scoring(&mut self, row: Option<&ScorerOutlook>) {
        let Some(row) = row else {
            return self.shared.say("what the scorers have is still being read");
        };
        if let Some(scoring) = &self.shared.scoring {
            let what = scoring.what.clone();
            return self.shared.say(format!("{what} is being scored; one scoring runs at a time"));
        }
        let flags = row.flags().filter(|_| row.asking.is_some() && !row.is_complete());
        let Some(flags) = flags else {
            let said = words(row, &self.shared);
            return self.shared.say(said);
        };
        if !self.shared.scorers.is_store {
            return self
                .shared
                .say("values are kept in a store: `qualm import` makes one of results");
        }
        // Where the model is not known, its name is to be typed.
        let gap = flags.find(&format!(" {NAME}")).map(|index| index + 1);
        let text = gap.map_or(flags.clone(), |_| flags.replacen(NAME, "", 1));
        let mut prompt = Prompt::new(Ask::Score, &text);
        if let Some(gap) = gap {
            prompt = prompt.at(gap);
        }
        "the model's name".clone_into(&mut prompt.note);
        self.ask(prompt);
    }

    /// Starts a scoring with flags that the user typed.
    pub(super) fn start_scoring(&mut self, text: &str) {
        let Some(Overlay::Prompt(prompt)) = self.overlays.last_mut() else { return };
        let Some(flags) = shell_words(text) else {
            return prompt.refuse("a quote is not closed".to_owned());
        };
        let is_model = |flag: &&str| ["--self-model", "--judge-model"].contains(flag);
        let nameless = flags.iter().enumerate().find(|(index, flag)| {
            let next = flags.get(index + 1);
            is_model(&flag.as_str()) && next.is_none_or(|next| next.starts_with("--"))
        });
        if let Some((_, flag)) = nameless {
            let message = format!("type the model's name after {flag}");
            return prompt.refuse(message);
        }
        if !flags.iter().any(|flag| is_model(&flag.split('=').next().unwrap_or_default())) {
            return prompt.refuse("name a model with --self-model or --judge-model".to_owned());
        }
        self.overlays.pop();
        self.overlays.retain(|overlay| !matches!(overlay, Overlay::Scorers(_)));
        let scoring = Scoring::new(&flags);
        let path = self.shared.path.display().to_string();
        let arguments = [&["score".to_owned(), path][..], &flags, &progress_flags()].concat();
        self.shared.scoring = Some(scoring);
        self.shared.effects.push(Effect::Score(arguments));
    }

    /// Ends the scoring that was started from here.
    pub(super) fn stop_scoring(&mut self) {
        if let Some(scoring) = &mut self.shared.scoring {
            scoring.is_ending = true;
            self.shared.effects.push(Effect::StopScoring);
            self.shared.say("the scoring ends once the answers under way are there");
        } else {
            let key = self.shared.keymap.key_of("scorers").unwrap_or(":");
            let words = format!("no scoring was started here; {key} lists what could be computed");
            self.shared.say(words);
        }
    }

    /// Takes in what a scoring reports.
    pub fn scored(&mut self, news: ScoringNews) -> Vec<Effect> {
        match news {
            ScoringNews::Progress(progress) => {
                if let Some(scoring) = &mut self.shared.scoring {
                    scoring.progress = Some(progress);
                }
            }
            ScoringNews::Ended(end) => {
                if let Some(scoring) = self.shared.scoring.take() {
                    self.shared.say(visible(&scoring.end_words(&end)));
                }
            }
        }
        self.take_effects()
    }
}

/// The flags that make the process report in lines of JSON.
fn progress_flags() -> [String; 2] {
    ["--progress", "json"].map(str::to_owned)
}
