use crate::app::View;
use crate::model::Cell;
use crate::scorers::Scorer;
use crate::store::Store;

/// Where to begin. Without any of these, the explorer opens where it was left.
#[derive(Debug, Default, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[command(next_help_heading = "View")]
pub(super) struct ViewArgs {
    /// The screen: cells, grid, tasks, compare, aggregators, stuck or judges
    #[arg(long)]
    screen: Option<String>,
    /// The dataset of the selected cell
    #[arg(long)]
    dataset: Option<String>,
    /// Its model
    #[arg(long)]
    model: Option<String>,
    /// Its condition
    #[arg(long)]
    condition: Option<String>,
    /// The selected task
    #[arg(long)]
    task: Option<String>,
    /// The runs side by side, such as 0,2; those of other cells as 0@MODEL or 0@MODEL/CONDITION
    #[arg(long)]
    draws: Option<String>,
    /// The pane that has the keys, from 1
    #[arg(long, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    pane: Option<usize>,
    /// The selected turn, from 1
    #[arg(long, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    turn: Option<usize>,
    /// The scorer: lnsp, ter, a score of your own …
    #[arg(long)]
    scorer: Option<String>,
    /// The aggregator of a white-box scorer: min, mean, softmin-10 …
    #[arg(long)]
    aggregator: Option<String>,
    /// The metric: auroc, auprc, prr, ece, aurc or brier
    #[arg(long)]
    metric: Option<String>,
    /// Which tasks: an expression such as `not success and lnsp_min > 0.8`
    #[arg(long, allow_hyphen_values = true)]
    filter: Option<String>,
    /// How grids show values: value, half-range, interval, rank or swatch
    #[arg(long)]
    show: Option<String>,
    /// The scorer that differences are taken to, such as lnsp.min
    #[arg(long)]
    pin: Option<String>,
    /// The column that orders the tasks, with `-` before it for largest first
    #[arg(long, allow_hyphen_values = true)]
    sort: Option<String>,
    /// A score column of the tasks, such as lnsp.mean; may be given several times
    #[arg(long)]
    columns: Vec<String>,
    /// The tasks of all cells
    #[arg(long)]
    all_cells: bool,
    /// Order the grid's rows by the selected column
    #[arg(long)]
    order_rows: bool,
    /// Order the grid's columns by this scorer
    #[arg(long)]
    order_columns: Option<String>,
    /// A family of the grid to fold; may be given several times
    #[arg(long)]
    fold: Vec<String>,
    /// The aggregator that ranks are compared with
    #[arg(long)]
    compare_with: Option<String>,
    /// The scorer that ranks are said to have moved against
    #[arg(long)]
    before: Option<String>,
    /// Who makes TER: a judge, or human>JUDGE for people where they voted, else the judge
    #[arg(long)]
    judge: Option<String>,
    /// What stuck tasks do to agreement scores: counted, dropped or as-failures
    #[arg(long)]
    stuck: Option<String>,
    /// Which cells Stuck looks at together: all, dataset, model or cell
    #[arg(long)]
    scope: Option<String>,
    /// Words to search for in tasks
    #[arg(long, allow_hyphen_values = true)]
    search: Option<String>,
    /// How much of the runs is shown: heads, short or whole
    #[arg(long)]
    detail: Option<String>,
    /// What tokens are coloured by: probability, entropy or margin
    #[arg(long)]
    tokens: Option<String>,
    /// Compare messages word by word
    #[arg(long)]
    words: bool,
    /// Let every pane scroll on its own
    #[arg(long)]
    unlocked: bool,
    /// The side pane: on or off
    #[arg(long)]
    side: Option<String>,
}

/// Names as the screen writes them, too: AUROC, LNSP.
fn lower(name: Option<&String>) -> Option<String> {
    name.map(|own| own.to_lowercase())
}

/// A scorer's name likewise, if it is one of ours; others are as they were brought.
pub(super) fn scorer(name: &str) -> String {
    let lower = name.to_lowercase().replace('·', ".");
    let id = lower.split('.').next().unwrap_or_default();
    let ours = Scorer::offline_ids().contains(&id) || ["ptrue", "vc", "ncp"].contains(&id);
    if ours { lower } else { name.to_owned() }
}

impl ViewArgs {
    /// The view, if it is one of this store; none when nothing is said.
    pub(super) fn view(&self, store: &Store) -> anyhow::Result<Option<View>> {
        let view = View {
            screen: lower(self.screen.as_ref()),
            dataset: self.dataset.clone(),
            model: self.model.clone(),
            condition: self.condition.clone(),
            task: self.task.clone(),
            draws: self.draws.clone(),
            pane: self.pane,
            turn: self.turn,
            scorer: self.scorer.as_deref().map(scorer),
            aggregator: lower(self.aggregator.as_ref()),
            metric: lower(self.metric.as_ref()),
            filter: self.filter.clone(),
            show: lower(self.show.as_ref()),
            pin: self.pin.as_deref().map(scorer),
            sort: self.sort.clone(),
            columns: self.columns.iter().map(|own| scorer(own)).collect(),
            all_cells: self.all_cells,
            order_rows: self.order_rows,
            order_columns: self.order_columns.as_deref().map(scorer),
            fold: self.fold.clone(),
            compare_with: lower(self.compare_with.as_ref()),
            before: self.before.as_deref().map(scorer),
            judge: self.judge.clone(),
            stuck: lower(self.stuck.as_ref()),
            scope: lower(self.scope.as_ref()),
            search: self.search.clone(),
            detail: lower(self.detail.as_ref()),
            tokens: lower(self.tokens.as_ref()),
            words: self.words,
            unlocked: self.unlocked,
            side: lower(self.side.as_ref()),
        };
        if view == View::default() {
            return Ok(None);
        }
        let cells: Vec<Cell> = store.manifest().cells.iter().map(|own| own.cell.clone()).collect();
        match view.problem(&cells) {
            Some(problem) => anyhow::bail!("{}: {problem}", store.path().display()),
            None => Ok(Some(view)),
        }
    }
}
