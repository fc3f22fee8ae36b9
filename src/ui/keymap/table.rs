//! The rows of the table.
//!
//! A key means one thing on every screen, so all rows with a key have the same action; a test
//! checks this. Where screens differ in what they show, the action describes what is common:
//!
//! | keys | what they mean |
//! |---|---|
//! | `h` `j` `k` `l`, arrows, `g` `G`, `Ctrl-d` `Ctrl-u` | move |
//! | `Enter`, `Esc` | open the selected item, go back one step; `Ctrl-o` jumps to where you were |
//! | `o`, `<` `>` | choose what is shown here, previous, next: the draw of a pane, or the cell |
//! | `v` | which cells are shown: one, all … |
//! | `H` `L` | previous and next task or pair |
//! | `r` `R` | sort; the other order: reversed, or the columns |
//! | `+` `-` | more and less: panes, scorers, β, the width of a column |
//! | `{` `}` | previous and next page of a screen |
//! | `p`, `P` | make this pane the first, or swap the cells; pin |
//! | `i`, `O`, `I` | intervals; the side pane shown, and read |
//! | `c` `C` | write a note; change or withdraw one |
//! | `=` `!` `~` | vote, and nothing else |
//! | `Space`, `\|` | mark a row; choose columns |
//! | `f` `F` `u` `x` `X`, `&` | preset selections; an expression |
//! | `z` `Z` | fold what is selected, or all; one plot alone |
//! | `#` `^` `V` | type a threshold; find the best one; what failures and reviews cost |
//! | `$`, `K`, `@` | what scorers would cost; end a scoring; keep a scorer |
//! | `q` | close what is open over a screen, then quit |
//!
//! A new row takes a key with the same meaning, or a key that no row has.

use crate::store::Ruling;
use crate::ui::action::{Action, Preset};
use crate::ui::screens::Screen;
use crate::ui::shared::Narrows;

/// A row of the table.
#[derive(Debug)]
pub struct Binding {
    /// The name in the config file.
    pub id: &'static str,
    /// The keys.
    pub keys: &'static [&'static str],
    /// What they do.
    pub action: Action,
    /// The same in words.
    pub description: &'static str,
    /// The word in the footer; empty when it is not listed there.
    pub short: &'static str,
    /// The screens on which they work; everywhere when empty.
    pub screens: &'static [Screen],
}

const fn key(
    id: &'static str,
    keys: &'static [&'static str],
    action: Action,
    description: &'static str,
    short: &'static str,
    screens: &'static [Screen],
) -> Binding {
    Binding { id, keys, action, description, short, screens }
}

impl Binding {
    /// Whether it works on a screen.
    pub fn works_on(&self, screen: Screen) -> bool {
        self.screens.is_empty() || self.screens.contains(&screen)
    }
}

const EVERYWHERE: &[Screen] = &[];
const CELLS: &[Screen] = &[Screen::Cells];
const GRID: &[Screen] = &[Screen::Grid];
const TASKS: &[Screen] = &[Screen::Tasks];
const COMPARE: &[Screen] = &[Screen::Compare];
const RUNS: &[Screen] = &[Screen::Compare, Screen::Triage];
const TREE: &[Screen] = &[Screen::Tree];
const OF_TASK: &[Screen] = &[Screen::Compare, Screen::Tree];
const CURVES: &[Screen] = &[Screen::Curves];
const STUCK: &[Screen] = &[Screen::Stuck];
const JUDGES: &[Screen] = &[Screen::Judges];
const TRIAGE: &[Screen] = &[Screen::Triage];
const VERSUS: &[Screen] = &[Screen::Versus];
const POOLED: &[Screen] = &[Screen::Curves, Screen::Stuck];
const WITH_CELL: &[Screen] =
    &[Screen::Tasks, Screen::Aggregators, Screen::Curves, Screen::Stuck, Screen::Judges];
const AGGREGATORS: &[Screen] = &[Screen::Aggregators];
const HEATMAPS: &[Screen] = &[Screen::Grid, Screen::Aggregators, Screen::Stuck, Screen::Judges];
const GRIDS: &[Screen] = &[Screen::Grid, Screen::Aggregators];
const WITH_PANES: &[Screen] = &[
    Screen::Aggregators,
    Screen::Compare,
    Screen::Curves,
    Screen::Read,
    Screen::Stuck,
    Screen::Judges,
    Screen::Triage,
    Screen::Versus,
];
const TEXTS: &[Screen] = &[Screen::Compare, Screen::Read, Screen::Triage];
const SEARCHED: &[Screen] = &[Screen::Tasks, Screen::Compare, Screen::Read, Screen::Triage];

/// All keys. What stands first on a screen stands first in its footer.
pub static BINDINGS: &[Binding] = &[
    key(
        "tasks-of-cell",
        &["Enter"],
        Action::Drill,
        "open the tasks of this cell",
        "tasks",
        &[Screen::Grid, Screen::Cells],
    ),
    key("open-task", &["Enter"], Action::Drill, "open this task", "open", TASKS),
    key(
        "open-tasks",
        &["Enter"],
        Action::Drill,
        "open the tasks, or this task",
        "open",
        AGGREGATORS,
    ),
    key(
        "vote-equivalent",
        &["="],
        Action::Vote(Ruling::Equivalent),
        "both reach the same outcome",
        "equivalent",
        TRIAGE,
    ),
    key(
        "vote-different",
        &["!"],
        Action::Vote(Ruling::Different),
        "they do not reach the same outcome",
        "different",
        TRIAGE,
    ),
    key("vote-unsure", &["~"], Action::Vote(Ruling::Unsure), "you cannot tell", "unsure", TRIAGE),
    key("next-pair", &["L"], Action::NextTask, "next pair that is not done", "next", TRIAGE),
    key("previous-pair", &["H"], Action::PreviousTask, "previous pair of the queue", "", TRIAGE),
    key("undo-vote", &["U"], Action::UndoVote, "withdraw the last vote", "undo", TRIAGE),
    key(
        "list-counted",
        &["Enter"],
        Action::Drill,
        "list what this number counts, or open the task",
        "list",
        STUCK,
    ),
    key(
        "list-verdicts",
        &["Enter"],
        Action::Drill,
        "list what this counts, choose this judge, or open this pair",
        "open",
        JUDGES,
    ),
    key(
        "tasks-at-threshold",
        &["Enter"],
        Action::Drill,
        "list the tasks just above and below the threshold, or behind a number",
        "tasks",
        CURVES,
    ),
    key(
        "threshold-left",
        &["h", "Left"],
        Action::Left,
        "threshold or column to the left",
        "",
        CURVES,
    ),
    key(
        "threshold-right",
        &["l", "Right"],
        Action::Right,
        "threshold or column to the right",
        "threshold",
        CURVES,
    ),
    key("type-threshold", &["#"], Action::EditThreshold, "type the threshold", "", CURVES),
    key(
        "best-threshold",
        &["^"],
        Action::ChooseAim,
        "the best threshold for an aim, and what it achieves on other tasks",
        "best",
        CURVES,
    ),
    key(
        "costs",
        &["V"],
        Action::EditCosts,
        "what a failure, a review and a run cost",
        "costs",
        CURVES,
    ),
    key("bands", &["i"], Action::NextShow, "bands of curves, or none", "bands", CURVES),
    key("plot-alone", &["z"], Action::Fold, "this plot alone, or all", "alone", CURVES),
    key(
        "keep-scorer",
        &["@"],
        Action::KeepScorer,
        "keep an ensemble or calibration as a scorer",
        "",
        CURVES,
    ),
    key("next-page", &["}"], Action::NextPage, "next page", "page", CURVES),
    key("previous-page", &["{"], Action::PreviousPage, "previous page", "", CURVES),
    key("add-scorer", &["+"], Action::More, "compare one more scorer", "add", CURVES),
    key("remove-scorer", &["-"], Action::Less, "remove the scorer that was added last", "", CURVES),
    key(
        "scope-of-cells",
        &["v"],
        Action::Scope,
        "all cells, a dataset, a model or one cell",
        "scope",
        POOLED,
    ),
    key(
        "pair-order",
        &["r"],
        Action::Sort,
        "pairs to vote on: the queue, all at random, or where people disagree",
        "order",
        JUDGES,
    ),
    key(
        "open-changed",
        &["Enter"],
        Action::Drill,
        "open a run of each cell side by side, or the tasks of the second cell",
        "open",
        VERSUS,
    ),
    key(
        "choose-other",
        &["o"],
        Action::Choose,
        "choose the cell that the selected one is compared with",
        "compare with",
        VERSUS,
    ),
    key(
        "other-before",
        &["<", ","],
        Action::PreviousChoice,
        "previous cell to compare with",
        "",
        VERSUS,
    ),
    key(
        "other-after",
        &[">", "."],
        Action::NextChoice,
        "next cell to compare with",
        "cell",
        VERSUS,
    ),
    key("swap-cells", &["p"], Action::SwapPane, "swap the two cells", "swap", VERSUS),
    key(
        "list-before",
        &["h", "Left"],
        Action::Left,
        "the list to the left: fixed, broken, shaky",
        "",
        VERSUS,
    ),
    key("list-after", &["l", "Right"], Action::Right, "the list to the right", "list", VERSUS),
    key("choose-cell", &["o"], Action::Choose, "choose the cell", "", WITH_CELL),
    key("cell-before", &["<", ","], Action::PreviousChoice, "previous cell", "", WITH_CELL),
    key("cell-after", &[">", "."], Action::NextChoice, "next cell", "cell", WITH_CELL),
    key(
        "open-branch",
        &["Enter"],
        Action::Drill,
        "compare a run of this branch with one of the marked or largest other branch",
        "compare",
        TREE,
    ),
    key(
        "unfold-branch",
        &["z"],
        Action::Fold,
        "the actions of this branch one by one, or on one line",
        "unfold",
        TREE,
    ),
    key(
        "unfold-branches",
        &["Z"],
        Action::FoldAll,
        "the actions of all branches one by one, or on one line each",
        "",
        TREE,
    ),
    key(
        "mark-branch",
        &["Space"],
        Action::Mark,
        "mark this branch: Enter on another opens both",
        "mark",
        TREE,
    ),
    key("next-fork", &["d"], Action::NextDivergence, "next fork", "fork", TREE),
    key("read", &["Enter"], Action::Drill, "read this action whole", "read", RUNS),
    key("fold-row", &["z"], Action::Fold, "show this row whole, or less of it", "unfold", RUNS),
    key(
        "detail",
        &["Z"],
        Action::FoldAll,
        "show one line of all rows, the beginnings or everything",
        "",
        RUNS,
    ),
    key(
        "divergence",
        &["d"],
        Action::NextDivergence,
        "the first divergence of the runs, then the next one",
        "divergence",
        RUNS,
    ),
    key("next-weak", &["]"], Action::NextWeak, "next weak turn", "weak turn", RUNS),
    key("previous-weak", &["["], Action::PreviousWeak, "previous weak turn", "", RUNS),
    key("weakest", &["w"], Action::Weakest, "the weakest turn", "weakest", RUNS),
    key("next-error", &["e"], Action::NextError, "next failed call or cut-off run", "error", RUNS),
    key(
        "token-heat",
        &["t"],
        Action::TokenHeat,
        "colour tokens by probability, entropy, margin, or not",
        "tokens",
        RUNS,
    ),
    key("least-token", &["W"], Action::LeastToken, "the most uncertain token", "", RUNS),
    key("word-diff", &["D"], Action::WordDiff, "compare messages word by word, or not", "", RUNS),
    key("next-run", &[">", "."], Action::NextChoice, "next draw in this pane", "draw", COMPARE),
    key(
        "previous-run",
        &["<", ","],
        Action::PreviousChoice,
        "previous draw in this pane",
        "",
        COMPARE,
    ),
    key(
        "choose-run",
        &["o"],
        Action::Choose,
        "choose what this pane shows, also from other cells",
        "",
        COMPARE,
    ),
    key(
        "all-draws",
        &["B"],
        Action::AllDraws,
        "all draws at once, as a tree of their actions",
        "all draws",
        COMPARE,
    ),
    key("runs", &["B"], Action::AllDraws, "the runs side by side", "runs", TREE),
    key("add-pane", &["+"], Action::More, "add a pane", "pane", COMPARE),
    key("remove-pane", &["-"], Action::Less, "remove a pane", "", COMPARE),
    key(
        "swap-pane",
        &["p"],
        Action::SwapPane,
        "swap this pane and the first, which the others are compared with",
        "",
        COMPARE,
    ),
    key("lock", &["b"], Action::Lock, "scroll the panes together, or each on its own", "", RUNS),
    key("side", &["O"], Action::Side, "show or hide what the agent did not see", "hidden", COMPARE),
    key("read-side", &["I"], Action::ReadSide, "read what the agent did not see", "", RUNS),
    key(
        "note",
        &["c"],
        Action::Note,
        "write a note",
        "note",
        &[Screen::Compare, Screen::Tasks, Screen::Triage],
    ),
    key(
        "mark-error",
        &["*"],
        Action::MarkError,
        "mark the decisive error of a failed run and its cause",
        "error turn",
        COMPARE,
    ),
    key(
        "edit-note",
        &["C"],
        Action::ChooseNote,
        "change a note of yours, or withdraw it",
        "",
        &[Screen::Compare, Screen::Tasks, Screen::Triage],
    ),
    key(
        "next-aggregator",
        &["a"],
        Action::NextAggregator,
        "next aggregator",
        "aggregator",
        EVERYWHERE,
    ),
    key(
        "previous-aggregator",
        &["A"],
        Action::PreviousAggregator,
        "previous aggregator",
        "",
        EVERYWHERE,
    ),
    key("scorer", &["s"], Action::ChooseScorer, "choose the scorer", "scorer", EVERYWHERE),
    key(
        "judge",
        &["J"],
        Action::NextJudge,
        "next judge, or people before a judge, for TER",
        "",
        EVERYWHERE,
    ),
    key(
        "stuck-tasks",
        &["S"],
        Action::NextTreatment,
        "count stuck tasks, drop them or score them as failures",
        "",
        EVERYWHERE,
    ),
    key("next-metric", &["m"], Action::NextMetric, "next metric", "metric", EVERYWHERE),
    key("previous-metric", &["M"], Action::PreviousMetric, "previous metric", "", EVERYWHERE),
    key(
        "show",
        &["i"],
        Action::NextShow,
        "show value, ± half range, interval, rank or swatch",
        "intervals",
        GRIDS,
    ),
    key("next-pane", &["Tab"], Action::NextPane, "next pane", "pane", WITH_PANES),
    key("previous-pane", &["BackTab"], Action::PreviousPane, "previous pane", "", WITH_PANES),
    key("more", &["+"], Action::More, "larger β of softmin or k of window", "β, k", AGGREGATORS),
    key("less", &["-"], Action::Less, "smaller β of softmin or k of window", "", AGGREGATORS),
    key("pin", &["P"], Action::Pin, "pin this scorer: show differences to it", "pin", GRID),
    key(
        "pin-aggregator",
        &["P"],
        Action::Pin,
        "compare ranks with this aggregator",
        "compare with",
        AGGREGATORS,
    ),
    key(
        "sort-rows",
        &["r"],
        Action::Sort,
        "order the rows by this column, or as they were",
        "sort",
        GRID,
    ),
    key(
        "sort-columns",
        &["R"],
        Action::SortOther,
        "order the columns by this row, or as they were",
        "",
        GRID,
    ),
    key("fold", &["z"], Action::Fold, "fold or unfold this family", "fold", GRID),
    key("fold-all", &["Z"], Action::FoldAll, "fold or unfold all families", "", GRID),
    key(
        "show-empty",
        &["v"],
        Action::Scope,
        "show or hide cells and scorers without a value",
        "",
        GRID,
    ),
    key(
        "failures",
        &["f"],
        Action::Preset(Preset::Failures),
        "only failures",
        "failures",
        EVERYWHERE,
    ),
    key(
        "confident-failures",
        &["F"],
        Action::Preset(Preset::ConfidentFailures),
        "only failures in the most confident quarter",
        "confident failures",
        EVERYWHERE,
    ),
    key(
        "doubtful-successes",
        &["u"],
        Action::Preset(Preset::DoubtfulSuccesses),
        "only successes in the least confident quarter",
        "",
        EVERYWHERE,
    ),
    key(
        "mixed",
        &["x"],
        Action::Preset(Preset::Mixed),
        "only tasks that some but not all draws solve",
        "",
        EVERYWHERE,
    ),
    key(
        "stuck",
        &["X"],
        Action::Preset(Preset::Stuck),
        "only tasks that no draw solves though they agree",
        "",
        EVERYWHERE,
    ),
    key("sort", &["r"], Action::Sort, "choose the column to sort by", "sort", TASKS),
    key("reverse", &["R"], Action::SortOther, "reverse the order", "", TASKS),
    key(
        "columns",
        &["|"],
        Action::ChooseColumns,
        "show, hide, move and widen columns",
        "columns",
        TASKS,
    ),
    key("mark", &["Space"], Action::Mark, "mark this task, or remove its mark", "mark", TASKS),
    key("clear-marks", &["Delete"], Action::ClearMarks, "remove all marks", "", TASKS),
    key("scope", &["v"], Action::Scope, "tasks of this cell or of all cells", "all cells", TASKS),
    key("previous-cell", &["h", "Left"], Action::Left, "tasks of the cell to the left", "", TASKS),
    key("next-cell", &["l", "Right"], Action::Right, "tasks of the cell to the right", "", TASKS),
    key("next-task", &["L"], Action::NextTask, "next task", "next task", OF_TASK),
    key("previous-task", &["H"], Action::PreviousTask, "previous task", "", OF_TASK),
    key(
        "filter",
        &["&"],
        Action::EditTasks(Narrows::Selection),
        "select tasks by an expression (Ctrl-s: the scope)",
        "select",
        EVERYWHERE,
    ),
    key(
        "lift-selection",
        &["\\"],
        Action::Narrow(Narrows::Selection, String::new()),
        "lift the selection: lists show all tasks",
        "",
        EVERYWHERE,
    ),
    key(
        "lift-scope",
        &["%"],
        Action::Narrow(Narrows::Scope, String::new()),
        "lift the scope: numbers use all tasks",
        "",
        EVERYWHERE,
    ),
    key("search", &["/"], Action::Search, "search ids and texts", "search", TASKS),
    key(
        "search-cells",
        &["/"],
        Action::Search,
        "show only cells that contain these words",
        "search",
        CELLS,
    ),
    key("search-texts", &["/"], Action::Search, "search in these texts", "search", TEXTS),
    key("next-hit", &["n"], Action::NextHit, "next hit of the search", "", SEARCHED),
    key("previous-hit", &["N"], Action::PreviousHit, "previous hit of the search", "", SEARCHED),
    key(
        "scorers",
        &["$"],
        Action::Scorers,
        "every scorer: what it has, needs and costs, and how to compute it",
        "",
        EVERYWHERE,
    ),
    key(
        "stop-scoring",
        &["K"],
        Action::StopScoring,
        "end the scoring that was started here",
        "",
        EVERYWHERE,
    ),
    key("palette", &[":"], Action::Palette, "all commands", "commands", EVERYWHERE),
    key("help", &["?", "F1"], Action::Help, "the keys of this screen", "help", EVERYWHERE),
    key("down", &["j", "Down"], Action::Down, "down", "", EVERYWHERE),
    key("up", &["k", "Up"], Action::Up, "up", "", EVERYWHERE),
    key("left", &["h", "Left"], Action::Left, "left", "", HEATMAPS),
    key("right", &["l", "Right"], Action::Right, "right", "", HEATMAPS),
    key("left-token", &["h", "Left"], Action::Left, "token or pane to the left", "", RUNS),
    key("right-token", &["l", "Right"], Action::Right, "token or pane to the right", "", RUNS),
    key(
        "half-page-down",
        &["Ctrl-d", "PgDn"],
        Action::HalfPageDown,
        "half a page down",
        "",
        EVERYWHERE,
    ),
    key("half-page-up", &["Ctrl-u", "PgUp"], Action::HalfPageUp, "half a page up", "", EVERYWHERE),
    key("first", &["g", "Home"], Action::First, "first", "", EVERYWHERE),
    key("last", &["G", "End"], Action::Last, "last", "", EVERYWHERE),
    key("cells", &["0"], Action::Open(Screen::Cells), Screen::Cells.about(), "", EVERYWHERE),
    key("grid", &["1"], Action::Open(Screen::Grid), Screen::Grid.about(), "", EVERYWHERE),
    key("tasks", &["2"], Action::Open(Screen::Tasks), Screen::Tasks.about(), "", EVERYWHERE),
    key("compare", &["3"], Action::Open(Screen::Compare), Screen::Compare.about(), "", EVERYWHERE),
    key(
        "aggregators",
        &["4"],
        Action::Open(Screen::Aggregators),
        Screen::Aggregators.about(),
        "",
        EVERYWHERE,
    ),
    key("curves", &["5"], Action::Open(Screen::Curves), Screen::Curves.about(), "", EVERYWHERE),
    key(
        "stuck-policies",
        &["6"],
        Action::Open(Screen::Stuck),
        Screen::Stuck.about(),
        "",
        EVERYWHERE,
    ),
    key("judges", &["7"], Action::Open(Screen::Judges), Screen::Judges.about(), "", EVERYWHERE),
    key("versus", &["8"], Action::Open(Screen::Versus), Screen::Versus.about(), "", EVERYWHERE),
    key("back", &["Esc", "Backspace"], Action::Back, "back one step", "back", EVERYWHERE),
    key(
        "jump-back",
        &["Ctrl-o"],
        Action::JumpBack,
        "jump back to where you were: screen, cell, task",
        "",
        EVERYWHERE,
    ),
    key("copy", &["y"], Action::Copy, "copy what is selected", "copy", EVERYWHERE),
    key(
        "copy-command",
        &["Y"],
        Action::CopyCommand,
        "copy the command that reopens this view",
        "",
        EVERYWHERE,
    ),
    key("export", &["E"], Action::Export, "write this screen to a file", "", EVERYWHERE),
    key("theme", &["T"], Action::SwitchTheme, "light or dark theme", "", EVERYWHERE),
    key("redraw", &["Ctrl-l"], Action::Redraw, "redraw the screen", "", EVERYWHERE),
    key(
        "suspend",
        &["Ctrl-z"],
        Action::Suspend,
        "suspend until the shell resumes it with fg",
        "",
        EVERYWHERE,
    ),
    key("quit", &["q", "Ctrl-c"], Action::Quit, "close what is open, or quit", "quit", EVERYWHERE),
];
