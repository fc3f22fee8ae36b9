//! Figures of a page, on a light and on a dark background.

use super::Source;
use crate::colour::Shade;
use crate::report::figure::{FigureKind, FigureOptions, figure};
use crate::text::visible;

pub(super) struct PageFigure {
    pub(super) id: &'static str,
    pub(super) title: String,
    pub(super) light: String,
    pub(super) dark: String,
}

/// The figures that can be drawn of the store. The grid is a part of the page anyway.
pub(super) fn figures(source: &Source<'_>) -> Vec<PageFigure> {
    let kinds = FigureKind::ALL.into_iter().filter(|kind| *kind != FigureKind::Grid);
    kinds.filter_map(|kind| drawn(source, kind)).collect()
}

fn drawn(source: &Source<'_>, kind: FigureKind) -> Option<PageFigure> {
    let options = FigureOptions {
        shade: Shade::Light,
        resampling: source.options.resampling,
        ..FigureOptions::default()
    };
    let light = figure(kind, source.engine, Some(source.store), &options).ok()?;
    let dark = FigureOptions { shade: Shade::Dark, ..options };
    let dark = figure(kind, source.engine, Some(source.store), &dark).ok()?;
    Some(PageFigure {
        id: kind.id(),
        title: visible(&light.title).into_owned(),
        light: inline(&light.svg()),
        dark: inline(&dark.svg()),
    })
}

/// A drawing as a part of a page, which needs no name space.
fn inline(svg: &str) -> String {
    svg.replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1)
}
