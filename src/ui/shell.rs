//! What is on every screen.
//!
//! ```text
//!  qualm  demo › Tasks › airline/gpt-4o-mini › 17        LNSP·min · AUROC · & not success · 38 selected · numbers on all 50 tasks
//!  0 Cells  1 Grid  2 Tasks ───────────────────────────────────────────────────────────────────
//!  scope  turns > 5 · % lifts it
//!  (the screen)
//!  ⏎ open  a aggregator  s scorer  m metric  & select  : commands  ? help
//! ```

mod scope;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::action::Action;
use super::app::App;
use super::hits::{Hit, Hits};
use super::keymap::{Binding, Keymap};
use super::overlays::Overlay;
use super::screens::{Heading, Screen, Spot};
use super::shared::{Lens, Load, Shared};
use super::widgets::{fit, fit_middle, put, rule, short_names, width};
use crate::engine::JudgeSpec;
use crate::text::{grouped, visible};

/// Draws the frame of every screen and returns what is left.
pub(super) fn draw(buffer: &mut Buffer, area: Rect, app: &App, hits: &mut Hits<Spot>) -> Rect {
    let lens = &app.shared.lens;
    let heading = app.screens.heading(app.screen, &app.shared);
    let line = TopLine::new(app, &heading, usize::from(area.width));
    let selected = u16::from(!lens.selection.is_empty() && !line.tells_selection);
    let counts = line.counts_below.clone();
    let named = named_below(&app.shared, &heading, &line.left.to_string());
    let [top, tabs, task, selection, scope, body, bottom] = Split::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(u16::from(named.is_some())),
        Constraint::Length(selected),
        Constraint::Length(u16::from(!lens.scope.is_empty())),
        Constraint::Min(1),
        Constraint::Length(1),
    ])
    .areas(area);
    draw_tabs(buffer, tabs, app, hits);
    if let Some((cell, id)) = named {
        scope::draw_task(buffer, task, &app.shared, &cell, id);
    }
    if selection.height > 0 {
        scope::draw_selection(buffer, selection, &app.shared, counts.as_deref());
    }
    if scope.height > 0 {
        // The counts of both are said once.
        let counts = counts.as_deref().filter(|_| selection.height == 0);
        scope::draw_scope(buffer, scope, &app.shared, &heading, counts);
    }
    line.draw(buffer, top, app);
    draw_footer(buffer, bottom, app, &heading, hits);
    body
}

/// Cell and task of a screen for which the top line has no room.
fn named_below<'a>(shared: &Shared, heading: &'a Heading, top: &str) -> Option<(String, &'a str)> {
    let task = heading.task.as_deref()?;
    let cell = heading.cell.and_then(|cell| shared.cells.get(cell));
    let cell = cell.map_or(String::new(), |cell| visible(&cell.to_string()).into_owned());
    (!top.contains(task) || !top.contains(&cell)).then_some((cell, task))
}

/// The first line: where one is, and the lens.
struct TopLine<'a> {
    left: Line<'a>,
    right: Line<'a>,
    /// Whether the whole expression of the selection is in it.
    tells_selection: bool,
    /// The counts of tasks, where they are shown beside the selection or the scope instead.
    counts_below: Option<String>,
}

/// Columns of the place where one is, at least: the breadcrumb is not cut to less for the lens.
const LEAST_CRUMB: usize = 20;

/// Columns of a judge's name in the lens, and in a crowded one.
const JUDGE: [usize; 2] = [24, 12];

/// Columns of the counts beside the selection or the scope.
const COUNTS_BELOW: usize = 48;

/// How much room the lens may take: what it should leave free, and what it must.
struct LensRoom {
    wanted: usize,
    most: usize,
}

impl TopLine<'_> {
    fn new(app: &App, heading: &Heading, room: usize) -> Self {
        let theme = &app.shared.theme;
        let mut left = warnings(&app.shared, room);
        let used: usize = left.iter().map(Span::width).sum();
        let mut here = vec![app.screen.title().to_owned()];
        here.extend(heading.crumbs.iter().cloned());
        let [marks, few_marks] = marks_in_words(heading);
        // Where one is has its room before the expression of the selection.
        let wanted = used + width(&here.join(" › ")) + width(&marks) + 5;
        let wanted = room.saturating_sub(wanted).min(room * 2 / 3);
        let least = here.last().map_or(0, |crumb| width(crumb) + width(&few_marks));
        let least = least.min(LEAST_CRUMB);
        let for_lens = LensRoom { wanted, most: room.saturating_sub(used + least + 4) };
        let lens = lens(&app.shared, heading, &for_lens);
        let right = lens.line;
        let for_crumbs = room.saturating_sub(used + right.width() + 4);
        let last = here.last().map_or(0, |crumb| width(crumb));
        let marks = if last + width(&marks) <= for_crumbs { marks } else { few_marks };
        let mut crumbs = vec![visible(&app.shared.name).into_owned()];
        crumbs.extend(here);
        let crumbs = fit_start(&crumbs.join(" › "), for_crumbs.saturating_sub(width(&marks)));
        left.push(Span::styled(format!(" {crumbs}{marks}"), theme.title));
        let LensLine { tells_selection, counts_below, .. } = lens;
        Self { left: Line::from(left), right, tells_selection, counts_below }
    }

    fn draw(self, buffer: &mut Buffer, area: Rect, app: &App) {
        buffer.set_style(area, app.shared.theme.title_bar);
        // What must be known before any number is believed is never covered.
        let room = area.width.saturating_sub(self.left.width() as u16);
        let size = (self.right.width() as u16 + 1).min(room);
        put(buffer, area, self.left);
        put(buffer, Rect { x: area.right() - size, width: size, ..area }, self.right);
    }
}

/// What the top line says of marked tasks, in words and in few letters.
fn marks_in_words(heading: &Heading) -> [String; 2] {
    let grouped = |count: usize| grouped(count as u64);
    match (heading.through_marks, heading.marked) {
        (Some((index, all)), _) => {
            let (index, all) = (grouped(index), grouped(all));
            [format!(" ({index} of {all} marked)"), format!(" ●{index}/{all}")]
        }
        (None, 0) => [String::new(), String::new()],
        (None, count) => [format!(" ({} marked)", grouped(count)), format!(" ●{}", grouped(count))],
    }
}

/// The program's name, and what a user must know before any number is believed.
fn warnings<'a>(shared: &Shared, room: usize) -> Vec<Span<'a>> {
    let theme = &shared.theme;
    let mut spans = vec![Span::styled(" qualm ", theme.brand)];
    if shared.synthetic {
        let words = if room < 100 { " synthetic " } else { " synthetic data " };
        spans.push(Span::styled(words, theme.notice));
    }
    if let Some(watching) = &shared.watching {
        let words = if watching.waits_for.is_some() { " waiting " } else { " watching " };
        spans.push(Span::styled(words, theme.notice));
    }
    if let Some(words) = damaged(shared, room) {
        spans.push(Span::styled(words, theme.error));
    }
    if !shared.doubts.is_empty() {
        let words = if room < 100 { " doubtful " } else { " run qualm check " };
        spans.push(Span::styled(words, theme.notice));
    }
    spans
}

/// The lines of notes and votes that cannot be read, as long as numbers are shown without them.
fn damaged(shared: &Shared, room: usize) -> Option<String> {
    let (first, more) = shared.damaged.split_first()?;
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    Some(if room < 100 {
        format!(" line {first}{more} damaged ")
    } else {
        format!(" annotations.jsonl: line {first}{more} damaged ")
    })
}

/// The lens as it is drawn.
struct LensLine<'a> {
    line: Line<'a>,
    tells_selection: bool,
    counts_below: Option<String>,
}

/// The lens: scorer, metric, settings, selection, n. Where there is no room for all of it, the judge's
/// name is cut, then counts are shown below, then settings give way.
fn lens<'a>(shared: &Shared, heading: &Heading, room: &LensRoom) -> LensLine<'a> {
    let (theme, lens) = (&shared.theme, &shared.lens);
    let needed = |parts: &[(String, Style)]| -> usize {
        parts.iter().map(|(text, _)| width(text) + 3).sum()
    };
    let all = JUDGE.map(|judge| settings(shared, heading, judge));
    let counted = |used: usize| {
        scope::counted_tasks(shared, heading, room.wanted.min(room.most).saturating_sub(used))
    };
    let fits = |parts: &&Vec<(String, Style)>| {
        let used = needed(parts);
        used + width(&counted(used).counts) <= room.most
    };
    let [_, fewest] = &all;
    let mut parts = all.iter().find(fits).unwrap_or(fewest).clone();
    let tasks = counted(needed(&parts));
    let tells_selection = tasks.expression.is_some();
    let narrowed = !lens.selection.is_empty() || !lens.scope.is_empty();
    let is_crowded = needed(&parts) + width(&tasks.counts) > room.most;
    let counts_below = (is_crowded && narrowed)
        .then(|| scope::counted_tasks(shared, heading, COUNTS_BELOW).counts);
    if let Some(expression) = tasks.expression {
        parts.push((format!("& {expression}"), theme.warn));
    }
    if counts_below.is_none() {
        parts.push((tasks.counts, if narrowed { theme.text } else { theme.dim }));
    }
    // Scorer and metric stay, whatever else there is.
    if needed(&parts) > room.most + 3 {
        while needed(&parts) + 1 > room.most && parts.len() > 2 {
            parts.pop();
        }
        parts.push(("…".to_owned(), theme.warn));
    }
    let mut spans = Vec::new();
    for (text, style) in parts {
        if !spans.is_empty() {
            spans.push(Span::styled(" · ", theme.dim));
        }
        spans.push(Span::styled(text, style));
    }
    LensLine { line: Line::from(spans), tells_selection, counts_below }
}

/// Scorer, metric, and the settings that are not the default.
fn settings(shared: &Shared, heading: &Heading, judge_room: usize) -> Vec<(String, Style)> {
    let (theme, lens) = (&shared.theme, &shared.lens);
    let mut parts = vec![
        (visible(&lens.scorer.label()).into_owned(), theme.accent),
        (lens.metric.id().to_uppercase(), theme.accent),
    ];
    if let Some(pinned) = &heading.pinned {
        parts.push((format!("Δ to {}", visible(&pinned.label())), theme.pinned));
    }
    if let Some(judge) = &lens.judge {
        let name = short_judge(shared, judge, judge_room);
        parts.push((format!("TER by {name}"), theme.warn));
    }
    if lens.stuck != Lens::default().stuck {
        parts.push((format!("stuck {}", lens.stuck.id()), theme.warn));
    }
    parts
}

/// A judge's name in some room, different from the names of the other judges.
fn short_judge(shared: &Shared, judge: &JudgeSpec, room: usize) -> String {
    let specs = shared.engine().map_or(Vec::new(), |engine| engine.judge_specs());
    let others = specs.iter().filter(|other| *other != judge);
    let names = [judge].into_iter().chain(others).map(|spec| visible(&spec.words()).into_owned());
    short_names(&names.collect::<Vec<_>>(), room).swap_remove(0)
}

/// Cuts at the start: where one is matters more than where one came from.
fn fit_start(text: &str, room: usize) -> String {
    let mut text = text;
    while width(text) > room {
        match text.split_once(" › ") {
            Some((_, rest)) => text = rest,
            None => return fit_middle(text, room),
        }
    }
    text.to_owned()
}

fn draw_tabs(buffer: &mut Buffer, area: Rect, app: &App, hits: &mut Hits<Spot>) {
    let theme = &app.shared.theme;
    rule(buffer, area, theme.rule);
    let tabs = TabRoom::new(app.screen.tab(), usize::from(area.width));
    let mut x = area.x + u16::from(!tabs.is_tight);
    for screen in Screen::NUMBERED {
        let Some(number) = screen.number() else { continue };
        let is_open = screen == app.screen.tab();
        let letters = if is_open { usize::MAX } else { tabs.letters };
        let title = fit(screen.title(), letters);
        let name = format!(" {number} {title}{}", if tabs.is_tight { "" } else { " " });
        let style = if is_open { theme.selected } else { theme.dim };
        let room = area.right().saturating_sub(x);
        let tab = Rect { x, width: (width(&name) as u16).min(room), ..area };
        buffer.set_style(tab, Style::reset());
        put(buffer, tab, Line::styled(name, style));
        hits.add(tab, Hit::Screen(screen));
        x += tab.width + u16::from(!tabs.is_tight);
    }
    let state = match &app.shared.data.loaded {
        Load::Waiting => " reading the store … ",
        _ if app.is_waiting() => " … ",
        _ => return,
    };
    let size = (width(state) as u16).min(area.width);
    let right = Rect { x: area.right() - size, width: size, ..area };
    buffer.set_style(right, Style::reset());
    put(buffer, right, Line::styled(state, theme.notice));
}

/// How much of the names of tabs is shown.
struct TabRoom {
    /// Letters of a name at most; that of the open tab is always whole.
    letters: usize,
    /// One space stands between two tabs, where lines would cost letters.
    is_tight: bool,
}

impl TabRoom {
    fn new(open: Screen, room: usize) -> Self {
        const FEWEST: usize = 2;
        let lengths =
            || Screen::NUMBERED.iter().map(|screen| (*screen == open, screen.title().len()));
        let longest = lengths().map(|(_, length)| length).max().unwrap_or(FEWEST);
        // The number and the spaces around it, with those of the line.
        let around = |is_tight: bool| if is_tight { 3 } else { 5 };
        let fits = |letters: usize, is_tight: bool| {
            let shown =
                lengths().map(|(open, length)| if open { length } else { length.min(letters) });
            shown.map(|length| length + around(is_tight)).sum::<usize>() <= room
        };
        let is_tight = !fits(longest, false);
        let letters = (FEWEST..=longest).rev().find(|letters| fits(*letters, is_tight));
        Self { letters: letters.unwrap_or(FEWEST), is_tight }
    }
}

fn draw_footer(
    buffer: &mut Buffer,
    area: Rect,
    app: &App,
    heading: &Heading,
    hits: &mut Hits<Spot>,
) {
    let theme = &app.shared.theme;
    if let Some(notice) = &app.shared.notice {
        let text = fit(&visible(notice), usize::from(area.width).saturating_sub(2));
        put(buffer, area, Line::styled(format!(" {text}"), theme.notice));
        return;
    }
    if matches!(app.overlays.last(), Some(Overlay::Prompt(_) | Overlay::Note(_))) {
        return;
    }
    let mut x = area.x + 1;
    if let Some(scoring) = &app.shared.scoring {
        let words = scoring.words(app.shared.keymap.key_of("stop-scoring"));
        let words = fit(&visible(&words), usize::from(area.width).saturating_sub(2));
        let size = width(&words) as u16;
        put(buffer, Rect { x, width: size, ..area }, Line::styled(words, theme.notice));
        x += size + 2;
    }
    let rest = Rect { x, width: area.right().saturating_sub(x), ..area };
    if let Some(overlay) = app.overlays.last() {
        // The keys of the screen wait until it is closed.
        put(buffer, rest, Line::styled(overlay.keys(), theme.footer));
        return;
    }
    let room = usize::from(rest.width) + 1;
    for (key, binding) in footer_keys(app, heading, room) {
        let line = Line::from(vec![
            Span::styled(key, theme.key),
            Span::styled(format!(" {}", binding.short), theme.footer),
        ]);
        let size = (line.width() as u16).min(area.right().saturating_sub(x));
        let entry = Rect { x, width: size, ..area };
        put(buffer, entry, line);
        hits.add(entry, Hit::Action(binding.action.clone()));
        x += size + 2;
    }
}

/// The first key of every row of the table that has a word for the footer, as many as there is room
/// for.
fn footer_keys(app: &App, heading: &Heading, room: usize) -> Vec<(String, &'static Binding)> {
    // What changes numbers changes nothing where none play a part.
    let of_numbers = ["next-aggregator", "scorer", "next-metric", "filter"];
    let mut keys: Vec<(String, &Binding)> = Keymap::on(app.screen)
        .filter(|binding| !binding.short.is_empty())
        .filter(|binding| !heading.plain || !of_numbers.contains(&binding.id))
        .filter(|binding| !heading.absent.contains(&binding.id))
        .filter(|binding| app.lists_tasks() || !matches!(binding.action, Action::Preset(_)))
        .filter_map(|binding| {
            let keys = app.shared.keymap.shown(binding);
            let first = keys.split(' ').next().filter(|key| !key.is_empty())?;
            Some((first.to_owned(), binding))
        })
        .collect();
    let size = |(key, binding): &(String, &Binding)| width(key) + width(binding.short) + 3;
    // The way to the rest of the keys stays when there is no room for all.
    let mut total: usize = keys.iter().map(size).sum();
    let mut index = keys.len();
    while total + 1 > room && index > 0 {
        index -= 1;
        if !["help", "palette"].contains(&keys[index].1.id) {
            total -= size(&keys[index]);
            keys.remove(index);
        }
    }
    keys
}
