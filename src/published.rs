//! The published figures of the paper whose scorers this crate implements.

/// One published number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// The paper's table, such as `auroc` or `ece`.
    pub table: &'static str,
    /// The scorer's id, or `success_rate` (in percent) or `minority_n`; empty for a number of pairs or tasks.
    pub scorer: &'static str,
    /// The cross-turn aggregator's id, for white-box scorers; in the tables `stuck_…` the group of pairs or
    /// tasks.
    pub aggregator: Option<&'static str>,
    /// The dataset of the cell.
    pub dataset: &'static str,
    /// The model of the cell.
    pub model: &'static str,
    /// The number.
    pub value: f64,
    /// Half the width of its interval, if the paper gives one.
    pub half_range: Option<f64>,
}

/// All published figures, in the order of the paper's tables.
pub fn figures() -> impl Iterator<Item = Figure> {
    include_str!("../assets/published.csv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .skip(1)
        .filter_map(parse)
}

fn parse(line: &'static str) -> Option<Figure> {
    let mut fields = line.split(',');
    Some(Figure {
        table: fields.next()?,
        scorer: fields.next()?,
        aggregator: fields.next().filter(|id| !id.is_empty()),
        dataset: fields.next()?,
        model: fields.next()?,
        value: fields.next()?.parse().ok()?,
        half_range: fields.next().and_then(|half| half.parse().ok()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_parsed() {
        let rows = include_str!("../assets/published.csv").lines().count() - 2;
        assert_eq!(figures().count(), rows);
        assert_eq!(figures().filter(|figure| figure.table == "auroc").count(), 24 * 20);
    }

    #[test]
    fn figures_have_aggregators_and_intervals_where_the_paper_does() {
        let find = |table: &str, scorer: &str, aggregator: Option<&str>| {
            figures()
                .find(|figure| {
                    (figure.table, figure.scorer, figure.aggregator) == (table, scorer, aggregator)
                })
                .expect("published")
        };
        assert!((find("auroc", "sp", Some("first")).value - 0.66).abs() < 1e-12);
        assert!((find("auroc", "success_rate", None).value - 54.0).abs() < 1e-12);
        assert!(find("auroc_ci", "ter", None).half_range.is_some());
        assert!(find("auroc", "ter", None).half_range.is_none());
    }
}
