//! Agreement of draws by outcome: is a model consistent because it is right, or because it is stuck?

use super::axes::{Axis, Panel, legend};
use super::canvas::{Anchor, COLUMN, Canvas, Stroke, series};
use super::{Figure, FigureError, FigureOptions, together};
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
    let mut canvas = Canvas::new(COLUMN, 0.0, options.shade);
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
    panel(&mut canvas, 8.0, "pairs of draws", &scorers, &pairs, &outcomes);
    panel(&mut canvas, 138.0, "tasks solved", &scorers, &tasks, &solvability);
    let names: Vec<String> = scorers.iter().map(|id| Scorer::parse(id).label()).collect();
    let y = legend(&mut canvas, &names, 8.0, 272.0);
    let remark = format!("95% intervals over tasks; {}", together(engine));
    canvas.height = canvas.explain((8.0, y), &remark);
    Ok(Figure {
        title: "Agreement of draws by outcome, with 95% intervals over tasks".to_owned(),
        canvas,
    })
}

fn panel<G: PartialEq>(
    canvas: &mut Canvas,
    top: f64,
    title: &str,
    scorers: &[String],
    rows: &[StuckRow<G>],
    groups: &[(G, &str); 3],
) {
    let n = |group: &G| {
        let counts = rows.iter().filter(|row| row.group == *group).map(|row| row.n);
        counts.max().unwrap_or(0)
    };
    let x = Axis::groups(groups.iter().map(|(_, name)| *name), title);
    let y = Axis::share("mean agreement");
    let panel = Panel { left: 34.0, top, width: 198.0, height: 92.0, x, y };
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
