//! What an engine was narrowed to: some cells of a store, some of their tasks.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Engine, Scope};
use crate::filter::joined;
use crate::model::Cell;

/// What an engine was narrowed to.
#[derive(Clone, Debug, Default)]
pub(super) struct Narrowed {
    /// The cells that there were before some were left out.
    whole: Option<Arc<[Cell]>>,
    /// The expression that the tasks were kept by.
    tasks: Option<String>,
}

impl Narrowed {
    /// Notes the cells that there are before some are left out.
    pub(super) fn note_cells<'a>(&mut self, cells: impl Iterator<Item = &'a Cell>) {
        if self.whole.is_none() {
            self.whole = Some(cells.cloned().collect());
        }
    }

    /// Notes the expression that tasks are kept by.
    pub(super) fn note_tasks(&mut self, expression: &str) {
        self.tasks = Some(match &self.tasks {
            Some(before) => joined(&[before, expression]),
            None => expression.to_owned(),
        });
    }
}

impl Engine {
    /// What the tasks of a scope are called: as the scope or, where they were narrowed, as what they are,
    /// such as `airline where turns > 5`. `all` are all tasks of the store.
    pub fn scope_name(&self, scope: &Scope) -> String {
        let kept: Vec<&Cell> =
            self.cells_of(scope).into_iter().map(|cell| &self.frames[cell].cell).collect();
        let narrowed = self.narrowed.whole.as_deref().and_then(|whole| name_cells(&kept, whole));
        let cells = narrowed.unwrap_or_else(|| scope.to_string());
        match (&self.narrowed.tasks, scope) {
            (None, _) => cells,
            (Some(tasks), Scope::All) if self.narrowed.whole.is_none() => format!("where {tasks}"),
            (Some(tasks), _) => format!("{cells} where {tasks}"),
        }
    }
}

/// Names some cells by the datasets, models or conditions that hold them and no other cell, else one by
/// one; none where they are all.
pub fn name_cells(some: &[&Cell], whole: &[Cell]) -> Option<String> {
    if whole.iter().all(|cell| some.contains(&cell)) {
        return None;
    }
    if let [only] = some {
        return Some(only.to_string());
    }
    let names = |part: fn(&Cell) -> &str| -> BTreeSet<&str> {
        some.iter().map(|cell| part(cell)).collect()
    };
    let parts: [fn(&Cell) -> &str; 3] =
        [|cell| &cell.dataset, |cell| &cell.model, |cell| &cell.condition];
    let names = parts.map(names);
    // Any of datasets, models and conditions may be all that is needed, the fewest first.
    let choices = [0b001, 0b010, 0b100, 0b011, 0b101, 0b110, 0b111];
    let chosen = |choice: u8, part: usize| choice & (1 << part) != 0;
    let exact = choices.into_iter().find(|&choice| {
        whole.iter().all(|cell| {
            let fits = (0..parts.len())
                .all(|part| !chosen(choice, part) || names[part].contains(parts[part](cell)));
            fits == some.contains(&cell)
        })
    });
    let Some(choice) = exact else {
        return Some(some.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "));
    };
    let listed = |part: usize| match chosen(choice, part) {
        // In the order of the store.
        true => {
            let mut seen = BTreeSet::new();
            let all = some.iter().map(|cell| parts[part](cell)).filter(|name| seen.insert(*name));
            all.collect::<Vec<_>>().join(", ")
        }
        false => "*".to_owned(),
    };
    let mut text = (0..parts.len()).map(listed).collect::<Vec<_>>().join("/");
    while let Some(shorter) = text.strip_suffix("/*") {
        text.truncate(shorter.len());
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_cells_are_named_as_what_they_are() {
        let names = [("air", "a"), ("air", "b"), ("tel", "a"), ("tel", "b"), ("web", "a")];
        let whole = names.map(|(dataset, model)| Cell::new(dataset, model));
        let named = |some: &[usize]| {
            name_cells(&some.iter().map(|&index| &whole[index]).collect::<Vec<_>>(), &whole)
        };
        assert_eq!(named(&[0, 1, 2, 3, 4]), None);
        assert_eq!(named(&[0, 1]).as_deref(), Some("air"));
        assert_eq!(named(&[2, 3, 0, 1]).as_deref(), Some("tel, air"));
        assert_eq!(named(&[0, 2, 4]).as_deref(), Some("*/a"));
        assert_eq!(named(&[0, 2]).as_deref(), Some("air, tel/a"));
        assert_eq!(named(&[4]).as_deref(), Some("web/a"), "one cell is named whole");
        assert_eq!(named(&[0, 3]).as_deref(), Some("air/a, tel/b"));
    }
}
