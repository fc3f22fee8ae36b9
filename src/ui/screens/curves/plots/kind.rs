//! The kinds of plots.

use crate::metrics::Metric;
use crate::ui::view::Named;

/// What a plot shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlotKind {
    /// The share of successes that are accepted, against the share of failures.
    #[default]
    Roc,
    /// Precision against recall.
    Pr,
    /// The share of successes among the accepted tasks, against their share.
    Risk,
    /// The share of successes against confidence, in ten bins.
    Reliability,
    /// Tasks by confidence, successes and failures apart.
    Histogram,
}

impl Named for PlotKind {
    const ALL: &'static [Self] =
        &[Self::Roc, Self::Pr, Self::Risk, Self::Reliability, Self::Histogram];

    fn id(self) -> &'static str {
        match self {
            Self::Roc => "roc",
            Self::Pr => "pr",
            Self::Risk => "risk",
            Self::Reliability => "reliability",
            Self::Histogram => "histogram",
        }
    }
}

impl PlotKind {
    /// The one before it; before the first the last.
    pub(super) fn previous(self) -> Self {
        let before = |kind: &&Self| kind.next() == self;
        Self::ALL.iter().find(before).copied().unwrap_or(self)
    }

    /// Whether confidence is from left to right, and not how many tasks are accepted.
    pub(super) fn is_by_confidence(self) -> bool {
        matches!(self, Self::Reliability | Self::Histogram)
    }

    /// The title.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Roc => "ROC",
            Self::Pr => "Precision–recall",
            Self::Risk => "Risk–coverage",
            Self::Reliability => "Reliability",
            Self::Histogram => "Histogram",
        }
    }

    /// What is plotted against what; the first text that has room is shown.
    pub(super) fn about(self) -> &'static [&'static str] {
        match self {
            Self::Roc => &["successes accepted by failures accepted", "TPR by FPR"],
            Self::Pr => &["success of the accepted by recall", "by recall"],
            Self::Risk => &["success of the accepted by coverage", "by coverage"],
            Self::Reliability => &["success by confidence, in ten bins", "by confidence"],
            Self::Histogram => &[],
        }
    }

    /// The metrics that sum it up.
    pub(super) fn metrics(self) -> &'static [Metric] {
        match self {
            Self::Roc => &[Metric::Auroc],
            Self::Pr => &[Metric::Auprc],
            Self::Risk => &[Metric::Prr, Metric::Aurc],
            Self::Reliability => &[Metric::Ece],
            Self::Histogram => &[],
        }
    }
}
