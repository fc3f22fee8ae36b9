//! What Enter opens: the pairs or tasks that a number counts, or the selected task.

use super::{Group, Pane, Stuck, scorers};
use crate::engine::PairId;
use crate::ui::lists::{self, Listed, MOST_LISTED};
use crate::ui::screens::{Go, Target};
use crate::ui::shared::Shared;

impl Stuck {
    /// Lists exactly what the selected number counts, or opens the selected task.
    pub(super) fn drill(&self, shared: &mut Shared) -> Go {
        if self.pane == Pane::Table {
            return self.list_counted(shared);
        }
        let task = self.numbers(shared).and_then(|numbers| numbers.list.get(self.index));
        task.map_or(Go::Stay, |task| Go::Open(Target::Task(task.id, None)))
    }

    fn list_counted(&self, shared: &mut Shared) -> Go {
        let scorers = scorers(shared);
        let (Some(kept), Some(scorer)) = (&shared.data.chosen.scope, scorers.get(self.row)) else {
            return Go::Stay;
        };
        let (scope, engine) = (self.cells(shared), kept.value.engine());
        let group = Group::ALL[self.column];
        let open = shared.held_back_in(|cell| scope.holds(&shared.cells[cell]));
        let (count, held_back, choices) = match group {
            Group::Pairs(outcome) => {
                let pairs = engine.pairs_counted(&scope, scorer, outcome).into_iter();
                let pairs = pairs.map(|pair| PairId { id: shared.whole_id(pair.id), ..pair });
                let pairs = shared.not_held_back(pairs.collect(), |pair| pair.id);
                let shown = pairs.iter().take(MOST_LISTED);
                let shown = shown.map(|&pair| lists::pair_choice(pair, scorer, shared));
                (pairs.len(), open.pairs, shown.collect::<Vec<_>>())
            }
            Group::Tasks(solvability) => {
                let tasks = engine.tasks_counted(&scope, scorer, solvability).into_iter();
                let tasks = tasks.map(|id| shared.whole_id(id)).collect();
                let tasks = shared.not_held_back(tasks, |id| *id);
                let shown = tasks.iter().take(MOST_LISTED);
                let shown = shown.map(|&id| lists::task_choice(id, scorer, shared));
                (tasks.len(), open.tasks, shown.collect())
            }
        };
        let title = format!("{}, {}, {scope}", scorer.to_uppercase(), group.name());
        let listed = Listed { title: &title, count, held_back, noun: group.noun() };
        lists::list(listed, choices, shared)
    }
}
