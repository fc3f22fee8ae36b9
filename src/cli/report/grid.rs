//! How the table `grid` is laid out: what the screen does with keys.

use anyhow::Context as _;
use clap::ValueEnum;

use crate::engine::Engine;
use crate::model::Cell;
use crate::report::{GridLayout, OutputFormat, Show, Table, TableKind};
use crate::scorers::{Family, Scorer};
use crate::ui::view::one_of;

/// The form of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// A row per value.
    Long,
    /// A row per scorer and a column per cell.
    Wide,
}

/// How a grid is laid out.
#[derive(Debug, clap::Args)]
pub(super) struct GridArgs {
    /// In `grid`, the scorer that the others are compared with: differences to it, with their intervals
    #[arg(long, value_name = "SCORER")]
    pin: Option<String>,
    /// In `grid`, a family that is one row, the best of each cell; may be repeated
    #[arg(long, value_name = "FAMILY", value_parser = one_of::<Family>(), ignore_case = true)]
    fold: Vec<Family>,
    /// In `grid`, order the scorers by a cell, the best first: DATASET/MODEL/CONDITION, or the part of it that
    /// differs
    #[arg(long, value_name = "CELL")]
    order_rows: Option<String>,
    /// In `grid`, order the cells by a scorer, the best first
    #[arg(long, value_name = "SCORER")]
    order_columns: Option<String>,
    /// In the wide `grid`, also cells and scorers without any value
    #[arg(long)]
    show_empty: bool,
    /// How the wide `grid` shows values
    #[arg(long, value_parser = one_of::<Show>(), ignore_case = true)]
    show: Option<Show>,
    /// In `grid` in LaTeX, a colour behind every value
    #[arg(long)]
    heat: bool,
    /// The form of `grid`: a row per value, or a row per scorer and a column per cell, as LaTeX and Markdown have
    /// it by default
    #[arg(long, value_enum)]
    layout: Option<Form>,
}

impl GridArgs {
    /// The pinned scorer.
    pub(super) fn pin(&self) -> Option<&str> {
        self.pin.as_deref()
    }

    /// Refuses flags that the published figures make nothing of.
    pub(super) fn check_published(&self) -> anyhow::Result<()> {
        let is_plain = self.pin.is_none()
            && self.fold.is_empty()
            && self.order_rows.is_none()
            && self.order_columns.is_none()
            && self.show.is_none()
            && !self.heat
            && !self.show_empty;
        anyhow::ensure!(is_plain, "--published: the paper's figures have no layout but --layout");
        Ok(())
    }

    /// Refuses flags that the table or the format makes nothing of.
    pub(super) fn check(&self, table: &str, format: OutputFormat) -> anyhow::Result<()> {
        let orders = self.order_rows.is_some() || self.order_columns.is_some();
        let given = [
            ("--pin", self.pin.is_some()),
            ("--fold", !self.fold.is_empty()),
            ("--order-rows and --order-columns", orders),
            ("--show-empty", self.show_empty),
            ("--show", self.show.is_some()),
            ("--heat", self.heat),
            ("--layout", self.layout.is_some()),
        ];
        let given = given.into_iter().find(|(_, given)| *given);
        if let (Some((flag, _)), true) = (given, table != TableKind::Grid.id()) {
            anyhow::bail!("{flag}: only the table grid is laid out so, not {table}");
        }
        let is_text =
            matches!(format, OutputFormat::Table | OutputFormat::Markdown | OutputFormat::Latex);
        anyhow::ensure!(
            self.layout != Some(Form::Wide) || is_text,
            "--layout wide: {} has a row per value; table, md and latex may be wide",
            format.id()
        );
        let is_wide = self.is_wide(format);
        anyhow::ensure!(
            !self.heat || (format == OutputFormat::Latex && is_wide),
            "--heat: only the wide grid in LaTeX has colours; give --format latex"
        );
        anyhow::ensure!(
            is_wide || (!self.show_empty && self.show.is_none()),
            "--show and --show-empty: only the wide grid takes them; give --layout wide, or a format \
             that is wide"
        );
        Ok(())
    }

    fn is_wide(&self, format: OutputFormat) -> bool {
        match self.layout {
            Some(form) => form == Form::Wide,
            None => matches!(format, OutputFormat::Markdown | OutputFormat::Latex),
        }
    }

    /// The layout of the grid of an engine.
    pub(super) fn layout(&self, engine: &Engine, store: &str) -> anyhow::Result<GridLayout> {
        let scorer = |flag: &str, name: &Option<String>| -> anyhow::Result<Option<Scorer>> {
            let Some(name) = name else { return Ok(None) };
            let scorer = Scorer::parse(&Scorer::typed(name));
            let is_listed = engine.scorers().contains(&scorer);
            let found = is_listed.then_some(scorer).with_context(|| {
                format!("{store}: the grid has no {flag} {name}; `qualm report {store}` lists the scorers")
            });
            found.map(Some)
        };
        let order_rows = match &self.order_rows {
            Some(name) => Some(find_cell(engine, name).map_err(|why| {
                anyhow::anyhow!(
                    "{store}: --order-rows {name} names {why}; `qualm report {store} --table cells` \
                     lists the cells"
                )
            })?),
            None => None,
        };
        Ok(GridLayout {
            pinned: scorer("--pin", &self.pin)?,
            order_rows,
            order_columns: scorer("--order-columns", &self.order_columns)?,
            folded: self.fold.iter().copied().collect(),
            show_empty: self.show_empty,
            show: self.show.unwrap_or_default(),
            heat: self.heat,
        })
    }

    /// Gives a table the form that is asked for.
    pub(super) fn shape(&self, table: &mut Table, format: OutputFormat) {
        let is_wide = self.is_wide(format);
        table.is_wide_text = is_wide;
        if !is_wide {
            table.wide = None;
        }
    }
}

/// The cell of a name, or of a part of it that no other cell has.
fn find_cell(engine: &Engine, name: &str) -> Result<usize, &'static str> {
    let is_whole = |cell: &Cell| {
        let Cell { dataset, model, condition } = cell;
        cell.to_string() == name || format!("{dataset}/{model}/{condition}") == name
    };
    let has_part = |cell: &Cell| {
        [&cell.dataset, &cell.model, &cell.condition].into_iter().any(|part| part == name)
    };
    let find = |fits: &dyn Fn(&Cell) -> bool| -> Vec<usize> {
        let frames = engine.frames();
        (0..frames.len()).filter(|index| fits(&frames[*index].cell)).collect()
    };
    match (&find(&is_whole)[..], &find(&has_part)[..]) {
        ([cell, ..], _) | ([], [cell]) => Ok(*cell),
        ([], []) => Err("no cell"),
        ([], _) => Err("several cells"),
    }
}
