//! Judges against each other and the database, what each makes of TER, and the pairs to look at.
//!
//! ```text
//!  agreement (raw, κ, n)        flash-lite      flash          human
//!  flash-lite                   –               .91 .78 7,170  .80 .55 12
//!  against the database  precision      recall         F1      ✓≡  ✗≡  ✗≢  ✓≢  unparsed
//!  TER in airline/gpt-4o-mini   mean   AUROC          n    Δ
//!  to look at  12 of 47 done
//!  .48  judges disagree, against the database   airline/gpt-4o-mini  task 17, draw 2
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::put;
use crate::app::{App, Hit, JudgePane, Layout, jobs::JudgesView, scrolled};
use crate::engine::{Against, JudgeRow, Reason, TriageItem};
use crate::metrics::agreement::Confusion;
use crate::metrics::bootstrap::Interval;
use crate::text::{counted, grouped, visible};
use crate::widgets::{fit, fit_middle, padded, signed, two, width};

/// Rows of the queue that stay in sight, however many judges there are.
const QUEUE: u16 = 4;

/// The narrowest column of the matrix.
const NARROWEST: u16 = 18;

pub(super) fn draw(buffer: &mut Buffer, area: Rect, app: &App, layout: &mut Layout) {
    let Some(engine) = app.data.engine() else { return };
    let names = engine.judges();
    if names.is_empty() {
        let text = "No judge has said whether samples reach the same outcome as their reference. \
                    `qualm import verdicts.csv -o STORE` adds verdicts.";
        return super::paragraph(buffer, area, text, app.theme.dim);
    }
    let Some(view) = app.judges_view() else {
        return super::paragraph(buffer, area, "Comparing judges …", app.theme.dim);
    };
    // Three tables with their heads, the rule and the queue.
    let most = (area.height.saturating_sub(QUEUE + 4) / 3).max(1);
    let judges = (names.len() as u16).min(most);
    let ters = (app.judge_ters().len() as u16)
        .min(most.max(area.height.saturating_sub(QUEUE + 4 + 2 * judges)));
    let [matrix, truth, ter, rule, queue] = Split::vertical([
        Constraint::Length(judges + 1),
        Constraint::Length(judges + 1),
        Constraint::Length(ters + 1),
        Constraint::Length(1),
        Constraint::Min(1),
    ])
    .areas(area);
    draw_matrix(buffer, matrix, app, view, names, layout);
    draw_truth(buffer, truth, app, view, names, layout);
    draw_ter(buffer, ter, app, layout);
    draw_queue(buffer, rule, queue, app, view, layout);
}

/// Columns of the judges' names.
fn label(area: Rect) -> u16 {
    (area.width / 4).clamp(16, 34)
}

/// The title of a table, with how many of its rows are not in sight.
fn head(buffer: &mut Buffer, area: Rect, app: &App, pane: JudgePane, title: &str, rows: usize) {
    let style = if app.judges.pane == pane { app.theme.selected } else { app.theme.header };
    let mark = if app.judges.pane == pane { "▸" } else { " " };
    let hidden = (rows + 1).saturating_sub(usize::from(area.height));
    let more = if hidden > 0 { format!(" +{hidden} ↓") } else { String::new() };
    let title = format!("{title}{more}");
    let text = fit(&format!("{mark}{title}"), usize::from(label(area)).saturating_sub(1));
    put(buffer, Rect { height: 1, width: label(area), ..area }, Line::styled(text, style));
}

/// A row's name; the selected one of the pane with the keys is marked.
fn name(buffer: &mut Buffer, line: Rect, app: &App, text: &str, selected: bool) {
    let theme = &app.theme;
    let style = if selected { theme.selected } else { theme.text };
    let text = fit_middle(&visible(text), usize::from(label(line)).saturating_sub(3));
    let mark = if selected { "▸" } else { " " };
    put(buffer, Rect { width: label(line), ..line }, Line::styled(format!(" {mark}{text}"), style));
}

fn row<'v>(view: &'v JudgesView, judge: &str, against: &Against) -> Option<&'v JudgeRow> {
    view.rows.iter().find(|own| own.judge == judge && own.against == *against)
}

fn draw_matrix(
    buffer: &mut Buffer,
    area: Rect,
    app: &App,
    view: &JudgesView,
    names: &[String],
    layout: &mut Layout,
) {
    let theme = &app.theme;
    head(buffer, area, app, JudgePane::Matrix, "agreement", names.len());
    let (row_at, column_at) = app.judges.matrix;
    let fitting = usize::from(area.width.saturating_sub(label(area)) / NARROWEST).max(1);
    let shown = names.len().min(fitting);
    let first = scrolled(0, column_at.min(names.len() - 1), shown, names.len());
    let rows = usize::from(area.height.saturating_sub(1));
    let first_row = scrolled(0, row_at.min(names.len() - 1), rows, names.len());
    let left = label(area);
    let wide = (area.width.saturating_sub(left) / shown as u16).clamp(8, 24);
    let column = |place: usize| area.x + left + place as u16 * wide;
    let cell = |place: usize, line: Rect| {
        Rect { x: column(place), width: wide.saturating_sub(1), ..line }.intersection(area)
    };
    let mut lines = area.rows();
    if let Some(line) = lines.next() {
        for (place, own) in names.iter().skip(first).take(shown).enumerate() {
            let text = fit_middle(&visible(own), usize::from(wide).saturating_sub(1));
            put(buffer, cell(place, line), Line::styled(text, theme.dim));
        }
    }
    for ((a, judge), line) in names.iter().enumerate().skip(first_row).zip(lines) {
        let here = app.judges.pane == JudgePane::Matrix && app.judges.matrix.0 == a;
        name(buffer, line, app, judge, here);
        for (b, other) in names.iter().enumerate().skip(first).take(shown) {
            let found = row(view, judge, &Against::Judge(other.clone()))
                .or_else(|| row(view, other, &Against::Judge(judge.clone())));
            let text = match found {
                _ if a == b => "–".to_owned(),
                Some(own) if own.n == 0 => "no common pair".to_owned(),
                Some(own) => format!(
                    "{} κ{} {}",
                    own.agreement.0.map_or("–".to_owned(), two),
                    own.kappa.0.map_or("–".to_owned(), two),
                    grouped(own.n as u64)
                ),
                None => String::new(),
            };
            let cursor = here && app.judges.matrix.1 == b;
            let value = found.and_then(|own| own.kappa.0);
            let style = if cursor {
                theme.cursor
            } else {
                value.map_or(theme.dim, |own| theme.confidence(own))
            };
            put(
                buffer,
                cell(b - first, line),
                Line::styled(fit(&text, usize::from(wide).saturating_sub(1)), style),
            );
            layout.hit(cell(b - first, line), Hit::Judge(JudgePane::Matrix, a, Some(b)));
        }
    }
}

/// A value with its interval, where there is room.
fn ranged(own: (Option<f64>, Option<Interval>), wide: bool) -> String {
    match own {
        (None, _) => "–".to_owned(),
        (Some(value), Some(range)) if wide => {
            format!("{} [{},{}]", two(value), two(range.lo), two(range.hi))
        }
        (Some(value), _) => two(value),
    }
}

fn counts(own: &Confusion) -> [f64; 4] {
    [own.true_positives, own.false_positives, own.false_negatives, own.true_negatives]
}

fn draw_truth(
    buffer: &mut Buffer,
    area: Rect,
    app: &App,
    view: &JudgesView,
    names: &[String],
    layout: &mut Layout,
) {
    let theme = &app.theme;
    head(buffer, area, app, JudgePane::Truth, "vs. database", names.len());
    let rows = usize::from(area.height.saturating_sub(1));
    let first = scrolled(0, app.judges.truth.0.min(names.len() - 1), rows, names.len());
    let roomy = area.width >= 110;
    let left = label(area);
    let (ratio, count) = if roomy { (17, 9) } else { (6, 8) };
    let x = |place: u16| area.x + left + place.min(3) * ratio + place.saturating_sub(3) * count;
    let titles = [
        if roomy { "precision" } else { "prec." },
        if roomy { "recall" } else { "rec." },
        "F1",
        "≡ right",
        "≡ wrong",
        "≢ wrong",
        "≢ right",
        "unparsed",
    ];
    let width = |place: u16| if place < 3 { ratio } else { count };
    let mut lines = area.rows();
    if let Some(line) = lines.next() {
        for (place, title) in (0..).zip(titles) {
            let cell = Rect { x: x(place), width: width(place).saturating_sub(1).max(8), ..line }
                .intersection(line);
            put(buffer, cell, Line::styled(title, theme.dim));
        }
    }
    for ((place, judge), line) in names.iter().enumerate().skip(first).zip(lines) {
        let here = app.judges.pane == JudgePane::Truth && app.judges.truth.0 == place;
        name(buffer, line, app, judge, here);
        let Some(own) = row(view, judge, &Against::Database) else { continue };
        let mut texts: Vec<String> =
            [own.precision, own.recall, own.f1].map(|own| ranged(own, roomy)).to_vec();
        texts.extend(counts(&own.confusion).map(|count| grouped(count as u64)));
        texts.push(grouped(own.unparsed as u64));
        for (column, text) in (0..).zip(texts) {
            let cell = Rect { x: x(column), width: width(column).saturating_sub(1), ..line }
                .intersection(line);
            let number = usize::from(column).checked_sub(3);
            let cursor = here && number == Some(app.judges.truth.1);
            let wrong = matches!(number, Some(1 | 2));
            let style = match (cursor, wrong) {
                (true, _) => theme.cursor,
                (_, true) => theme.warn,
                _ => theme.text,
            };
            put(buffer, cell, Line::styled(text, style));
            if number.is_some() {
                layout.hit(cell, Hit::Judge(JudgePane::Truth, place, number));
            }
        }
    }
}

fn draw_ter(buffer: &mut Buffer, area: Rect, app: &App, layout: &mut Layout) {
    let theme = &app.theme;
    let cell = app
        .columns
        .get(app.cell)
        .map_or(String::new(), |own| visible(&own.to_string()).into_owned());
    head(buffer, area, app, JudgePane::Ter, "TER by judge", app.judge_ters().len());
    let left = label(area);
    let roomy = area.width >= 100;
    let mut lines = area.rows();
    let metric = app.lens.metric.id().to_uppercase();
    if let Some(line) = lines.next() {
        let text = if roomy {
            format!("{:<8}{:<20}{:<8}difference to the current one, in {cell}", "mean", metric, "n")
        } else {
            format!("{:<6}{:<7}{:<5}Δ  in {cell}", "mean", metric, "n")
        };
        let rest = Rect { x: line.x + left, width: line.width.saturating_sub(left), ..line };
        put(buffer, rest, Line::styled(text, theme.dim));
    }
    let current = app.data.engine().and_then(|own| own.judge());
    let ters = app.judge_ters();
    let rows = usize::from(area.height.saturating_sub(1));
    let first = scrolled(0, app.judges.ter.min(ters.len().saturating_sub(1)), rows, ters.len());
    for ((place, own), line) in ters.into_iter().enumerate().skip(first).zip(lines) {
        let here = app.judges.pane == JudgePane::Ter && app.judges.ter == place;
        let is_current = current.as_ref() == Some(&own.judge);
        let text = format!(
            "{}{}",
            if is_current { "● " } else { "  " },
            spec_name(&own.judge.to_string())
        );
        name(buffer, line, app, &text, here);
        let mean = own.mean.map_or("–".to_owned(), two);
        let value = ranged((own.value, own.interval), roomy);
        let n = own.counts.tasks;
        let moved = match own.difference {
            _ if is_current => "current".to_owned(),
            Some(difference) => {
                let range = own.paired.filter(|_| roomy);
                let range = range.map_or(String::new(), |own| {
                    format!(" [{}, {}]", signed(own.lo), signed(own.hi))
                });
                format!("{}{range}", signed(difference))
            }
            None => "–".to_owned(),
        };
        let text = if roomy {
            format!("{mean:<8}{value:<20}{n:<8}{moved}")
        } else {
            format!("{mean:<6}{value:<7}{n:<5}{moved}")
        };
        let rest = Rect { x: line.x + left, width: line.width.saturating_sub(left), ..line };
        put(buffer, rest, Line::styled(text, if is_current { theme.accent } else { theme.text }));
        layout.hit(line, Hit::Judge(JudgePane::Ter, place, None));
    }
}

/// A judge as it is shown: `human, else NAME`.
fn spec_name(spec: &str) -> String {
    spec.strip_prefix("human>").map_or(spec.to_owned(), |name| format!("human, else {name}"))
}

fn draw_queue(
    buffer: &mut Buffer,
    rule: Rect,
    area: Rect,
    app: &App,
    view: &JudgesView,
    layout: &mut Layout,
) {
    let theme = &app.theme;
    let all = view.triage.items.len();
    let title = format!(
        " to look at: {} of {} done ",
        grouped(view.triage.done() as u64),
        counted(all as u64, "pair")
    );
    let style = if app.judges.pane == JudgePane::Queue { theme.selected } else { theme.dim };
    let place = super::titled_rule(buffer, rule, theme.rule, &title, style);
    // Names that are cut alike are told apart here.
    let name = fit_middle(
        &visible(&selected_name(app)),
        usize::from(rule.right().saturating_sub(place.right() + 3)),
    );
    let size = width(&name) as u16;
    let right = Rect { x: rule.right().saturating_sub(size + 1), width: size, ..rule };
    buffer.set_style(right, Style::reset());
    put(buffer, right, Line::styled(name, theme.accent));
    if all == 0 {
        let text = if app.lens.filter.is_empty() {
            "The judges agree with each other and the database, and are sure."
        } else {
            "Under this filter there is no pair on which judges disagree or are unsure."
        };
        return super::paragraph(buffer, area, text, theme.dim);
    }
    let room = usize::from(area.height);
    let selected = app.judges.place.min(all - 1);
    let offset = scrolled(app.judges.offset, selected, room, all);
    layout.judges = Some(offset);
    layout.page = room;
    for (place, line) in (offset..all).zip(area.rows()) {
        let here = place == selected && app.judges.pane == JudgePane::Queue;
        draw_pair(buffer, line, app, &view.triage.items[place], here);
        layout.hit(line, Hit::Judge(JudgePane::Queue, place, None));
    }
}

/// A pair of the queue.
fn draw_pair(buffer: &mut Buffer, line: Rect, app: &App, item: &TriageItem, here: bool) {
    let theme = &app.theme;
    if here {
        buffer.set_style(line, theme.selected_row);
    }
    let id = item.pair.id;
    let cell = app.columns.get(id.cell as usize).map_or(String::new(), ToString::to_string);
    let task = app.task_of(id).map_or("", |own| own.id.as_str());
    let done = if item.done { "✓" } else { " " };
    let pair = format!("task {}, draw {}", fit(&visible(task), 12), item.pair.draw);
    let spans = vec![
        Span::styled(if here { "▸" } else { " " }, theme.selected),
        Span::styled(format!("{done} "), theme.good),
        Span::styled(format!("{:.2} ", item.priority()), theme.accent),
        Span::styled(padded(&fit(&visible(&cell), 26), 27), theme.dim),
        Span::styled(padded(&pair, 24), theme.text),
        Span::styled(reasons(&item.reasons), theme.text),
    ];
    put(buffer, line, Line::from(spans));
}

/// What is selected, by its whole name.
fn selected_name(app: &App) -> String {
    let names = app.data.engine().map(|own| own.judges().to_vec()).unwrap_or_default();
    let name = |place: usize| names.get(place).map_or("", String::as_str);
    let own = &app.judges;
    match own.pane {
        JudgePane::Matrix => format!(" {} × {} ", name(own.matrix.0), name(own.matrix.1)),
        JudgePane::Truth => format!(" {} ", name(own.truth.0)),
        JudgePane::Ter => {
            let ters = app.judge_ters();
            let spec = ters.get(own.ter).map(|own| spec_name(&own.judge.to_string()));
            spec.map_or(String::new(), |own| format!(" {own} "))
        }
        JudgePane::Queue => String::new(),
    }
}

/// Why a pair is queued, in words.
pub(super) fn reasons(all: &[Reason]) -> String {
    let word = |own: &Reason| match own {
        Reason::JudgesDisagree => "judges disagree",
        Reason::AgainstDatabase => "against the database",
        Reason::LowConfidence => "a judge is unsure",
    };
    all.iter().map(word).collect::<Vec<_>>().join(", ")
}
