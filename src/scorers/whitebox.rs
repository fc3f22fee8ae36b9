//! White-box scores of one turn, from the log-probabilities of its action tokens.

use super::Formula;
use super::aggregate::Aggregator;
use crate::model::{Span, TokenSeq, Trajectory, TurnScores, Unscored};

/// Which tokens of a turn are scored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Spans {
    /// The committed action.
    #[default]
    Action,
    /// The thinking before it.
    Reasoning,
    /// All words that were generated.
    All,
}

impl Spans {
    /// All spans.
    pub const ALL: [Self; 3] = [Self::Action, Self::Reasoning, Self::All];

    /// The id that `--span` takes.
    pub fn id(self) -> &'static str {
        match self {
            Self::Action => "action",
            Self::Reasoning => "reasoning",
            Self::All => "all",
        }
    }

    /// The span of that id; the action's without an id, or with an unknown one.
    pub fn of(id: Option<&str>) -> Self {
        Self::ALL.into_iter().find(|spans| Some(spans.id()) == id).unwrap_or_default()
    }

    fn holds(self, span: Span) -> bool {
        match self {
            Self::Action => span == Span::Action,
            Self::Reasoning => span == Span::Reasoning,
            Self::All => span != Span::Special,
        }
    }
}

/// A white-box score of one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// Sequence probability.
    Sp,
    /// Length-normalised sequence probability.
    Lnsp,
    /// Average token negentropy.
    Atn,
    /// Probability margin.
    Pm,
}

impl Base {
    /// All base scores, in the order they are listed.
    pub const ALL: [Self; 4] = [Self::Sp, Self::Lnsp, Self::Atn, Self::Pm];

    /// The id that appears in stores, flags and on screen.
    pub fn id(self) -> &'static str {
        Formula::WhiteBox(self).id()
    }

    /// The value that ranks a turn: its confidence, or the log where that may underflow.
    pub fn ranking(self, scores: &TurnScores) -> Option<f64> {
        match self {
            Self::Sp => Some(scores.sp_log),
            Self::Lnsp => Some(scores.lnsp),
            Self::Atn => scores.atn,
            Self::Pm => scores.pm,
        }
    }

    /// Whether turn scores are kept and ranked as natural logs.
    pub fn ranks_by_log(self) -> bool {
        Formula::WhiteBox(self).spec().ranks_by_log
    }

    /// Whether the score of a run under an aggregator is kept and ranked as a natural log.
    pub fn ranks_by_log_under(self, rule: Aggregator) -> bool {
        self.ranks_by_log() || rule.ranks_by_log()
    }
}

/// Scores one span of a turn; none when it has no such token.
pub fn turn_scores(tokens: &TokenSeq, spans: Spans) -> Option<TurnScores> {
    let mut sp_log = 0.0;
    let mut length = 0u32;
    let (mut negentropy, mut margin) = (Mean::default(), Mean::default());
    for token in tokens.iter().filter(|token| spans.holds(token.span)) {
        sp_log += token.logprob;
        length += 1;
        if token.top_logprobs.len() >= 2 {
            negentropy.add(1.0 - normalised_entropy(token.top_logprobs));
            margin.add(top_margin(token.top_logprobs));
        }
    }
    (length > 0).then(|| TurnScores {
        sp_log,
        lnsp: (sp_log / f64::from(length)).exp(),
        atn: negentropy.value(),
        pm: margin.value(),
        tokens: length,
    })
}

/// Scores every turn of a run.
pub fn score_turns(run: &mut Trajectory, spans: Spans) {
    for turn in &mut run.turns {
        turn.scores = turn.tokens.as_ref().and_then(|tokens| turn_scores(tokens, spans));
    }
}

/// Why a turn of a run has no score; none of one that has.
pub fn unscored(run: &Trajectory, turn: usize, base: Base) -> Option<Unscored> {
    match run.turns.get(turn)?.scores {
        Some(scores) => base.ranking(&scores).is_none().then_some(Unscored::NoAlternatives),
        None => Some(run.without_tokens(turn).unwrap_or(Unscored::NoAction)),
    }
}

/// Entropy of the alternatives renormalised to sum 1, over its maximum `ln k`. Alternatives are taken
/// relative to the likeliest, so that very unlikely ones keep their proportions.
pub fn normalised_entropy(logprobs: &[f64]) -> f64 {
    let likeliest = logprobs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if likeliest == f64::NEG_INFINITY {
        return 1.0;
    }
    let weight = |logprob: &f64| (logprob - likeliest).exp();
    let total: f64 = logprobs.iter().map(weight).sum();
    let entropy: f64 = logprobs
        .iter()
        .map(|logprob| weight(logprob) / total)
        .filter(|p| *p > 0.0)
        .map(|p| -p * p.ln())
        .sum();
    (entropy / (logprobs.len() as f64).ln()).clamp(0.0, 1.0)
}

/// How far the likeliest alternative is ahead of the next.
pub fn top_margin(logprobs: &[f64]) -> f64 {
    let (mut first, mut second) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for &logprob in logprobs {
        if logprob > first {
            (first, second) = (logprob, first);
        } else if logprob > second {
            second = logprob;
        }
    }
    first.exp() - second.exp()
}

#[derive(Default)]
struct Mean {
    sum: f64,
    count: u32,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    fn value(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(rows: &[(f64, Span, &[f64])]) -> TokenSeq {
        let mut tokens = TokenSeq::default();
        for (p, span, top) in rows {
            tokens.push("t", p.ln(), *span);
            for alternative in *top {
                tokens.push_alternative("a", alternative.ln());
            }
        }
        tokens
    }

    #[test]
    fn only_action_tokens_count() {
        let tokens = sequence(&[
            (0.1, Span::Reasoning, &[0.1, 0.05]),
            (0.5, Span::Action, &[0.5, 0.25]),
            (0.8, Span::Action, &[]),
            (0.1, Span::Other, &[]),
            (0.2, Span::Special, &[0.5, 0.2]),
        ]);
        let scores = turn_scores(&tokens, Spans::Action).expect("two action tokens");
        assert!((scores.sp_log - 0.4f64.ln()).abs() < 1e-12);
        assert!((scores.lnsp - 0.4f64.sqrt()).abs() < 1e-12);
        assert!((scores.pm.expect("one position has two alternatives") - 0.25).abs() < 1e-12);
        // scipy.stats.entropy([2/3, 1/3], base=2) = 0.9182958340544894
        let atn = scores.atn.expect("one position has two alternatives");
        assert!((atn - (1.0 - 0.918_295_834_054_489_4)).abs() < 1e-12);
        let all = turn_scores(&tokens, Spans::All).expect("four tokens that are words");
        assert!((all.sp_log - 0.004f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn unlikely_alternatives_keep_their_proportions() {
        // scipy.stats.entropy([3/4, 1/4], base=2) = 0.8112781244591328, whatever both are scaled by
        for scale in [0.0, -50.0, -800.0, -5000.0] {
            let entropy = normalised_entropy(&[scale + 0.75f64.ln(), scale + 0.25f64.ln()]);
            assert!((entropy - 0.811_278_124_459_132_8).abs() < 1e-12, "{scale}: {entropy}");
        }
        assert!((normalised_entropy(&[f64::NEG_INFINITY; 2]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_turn_without_action_tokens_has_no_score() {
        assert_eq!(turn_scores(&sequence(&[(0.9, Span::Reasoning, &[])]), Spans::Action), None);
        assert_eq!(turn_scores(&TokenSeq::default(), Spans::All), None);
    }

    #[test]
    fn a_long_turn_keeps_its_log() {
        let rows = vec![(0.5, Span::Action, &[] as &[f64]); 5000];
        let scores = turn_scores(&sequence(&rows), Spans::Action).expect("tokens");
        assert!((scores.sp_log - 5000.0 * 0.5f64.ln()).abs() < 1e-6);
    }
}
