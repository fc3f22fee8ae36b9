//! The settings of the comparison in flags and the remembered state.

use clap::builder::RangedU64ValueParser;

use super::Compare;
use crate::compare::{Measure, RunName};
use crate::engine::TaskId;
use crate::model::Cell;
use crate::ui::panel::{Cursor, Detail, PaneSpec, Panel, same_task};
use crate::ui::shared::{RunDisplay, RunKey, Shared};
use crate::ui::view::{Named, named, one_of};

/// The settings of the comparison.
#[derive(clap::Args, Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct CompareView {
    /// The runs side by side, such as 0,2; those of other cells as 0@MODEL or 0@MODEL/CONDITION
    #[arg(long, value_parser = draws)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draws: Option<String>,
    /// The pane that has the keys, from 1
    #[arg(long, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pane: Option<usize>,
    /// The selected turn, from 1
    #[arg(long, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
    /// How much of the runs is shown
    #[arg(long, value_parser = one_of::<Detail>(), ignore_case = true)]
    #[serde(with = "named", skip_serializing_if = "Option::is_none")]
    pub detail: Option<Detail>,
    /// What tokens are coloured by
    #[arg(long, value_parser = one_of::<Measure>(), ignore_case = true)]
    #[serde(with = "named", skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Measure>,
    /// Compare messages word by word
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub words: bool,
    /// Let every pane scroll on its own
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unlocked: bool,
    /// The side pane
    #[arg(long, value_parser = one_of::<Switch>(), ignore_case = true)]
    #[serde(with = "named", skip_serializing_if = "Option::is_none")]
    pub side: Option<Switch>,
}

/// Reads the runs that a flag names.
fn draws(text: &str) -> Result<String, String> {
    RunName::list(text).map(|_| text.to_owned())
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

impl Named for Switch {
    const ALL: &'static [Self] = &[Self::On, Self::Off];

    fn id(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Off => "off",
        }
    }
}

/// The settings as they are; those of the runs only where the comparison is open.
pub(super) fn view(compare: &Compare, open: bool, shared: &Shared) -> CompareView {
    let panel = &compare.panel;
    let open = open && panel.is_of_task(shared);
    let RunDisplay { detail, heat, words } = shared.display;
    CompareView {
        draws: Some(draw_names(panel, shared)).filter(|names| open && !names.is_empty()),
        pane: Some(panel.focus + 1).filter(|pane| open && *pane > 1),
        turn: Some(panel.turn + 1).filter(|_| open),
        detail: Some(detail).filter(|detail| *detail != Detail::default()),
        tokens: heat,
        words,
        unlocked: !panel.free.is_empty(),
        side: compare.side.map(|on| if on { Switch::On } else { Switch::Off }),
    }
}

/// Takes up what needs no store.
pub(super) fn restore(compare: &mut Compare, view: &CompareView, shared: &mut Shared) {
    shared.display = RunDisplay {
        detail: view.detail.unwrap_or_default(),
        heat: view.tokens,
        words: view.words,
    };
    compare.side = view.side.map(|side| side == Switch::On);
    compare.panel.focus = view.pane.unwrap_or(1).saturating_sub(1);
    compare.panel.turn = view.turn.unwrap_or(1).saturating_sub(1);
}

/// The runs side by side, as flags name them.
fn draw_names(panel: &Panel, shared: &Shared) -> String {
    let name = |key: &RunKey| match (PaneSpec::of(*key, shared).cell, shared.cell_of(key.id)) {
        (Some(_), Some(cell)) => format!("{}@{}/{}", key.draw, cell.model, cell.condition),
        _ => key.draw.to_string(),
    };
    panel.keys.iter().map(name).collect::<Vec<_>>().join(",")
}

/// Takes up the runs that a view names; returns what is wrong with them.
pub(super) fn find_draws(panel: &mut Panel, view: &CompareView, shared: &Shared) -> Vec<String> {
    let named = view.draws.as_deref().and_then(|draws| RunName::list(draws).ok());
    let named = named.unwrap_or_default();
    let Some(id) = shared.task else {
        // The task is the first of the list, which is not there yet: any has draws.
        let draws = named.into_iter().filter(|wanted| wanted.cell.is_none());
        panel.specs = draws.map(|wanted| PaneSpec::draw(wanted.draw)).collect();
        return Vec::new();
    };
    let (mut specs, mut problems) = (Vec::new(), Vec::new());
    for wanted in named {
        match find_draw(&wanted, id, shared) {
            Ok(spec) => specs.push(spec),
            Err(problem) => problems.push(problem),
        }
    }
    let focus = panel.focus;
    panel.specs = specs;
    panel.settle_panes(shared);
    panel.focus = focus.min(panel.keys.len().saturating_sub(1));
    if view.unlocked {
        panel.free = vec![Cursor::default(); panel.keys.len()];
    }
    problems
}

fn find_draw(wanted: &RunName, id: TaskId, shared: &Shared) -> Result<PaneSpec, String> {
    let (draw, cell) = (wanted.draw, wanted.cell.as_deref());
    let Some(id) = cell.map_or(Some(id), |name| cell_named(id, name, shared)) else {
        let cell = cell.unwrap_or_default();
        return Err(format!("--draws: `@{cell}` names no cell with this task, or several"));
    };
    match shared.task_of(id).and_then(|task| task.row_of(draw)) {
        Some(_) => Ok(PaneSpec::of(RunKey { id, draw }, shared)),
        None => Err(format!("--draws: the task has no draw {draw}")),
    }
}

/// The same task in the cell of that name; a name that fits several cells names none.
fn cell_named(id: TaskId, name: &str, shared: &Shared) -> Option<TaskId> {
    let selected = shared.cell_of(id)?;
    let there = |cell: u32| if cell == id.cell { Some(id) } else { same_task(id, cell, shared) };
    let ids: Vec<TaskId> = (0..shared.cells.len() as u32).filter_map(there).collect();
    let cells: Vec<&Cell> = ids.iter().filter_map(|id| shared.cell_of(*id)).collect();
    let [index] = RunName::cells(name, selected, &cells)[..] else { return None };
    Some(ids[index])
}
