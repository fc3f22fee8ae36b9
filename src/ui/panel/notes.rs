//! What a note can be about: the selected turn, its run or the task; and marking the decisive error.

use super::Panel;
use crate::store::{Cause, Note};
use crate::ui::action::Action;
use crate::ui::overlays::{Choice, Overlay, Picker};
use crate::ui::screens::Go;
use crate::ui::shared::{About, RunKey, Shared};

impl Panel {
    /// Whether a note is shown: before the user has voted, what others wrote is not.
    pub(super) fn shows(&self, note: &Note, shared: &Shared) -> bool {
        !self.blind || note.author == shared.author
    }

    /// Asks for the cause of the error at the selected turn.
    pub(super) fn mark_error(&self, shared: &mut Shared) -> Go {
        if self.blind {
            shared.say("the outcome is hidden until you have voted: mark the error then");
            return Go::Stay;
        }
        let Some(comparison) = self.compared(shared) else { return Go::Stay };
        let (run, key) = (comparison.run(self.focus), self.keys[self.focus]);
        if run.head.outcome.success == Some(true) {
            shared.say("this run is a success: only a failed run has a decisive error");
            return Go::Stay;
        }
        let Some(turn) = self.turn_in_focus(&comparison.sheet) else {
            shared.say("select a turn: this row is none");
            return Go::Stay;
        };
        let turn = turn as u32;
        let choice = |cause: Cause, name: &str, hint: &str| Choice {
            name: name.to_owned(),
            hint: hint.to_owned(),
            action: Action::SetCause(key, turn, cause),
        };
        let mine = shared.label_on(key);
        let here = mine.filter(|label| label.turn == turn).map(|label| label.cause);
        let hint = |cause: Cause| if here == Some(cause) { "marked" } else { "" };
        let causes = [Cause::Agent, Cause::User, Cause::Grader, Cause::Tool];
        let mut choices: Vec<(char, Choice)> = "augt"
            .chars()
            .zip(causes)
            .map(|(letter, cause)| (letter, choice(cause, cause.words(), hint(cause))))
            .collect();
        if here.is_some() {
            choices.push(('w', choice(Cause::Withdrawn, "withdraw the mark", "")));
        }
        let moves = match mine {
            Some(label) if label.turn != turn => format!(" (now turn {})", label.turn + 1),
            _ => String::new(),
        };
        let title = format!("Decisive error at turn {}{moves}: what caused it?", turn + 1);
        let marked = here.and_then(|here| causes.iter().position(|cause| *cause == here));
        let mut picker = Picker::by_letter(title, choices);
        picker.marked = marked.unwrap_or(0);
        Go::Show(Overlay::picker(picker))
    }

    /// What a note can be about, from the turn to the task.
    pub(super) fn note_choices(&self, shared: &Shared) -> Vec<About> {
        let Some(comparison) = self.compared(shared) else {
            return shared.task.map(About::task).into_iter().collect();
        };
        let RunKey { id, draw } = self.keys[self.focus];
        let run = About { draw: Some(draw), ..About::task(id) };
        let turn = self.turn_in_focus(&comparison.sheet);
        let turn = turn.map(|turn| About { turn: Some(turn as u32), ..run });
        turn.into_iter().chain([run, About::task(id)]).collect()
    }
}
