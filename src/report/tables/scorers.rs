//! What every scorer has, and what it would take to compute the rest.

use crate::engine::{Engine, NamedRecipe, recipes};
use crate::models::ScorerOutlook;
use crate::report::table::{Datum, Table, count, real, text};
use crate::scorers::Scorer;
use crate::text::shell_word;

/// One row for every scorer, and for every ensemble and calibration that the store keeps. The command is
/// that for the store of this path.
pub fn scorers(outlook: &[ScorerOutlook], engine: &Engine, store: &str) -> Table {
    let columns = [
        text("scorer"),
        text("family"),
        count("values"),
        count("of"),
        text("needs"),
        count("calls"),
        count("tokens"),
        real("cost"),
        text("command"),
    ];
    let mut table = Table::new("what is computed, and what could be", &columns);
    for row in outlook {
        let needs: Vec<&str> = row.spec.needs.iter().map(|need| need.words()).collect();
        let asking = row.asking.as_ref().filter(|asking| asking.calls > 0);
        let count = |value: Option<u64>| value.map_or(Datum::Missing, Datum::Count);
        let flags = row.flags().filter(|_| !row.is_complete());
        let command = flags.map(|flags| format!("qualm score {} {flags}", shell_word(store)));
        table.push(vec![
            row.spec.id.into(),
            row.spec.family.id().into(),
            row.valued.into(),
            row.rows.into(),
            if needs.is_empty() { Datum::Missing } else { needs.join(", ").into() },
            count(asking.map(|asking| asking.calls as u64)),
            count(asking.map(|asking| asking.tokens.iter().sum())),
            asking.and_then(|asking| asking.cost).map_or(Datum::Missing, Datum::from),
            command.map_or(Datum::Missing, Datum::from),
        ]);
    }
    let all: usize = engine.frames().iter().map(|frame| frame.tasks.len()).sum();
    for NamedRecipe { name, recipe } in recipes(engine.manifest()) {
        let kind = if recipe.method.is_calibration() { "calibration" } else { "ensemble" };
        let valued = engine.valued(&Scorer::Stored(name.clone()));
        let mut row = vec![name.into(), kind.into(), valued.into(), all.into()];
        row.push(recipe.to_string().into());
        row.extend([Datum::Missing, Datum::Missing, Datum::Missing, Datum::Missing]);
        table.push(row);
    }
    table.notes.push(
        "calls and tokens are for the values that are missing; tokens are estimated".to_owned(),
    );
    table
}
