//! From a number to a decision: the curves of some scorers, and what a threshold does. The screen has
//! pages, which share the cells and the scorers.

mod combine;
mod families;
mod legend;
mod page;
mod plots;
mod signal;
mod stopping;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::Line;

use super::{Go, Heading, Legend, Needs, ScreenState, Target};
use crate::metrics::threshold::Aim;
use crate::report::OutputFormat;
use crate::scorers::Scorer;
use crate::text::visible;
use crate::ui::action::Action;
use crate::ui::hits::Hits;
use crate::ui::overlays::{Choice, Overlay, Picker};
use crate::ui::renewal::NewIds;
use crate::ui::shared::{FileContent, ScreenFigure, Shared, Together};
use crate::ui::view::{Named, flag_name, named, one_of, scorer};
use crate::ui::widgets::{paragraph, put, width};
pub use page::{Page, PageLayout, PageSpot, PageState, Pages, Subject};
pub use plots::{Cut, PlotKind};

/// Scorers that are compared at most.
pub const MOST_SCORERS: usize = 4;

/// The state of the screen.
#[derive(Debug, Default)]
pub struct Curves {
    /// The open page.
    pub page: Page,
    /// Which cells are looked at together.
    pub together: Together,
    /// The scorers that are compared with the lens's one.
    pub others: Vec<Scorer>,
    /// The pages.
    pub pages: Pages,
}

/// What can be clicked.
#[derive(Clone, Debug)]
pub enum Spot {
    /// The name of a page.
    Page(Page),
    /// A place on the open page.
    OnPage(PageSpot),
}

/// Where one is: the page, and the cells that are looked at.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    page: Page,
    together: Together,
}

/// The settings of the screen.
#[derive(clap::Args, Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct CurvesView {
    /// The page of Curves
    #[arg(long, value_parser = one_of::<Page>(), ignore_case = true)]
    #[serde(with = "named", skip_serializing_if = "Option::is_none")]
    pub page: Option<Page>,
    /// The plot of Curves that comes first
    #[arg(long, value_parser = one_of::<PlotKind>(), ignore_case = true)]
    #[serde(with = "named", skip_serializing_if = "Option::is_none")]
    pub plot: Option<PlotKind>,
    /// A scorer that Curves compares with the lens's one, such as lnsp.mean; may be given several times
    #[arg(long, value_parser = scorer)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<String>,
    /// Show that plot alone
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
    /// Show the bands of curves
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bands: bool,
    /// The threshold on the scorer's confidence
    #[arg(long, allow_hyphen_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// The best threshold for an aim: success>=0.9, review<=0.2 or cost
    #[arg(long, value_parser = aim)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aim: Option<String>,
    /// Which cells Curves pools
    #[arg(long, value_parser = one_of::<Together>(), ignore_case = true)]
    #[serde(with = "named", skip_serializing_if = "Option::is_none")]
    pub pooled: Option<Together>,
}

/// Reads an aim from a flag.
fn aim(text: &str) -> Result<String, String> {
    let known = Aim::parse(text).map(|aim| aim.to_string());
    known.ok_or_else(|| "an aim is success>=0.9, review<=0.2 or cost".to_owned())
}

impl Curves {
    /// What all pages are about.
    pub fn subject(&self, shared: &Shared) -> Subject {
        let first = shared.lens.scorer.clone();
        let others = self.others.iter().filter(|scorer| **scorer != first).cloned();
        let scorers = std::iter::once(first.clone()).chain(others).take(MOST_SCORERS).collect();
        Subject { cells: self.together.cells(shared), scorers }
    }

    /// Offers the scorers that could be compared, too.
    fn add_scorer(&self, shared: &mut Shared) -> Go {
        let subject = self.subject(shared);
        if subject.scorers.len() >= MOST_SCORERS {
            shared.say("four scorers are compared at most; - removes one");
            return Go::Stay;
        }
        let rest = shared.scorers();
        let rest = rest.into_iter().filter(|scorer| !subject.scorers.contains(scorer));
        let choice = |scorer: Scorer| {
            let value = shared.numbers.value(&scorer, shared.cell);
            let value = value.map_or(String::new(), |value| format!("{value:>6.2}  "));
            Choice {
                name: scorer.label(),
                hint: format!("{value}{:<19}", scorer.family().id()),
                action: Action::AddScorer(scorer),
            }
        };
        let choices: Vec<Choice> = rest.map(choice).collect();
        if choices.is_empty() {
            shared.say("the store has no other scorer");
            return Go::Stay;
        }
        Go::Show(Overlay::picker(Picker::new("Compare with", choices)))
    }

    fn remove_scorer(&mut self, shared: &mut Shared) {
        let first = &shared.lens.scorer;
        self.others.retain(|scorer| scorer != first);
        match self.others.pop() {
            Some(scorer) => shared.say(format!("{} is removed", visible(&scorer.label()))),
            None => shared.say("the lens's scorer stays; s chooses another, + adds one"),
        }
    }

    fn step_page(&mut self, forwards: bool, shared: &mut Shared) {
        let all = Page::ALL;
        let index = all.iter().position(|page| *page == self.page).unwrap_or(0);
        let step = if forwards { 1 } else { all.len() - 1 };
        self.page = all[(index + step) % all.len()];
        if all.len() == 1 {
            shared.say("there is one page only");
        }
    }

    /// Where an action works that the open page does not have.
    fn elsewhere(&self, action: &Action) -> Option<&'static str> {
        let has_plots = self.page == Page::Plots;
        match action {
            Action::NextShow if !has_plots => Some("bands are on the page Plots"),
            Action::Fold if !has_plots => Some("single plots are on the page Plots"),
            Action::ChooseAim if !has_plots => Some("the best threshold is on the page Plots"),
            Action::EditThreshold if !has_plots && self.page != Page::Stopping => {
                Some("thresholds are on the pages Plots and Stopping")
            }
            Action::Scope if self.page.has_every_cell() => {
                Some("this page has a line for every cell")
            }
            _ => None,
        }
    }

    /// Why nothing is shown: the curves would tell somebody who votes how single tasks ended.
    fn hidden(&self, shared: &Shared) -> Option<String> {
        let cells = shared.cells_of(&self.together.cells(shared));
        // Families are compared over all cells.
        let shows = |cell: usize| self.page == Page::Families || cells.contains(&cell);
        let held_back = shared.held_back_in(shows).tasks;
        (held_back > 0).then(|| {
            "Curves show how single tasks ended: they are held back until you have voted on the pairs of \
             these cells, or have left the pair."
                .to_owned()
        })
    }

    fn draw_pages(&self, shared: &Shared, buffer: &mut Buffer, line: Rect, hits: &mut Hits<Spot>) {
        let theme = &shared.theme;
        let mut x = line.x + 1;
        for page in Page::ALL {
            let is_open = *page == self.page;
            let (mark, style) = if is_open { ("▸", theme.selected) } else { (" ", theme.dim) };
            let text = format!("{mark}{} ", page.title());
            let wide = (width(&text) as u16).min(line.right().saturating_sub(x));
            let area = Rect { x, width: wide, ..line };
            put(buffer, area, Line::styled(text, style));
            hits.spot(area, Spot::Page(*page));
            x += wide + 1;
        }
    }
}

impl ScreenState for Curves {
    type View = CurvesView;
    type Spot = Spot;
    type Layout = Option<PageLayout>;
    type Position = Position;

    const ABOUT: &'static str = "Curves: what a threshold on a score does";
    const NEEDS: Needs = Needs::Store;
    const ENDING: &'static str = "svg";
    const LEGEND: Legend = legend::LEGEND;

    fn arrive(&mut self, _: &Target, _: &mut Shared) {}

    fn update(&mut self, action: &Action, shared: &mut Shared) -> Go {
        match action {
            Action::NextPage | Action::PreviousPage => {
                self.step_page(*action == Action::NextPage, shared);
            }
            Action::Scope if !self.page.has_every_cell() => {
                self.together = self.together.next();
            }
            Action::AddScorer(scorer) => self.others.push(scorer.clone()),
            Action::More => return self.add_scorer(shared),
            Action::Less => self.remove_scorer(shared),
            Action::KeepScorer if self.page != Page::Combine => {
                self.page = Page::Combine;
                shared.say("what is shown here can be kept as a scorer");
            }
            other => {
                if let Some(words) = self.elsewhere(other) {
                    shared.say(words);
                    return Go::Stay;
                }
                let subject = self.subject(shared);
                return self.pages.update(self.page, other, &subject, shared);
            }
        }
        Go::Stay
    }

    fn wheel(&mut self, down: bool, shared: &mut Shared) -> Go {
        self.update(if down { &Action::Down } else { &Action::Up }, shared)
    }

    fn search(&mut self, _: &str, _: bool, _: &mut Shared) {}

    fn adjust(&mut self, _: &mut Shared) {}

    fn refresh(&mut self, shared: &mut Shared) {
        let subject = self.subject(shared);
        self.pages.refresh(self.page, &subject, shared);
    }

    fn renew(&mut self, ids: &NewIds<'_>) {
        self.pages.renew(ids);
    }

    fn is_waiting(&self, _: &Shared) -> bool {
        self.pages.is_waiting(self.page)
    }

    fn is_stale(&self, shared: &Shared) -> bool {
        self.pages.is_stale(self.page, &self.subject(shared), shared)
    }

    fn draw(
        &self,
        shared: &Shared,
        buffer: &mut Buffer,
        area: Rect,
        hits: &mut Hits<Spot>,
    ) -> Option<PageLayout> {
        if let Some(why) = self.hidden(shared) {
            paragraph(buffer, area, &why, shared.theme.warn);
            return None;
        }
        let [tabs, body] = Split::vertical([Constraint::Length(1), Constraint::Min(1)]).areas(area);
        self.draw_pages(shared, buffer, tabs, hits);
        let subject = self.subject(shared);
        let (on_page, layout) = self.pages.draw(self.page, &subject, shared, buffer, body);
        hits.append(on_page.map(Spot::OnPage));
        Some(layout)
    }

    fn drawn(&mut self, layout: Option<PageLayout>) {
        layout.into_iter().for_each(|layout| self.pages.drawn(layout));
    }

    fn click(&mut self, spot: &Spot, dragged: bool, shared: &mut Shared) -> Go {
        match spot {
            Spot::Page(page) if !dragged => self.page = *page,
            Spot::Page(_) => {}
            Spot::OnPage(spot) => {
                let subject = self.subject(shared);
                return self.pages.click(spot, dragged, &subject, shared);
            }
        }
        Go::Stay
    }

    fn position(&self) -> Position {
        Position { page: self.page, together: self.together }
    }

    fn resume(&mut self, position: &Position, _: &mut Shared) {
        (self.page, self.together) = (position.page, position.together);
    }

    fn heading(&self, shared: &Shared) -> Heading {
        let absent = self.page.absent();
        if self.page.has_every_cell() {
            let crumbs = vec![Together::All.words(shared)];
            return Heading { crumbs, absent, ..Heading::default() };
        }
        Heading {
            absent,
            crumbs: vec![self.together.words(shared)],
            cell: self.together.only_cell(shared),
            cells: shared.cells_of(&self.together.cells(shared)),
            ..Heading::default()
        }
    }

    fn copied(&self, shared: &Shared) -> Option<String> {
        let subject = self.subject(shared);
        self.pages.copied(self.page, &subject, shared).filter(|_| self.hidden(shared).is_none())
    }

    fn export(&self, format: OutputFormat, shared: &Shared) -> Result<FileContent, String> {
        match self.hidden(shared) {
            Some(_) => Err("curves are held back while you vote".to_owned()),
            None => self.pages.export(self.page, format, &self.subject(shared), shared),
        }
    }

    fn figure(&self, shared: &Shared) -> Option<ScreenFigure> {
        let subject = self.subject(shared);
        self.pages.figure(self.page, &subject, shared).filter(|_| self.hidden(shared).is_none())
    }

    fn view(&self, _: bool, shared: &Shared) -> CurvesView {
        let plots = &self.pages.plots;
        CurvesView {
            alone: plots.alone,
            bands: plots.bands,
            threshold: plots.flag(&self.subject(shared)),
            aim: plots.aim.map(|aim| aim.to_string()),
            page: Some(self.page).filter(|page| *page != Page::default()),
            plot: Some(self.pages.plots.kind).filter(|kind| *kind != PlotKind::default()),
            with: self.others.iter().map(flag_name).collect(),
            pooled: Some(self.together).filter(|together| *together != Together::default()),
        }
    }

    fn restore(&mut self, view: &CurvesView, _: &mut Shared) {
        self.page = view.page.unwrap_or(self.page);
        let plots = &mut self.pages.plots;
        plots.kind = view.plot.unwrap_or(plots.kind);
        (plots.alone, plots.bands) = (view.alone, view.bands);
        plots.cut = view.threshold.map_or_else(Cut::default, Cut::Confidence);
        plots.aim = view.aim.as_deref().and_then(Aim::parse);
        self.together = view.pooled.unwrap_or(self.together);
    }

    fn resolve(&mut self, view: &CurvesView, shared: &mut Shared) -> Vec<String> {
        let mut problems = Vec::new();
        let found = view.with.iter().filter_map(|id| shared.find_scorer("with", id, &mut problems));
        self.others = found.take(MOST_SCORERS - 1).collect();
        problems
    }
}
