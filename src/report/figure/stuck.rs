//! Agreement of draws by outcome: is a model consistent because it is right, or because it is stuck?

use super::axes::{Axis, Panel};
use super::canvas::{Anchor, Canvas, Stroke, series};
use super::samples::legend;
use super::{Figure, FigureError, FigureOptions};
use crate::engine::{Engine, PairOutcome, Scope, Solvability, StuckRow};
use crate::scorers::Scorer;

/// Mean agreement of pairs by their outcomes, and of tasks by how often they are solved, with intervals.
pub(super) fn stuck(engine: &Engine, options: &FigureOptions) -> Result<Figure, FigureError> {
    let scorers = engine.consistency_ids();
    let scopes = [Scope::All];
    let pairs = engine.stuck_pairs(&scopes, &scorers, Some(options.resampling));
    let tasks = engine.stuck_tasks(&scopes, &scorers, Some(options.resampling));
    if pairs.iter().all(|row| row.mean.is_none()) {
        return Err(FigureError::NoSamples);
    }
    let mut canvas = Canvas::new(390.0, 190.0, options.shade);
    let outcomes = [
        (PairOutcome::BothSucceed, "both solve it"),
        (PairOutcome::OneSucceeds, "one does"),
        (PairOutcome::BothFail, "none does"),
    ];
    let solvability = [
        (Solvability::Always, "always"),
        (Solvability::Sometimes, "sometimes"),
        (Solvability::Never, "never"),
    ];
    panel(&mut canvas, 40.0, "pairs of draws", &scorers, &pairs, &outcomes);
    panel(&mut canvas, 225.0, "tasks solved", &scorers, &tasks, &solvability);
    let names: Vec<String> = scorers.iter().map(|id| Scorer::parse(id).label()).collect();
    legend(&mut canvas, &names, 182.0);
    Ok(Figure {
        title: "Agreement of draws by outcome, with 95% intervals over tasks".to_owned(),
        canvas,
    })
}

fn panel<G: PartialEq>(
    canvas: &mut Canvas,
    left: f64,
    title: &str,
    scorers: &[String],
    rows: &[StuckRow<G>],
    groups: &[(G, &str); 3],
) {
    let n = |group: &G| {
        let counts = rows.iter().filter(|row| row.group == *group).map(|row| row.n);
        counts.max().unwrap_or(0)
    };
    let ticks =
        groups.iter().zip(0u8..).map(|((_, name), index)| (f64::from(index), (*name).to_owned()));
    let x = Axis { from: -0.5, to: 2.5, ticks: ticks.collect(), title: title.to_owned() };
    let y = Axis::share(if left < 100.0 { "mean agreement" } else { "" });
    let panel = Panel { left, top: 10.0, width: 155.0, height: 125.0, x, y };
    panel.draw(canvas);
    for (position, scorer) in scorers.iter().enumerate() {
        let stroke = series(position, canvas.shade);
        let offset = (position as f64 - (scorers.len() - 1) as f64 / 2.0) * 0.11;
        for ((group, _), index) in groups.iter().zip(0u8..) {
            let found = rows.iter().find(|row| row.scorer == *scorer && row.group == *group);
            let Some((row, mean)) = found.and_then(|row| Some((row, row.mean?))) else { continue };
            let x = f64::from(index) + offset;
            if let Some(interval) = row.interval {
                let ends = [panel.at(x, interval.lo), panel.at(x, interval.hi)];
                canvas.line(&ends, Stroke { dashes: &[], ..stroke });
            }
            canvas.mark(position, panel.at(x, mean), stroke.colour);
        }
    }
    for ((group, _), index) in groups.iter().zip(0u8..) {
        let (x, y) = panel.at(f64::from(index), 0.0);
        canvas.text((x, y - 3.0), &format!("n {}", n(group)), canvas.remarks(Anchor::Middle));
    }
}
