//! Plots on a buffer.

use ratatui::style::Modifier;

use super::*;
use crate::ui::picture::text;
use crate::ui::theme::Theme;

fn plot(names: [&[&str]; 4]) -> Plot<'static> {
    let line = |bend: f64| -> Vec<(f64, f64)> {
        (0..=20).map(|step| f64::from(step) / 20.0).map(|x| (x, x.powf(bend))).collect()
    };
    let curves = [0.2, 0.45, 0.8, 2.0].into_iter().zip(Stroke::CURVES).zip(names);
    let curve = |((bend, stroke), names): ((f64, Stroke), &[&str])| Curve {
        points: line(bend),
        stroke,
        style: Style::new(),
        names: names.iter().map(|name| (*name).to_owned()).collect(),
    };
    Plot {
        title: Line::from("four curves"),
        curves: curves.map(curve).collect(),
        ..Plot::new(Axis::share(), Axis::share())
    }
}

const NAMES: [&[&str]; 4] = [&["LNSP·min", "1"], &["TER", "2"], &["P(True)", "3"], &["turns", "4"]];

fn drawn(plot: &Plot<'_>, columns: u16, rows: u16) -> String {
    let area = Rect::new(0, 0, columns, rows);
    let mut buffer = Buffer::empty(area);
    plot.draw(&mut buffer, area, &Theme::plain());
    text(&buffer)
}

#[test]
fn four_lines_and_their_names() {
    insta::assert_snapshot!("plot-wide", drawn(&plot(NAMES), 66, 18));
    insta::assert_snapshot!("plot-narrow", drawn(&plot(NAMES), 38, 12));
}

#[test]
fn an_area_a_guide_a_cursor_and_marks() {
    let mut plot = plot(NAMES);
    plot.curves.truncate(1);
    plot.curves.push(Curve {
        points: vec![(0.0, 0.0), (1.0, 1.0)],
        stroke: Stroke::Faint,
        ..Curve::default()
    });
    let points = plot.curves[0].points.iter().map(|(x, y)| (*x, y - 0.2, y + 0.05)).collect();
    plot.area = Some(Area { points, style: Style::new() });
    plot.cursor = Some(0.4);
    plot.marks = vec![Mark { at: (0.4, 0.4f64.powf(0.2)), sign: '●', style: Style::new() }];
    insta::assert_snapshot!("plot-area", drawn(&plot, 40, 13));
}

/// Without colours an area is faint, and what is drawn over it must not be.
#[test]
fn lines_names_and_marks_are_not_faint_over_an_area() {
    let mut plot = plot(NAMES);
    plot.curves.truncate(1);
    plot.area = Some(Area {
        points: vec![(0.0, 0.0, 1.0), (1.0, 0.0, 1.0)],
        style: Style::new().add_modifier(Modifier::DIM),
    });
    plot.marks = vec![Mark { at: (0.6, 0.6f64.powf(0.2)), sign: '●', style: Style::new() }];
    let area = Rect::new(0, 0, 40, 13);
    let mut buffer = Buffer::empty(area);
    plot.draw(&mut buffer, area, &Theme::plain());
    let faint = |of: &dyn Fn(&str) -> bool| {
        let cells = buffer.content().iter().filter(|cell| of(cell.symbol()));
        let faint = |cell: &ratatui::buffer::Cell| cell.modifier.contains(Modifier::DIM);
        let faint: Vec<bool> = cells.map(faint).collect();
        (faint.len(), faint.iter().filter(|faint| **faint).count())
    };
    assert_eq!(faint(&|symbol| symbol == "●"), (1, 0));
    let name = "LNSP·min";
    let (letters, of_name) = faint(&|symbol| symbol != " " && name.contains(symbol));
    assert!(letters >= name.chars().count() && of_name == 0, "{letters} {of_name}");
    let (dots, of_area) =
        faint(&|symbol| ('\u{2801}'..='\u{28ff}').any(|dot| symbol.starts_with(dot)));
    assert!(of_area > 0 && dots - of_area >= 30, "{dots} characters with dots, {of_area} faint");
}

#[test]
fn bars_of_two_classes_are_on_one_scale() {
    let mut plot = plot(NAMES);
    plot.x = Axis::spanning(0.9, 1.0, 4);
    plot.bars = Some(Bars { up: vec![0, 1, 4, 8, 20, 12], down: vec![3, 10, 5, 2, 1, 0] });
    plot.cursor = Some(0.95);
    insta::assert_snapshot!("plot-bars", drawn(&plot, 40, 13));
}

#[test]
fn a_place_is_where_its_value_was_drawn() {
    let area = Rect::new(3, 2, 50, 14);
    let mut buffer = Buffer::empty(Rect::new(0, 0, 60, 20));
    let drawn = plot(NAMES).draw(&mut buffer, area, &Theme::plain());
    for step in 0..=10 {
        let value = f64::from(step) / 10.0;
        let column = drawn.column(value).expect("inside");
        let (x, _) = drawn.at(column, drawn.inner.y);
        assert!((x - value).abs() <= 1.0 / f64::from(drawn.inner.width), "{value} {x}");
    }
    assert_eq!(drawn.column(1.2), None);
}

#[test]
fn too_little_room_draws_nothing_outside() {
    for (columns, rows) in [(0, 0), (3, 2), (6, 3), (10, 4), (5, 20)] {
        let area = Rect::new(1, 1, columns, rows);
        let mut buffer = Buffer::empty(Rect::new(0, 0, 40, 30));
        plot(NAMES).draw(&mut buffer, area, &Theme::plain());
        for position in buffer.area.positions() {
            if !area.contains(position) {
                assert_eq!(buffer[position].symbol(), " ", "{columns}×{rows} {position:?}");
            }
        }
    }
}

#[test]
fn an_area_ends_with_its_points() {
    let points = [(0.2, 0.1, 0.3), (0.4, 0.3, 0.5)];
    assert_eq!(heights(&points, 0.1, 0.05), None);
    assert_eq!(heights(&points, 0.16, 0.05), Some((0.1, 0.3)));
    let (low, high) = heights(&points, 0.3, 0.05).expect("between");
    assert!((low - 0.2).abs() < 1e-12 && (high - 0.4).abs() < 1e-12);
    assert_eq!(heights(&points, 0.5, 0.05), None);
    assert_eq!(heights(&[(0.2, f64::NAN, 0.3)], 0.2, 0.1), None);
}
