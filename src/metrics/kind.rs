use super::{auprc, aurc, auroc, brier, ece, prr};

/// A measure of how well a confidence predicts success.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Area under the ROC curve.
    Auroc,
    /// Average precision.
    Auprc,
    /// Prediction rejection ratio.
    Prr,
    /// Expected calibration error.
    Ece,
    /// Area under the risk–coverage curve.
    Aurc,
    /// Brier score.
    Brier,
}

impl Metric {
    /// All of them, in the order they are offered.
    pub const ALL: [Self; 6] =
        [Self::Auroc, Self::Auprc, Self::Prr, Self::Ece, Self::Aurc, Self::Brier];

    /// The id that flags and JSON use.
    pub fn id(self) -> &'static str {
        match self {
            Self::Auroc => "auroc",
            Self::Auprc => "auprc",
            Self::Prr => "prr",
            Self::Ece => "ece",
            Self::Aurc => "aurc",
            Self::Brier => "brier",
        }
    }

    /// The metric of that id.
    pub fn parse(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.id() == id)
    }

    /// Whether a larger value is better.
    pub fn higher_is_better(self) -> bool {
        matches!(self, Self::Auroc | Self::Auprc | Self::Prr)
    }

    /// Whether it is for scores in 0..=1 only.
    pub fn needs_probabilities(self) -> bool {
        matches!(self, Self::Ece | Self::Brier)
    }

    /// The value for these scores and labels.
    pub fn value(self, scores: &[f64], success: &[bool]) -> Option<f64> {
        match self {
            Self::Auroc => auroc(scores, success),
            Self::Auprc => auprc(scores, success),
            Self::Prr => prr(scores, success),
            Self::Ece => ece(scores, success),
            Self::Aurc => aurc(scores, success),
            Self::Brier => brier(scores, success),
        }
    }
}
