//! Where the signal comes from: turns by position in the run and by what they did.

use super::{
    CELL, COUNTS, SKIPPED, Unit, VALUE, cell_row, count_data, ends, skipped, value_or_why,
    with_tasks,
};
use crate::engine::{BINS, Engine, Signal, SignalBy, TurnGroup};
use crate::metrics::Metric;
use crate::metrics::bootstrap::Resampling;
use crate::report::TableOptions;
use crate::report::table::{Datum, Table, count, real, text};
use crate::scorers::aggregate::Aggregator;
use crate::scorers::whitebox::Base;
use crate::store::{Store, StoreError};

/// AUROC of single turns by their position in the run, and of runs by what is known of them so far.
pub(crate) fn positions(engine: &Engine, options: &TableOptions) -> Table {
    let named =
        [text("scorer"), text("aggregator"), text("of"), real("from"), real("to"), text("metric")];
    let columns = [&CELL[..], &named, &VALUE, &[count("turns")], &COUNTS, &SKIPPED].concat();
    let mut table = Table::new("how early turn confidence separates failures", &columns);
    let resampling = resampling(options);
    for cell in 0..engine.frames().len() {
        for base in bases(engine) {
            let turns = engine.signal(&[cell], base, SignalBy::Position, resampling);
            for signal in &turns {
                push_position(&mut table, engine, cell, base, None, signal);
            }
        }
        for (base, rule) in white_box(engine) {
            let runs = engine.signal(&[cell], base, SignalBy::Share(rule), resampling);
            for signal in &runs {
                push_position(&mut table, engine, cell, base, Some(rule), signal);
            }
        }
    }
    with_tasks(table, Unit::Runs, engine)
}

/// AUROC of single turns by what they did.
pub(crate) fn tools(
    engine: &Engine,
    store: Option<&Store>,
    options: &TableOptions,
) -> Result<Table, StoreError> {
    let named = [text("scorer"), text("action"), text("tool"), text("metric")];
    let columns = [&CELL[..], &named, &VALUE, &[count("turns")], &COUNTS, &SKIPPED].concat();
    let mut table = Table::new("how well turns separate failures, by what they did", &columns);
    let Some(store) = store else { return Ok(table) };
    let actions = engine.turn_actions(store)?;
    let resampling = resampling(options);
    for cell in 0..engine.frames().len() {
        for base in bases(engine) {
            for signal in engine.signal(&[cell], base, SignalBy::Action(&actions), resampling) {
                let (action, tool) = match &signal.group {
                    TurnGroup::Message => ("message", None),
                    TurnGroup::Call => ("call", None),
                    TurnGroup::Tool(name) => ("tool", Some(name.as_str())),
                    TurnGroup::All | TurnGroup::Position(_) | TurnGroup::Share(_) => ("all", None),
                };
                let mut row = cell_row(&engine.frames()[cell].cell);
                row.extend([base.id().into(), action.into(), tool.into()]);
                row.extend(data(&signal));
                table.push(row);
            }
        }
    }
    Ok(with_tasks(table, Unit::Runs, engine))
}

fn resampling(options: &TableOptions) -> Option<Resampling> {
    (options.resampling.resamples > 0).then_some(options.resampling)
}

/// The white-box scorers of an engine.
pub(super) fn white_box(engine: &Engine) -> Vec<(Base, Aggregator)> {
    let scorers = engine.scorers().iter();
    scorers.filter_map(|scorer| Some((scorer.base()?, scorer.aggregator()?))).collect()
}

/// The base scores of an engine's scorers.
fn bases(engine: &Engine) -> Vec<Base> {
    let known = white_box(engine);
    Base::ALL.into_iter().filter(|base| known.iter().any(|(known, _)| known == base)).collect()
}

fn push_position(
    table: &mut Table,
    engine: &Engine,
    cell: usize,
    base: Base,
    rule: Option<Aggregator>,
    signal: &Signal,
) {
    let (of, from, to) = match signal.group {
        TurnGroup::Position(bin) => ("turn", bin, bin + 1),
        TurnGroup::Share(share) => ("run-so-far", 0, share + 1),
        _ => return,
    };
    if signal.turns == 0 {
        return;
    }
    let share = |part: usize| Datum::from(part as f64 / BINS as f64);
    let mut row = cell_row(&engine.frames()[cell].cell);
    row.extend([base.id().into(), rule.map(Aggregator::id).into(), of.into()]);
    row.extend([share(from), share(to)]);
    row.extend(data(signal));
    table.push(row);
}

/// The metric, the value with its interval, and what they rest on.
fn data(signal: &Signal) -> Vec<Datum> {
    let metric = Metric::Auroc;
    let mut data = vec![metric.id().into(), value_or_why(metric, signal.value, signal.counts)];
    data.extend(ends(signal.interval));
    data.push(signal.turns.into());
    data.extend(count_data(signal.counts));
    data.push(skipped(signal.interval));
    data
}
