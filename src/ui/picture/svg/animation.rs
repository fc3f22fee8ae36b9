//! Which parts of a moving picture are seen when.
//!
//! A part is drawn once, in a group whose class says in which frames it is visible. The classes are CSS
//! animations: they play wherever the picture is an image, and need no script.

use std::fmt::Write as _;

use ratatui::buffer::Buffer;

/// A screen, and how long it is seen.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The screen.
    pub buffer: Buffer,
    /// What is written in the title bar, such as the key that led here; may be empty.
    pub caption: String,
    /// How long it is seen, in tenths of a second.
    pub tenths: u32,
}

/// The frames in which a part is visible, as an index into [`Timeline::sets`].
pub(super) type Shown = usize;

/// The frames of a picture in time.
pub(super) struct Timeline {
    /// When each frame begins, in tenths of a second.
    starts: Vec<u32>,
    /// How long all frames take.
    total: u32,
    /// Sets of frames: whether a part is visible in each of them. The first one is all frames.
    sets: Vec<Vec<bool>>,
}

impl Timeline {
    pub(super) fn new(frames: &[Frame]) -> Self {
        let mut total = 0;
        let mut starts = Vec::with_capacity(frames.len());
        for frame in frames {
            starts.push(total);
            total += frame.tenths;
        }
        Self { starts, total, sets: vec![vec![true; frames.len()]] }
    }

    /// The different values among those of the frames, each with the frames that have it.
    pub(super) fn distinct<'a, T: PartialEq>(
        &mut self,
        values: impl Iterator<Item = &'a T>,
    ) -> Vec<(&'a T, Shown)> {
        let mut found: Vec<(&T, Vec<bool>)> = Vec::new();
        for (frame, value) in values.enumerate() {
            let known = found.iter().position(|(known, _)| *known == value);
            let known = known.unwrap_or_else(|| {
                found.push((value, vec![false; self.starts.len()]));
                found.len() - 1
            });
            found[known].1[frame] = true;
        }
        found.into_iter().map(|(value, set)| (value, self.shown(set))).collect()
    }

    fn shown(&mut self, set: Vec<bool>) -> Shown {
        let known = self.sets.iter().position(|known| *known == set);
        known.unwrap_or_else(|| {
            self.sets.push(set);
            self.sets.len() - 1
        })
    }

    /// Adds a part that is visible in some frames.
    pub(super) fn put(&self, svg: &mut String, shown: Shown, part: &str) {
        if part.is_empty() {
            return;
        }
        if shown == 0 {
            svg.push_str(part);
            return;
        }
        // Where nothing moves, the last frame is seen.
        let at_rest = self.sets[shown].last().is_some_and(|last| *last);
        let hidden = if at_rest { "" } else { r#" visibility="hidden""# };
        let _ = write!(svg, "<g class=\"f{shown}\"{hidden}>\n{part}</g>\n");
    }

    /// The rules that show and hide the parts; empty where nothing moves.
    pub(super) fn style(&self) -> String {
        if self.sets.len() == 1 {
            return String::new();
        }
        let mut style = "<style>\n@media (prefers-reduced-motion: no-preference) {\n".to_owned();
        let seconds = f64::from(self.total) / 10.0;
        for (shown, set) in self.sets.iter().enumerate().skip(1) {
            let _ = write!(
                style,
                ".f{shown} {{ animation: f{shown} {seconds}s step-end infinite }}\n@keyframes f{shown} {{"
            );
            for (frame, (visible, start)) in set.iter().zip(&self.starts).enumerate() {
                if frame == 0 || *visible != set[frame - 1] {
                    let at = 100.0 * f64::from(*start) / f64::from(self.total.max(1));
                    let state = if *visible { "visible" } else { "hidden" };
                    let _ = write!(style, " {at:.4}% {{ visibility: {state} }}");
                }
            }
            style.push_str(" }\n");
        }
        style + "}\n</style>\n"
    }
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    use super::*;
    use crate::ui::picture::{SvgOptions, animated_svg};

    fn frame(rows: [&str; 2], caption: &str, tenths: u32) -> Frame {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 2));
        for (y, row) in (0..).zip(rows) {
            buffer.set_string(0, y, row, Style::new());
        }
        Frame { buffer, caption: caption.to_owned(), tenths }
    }

    #[test]
    fn what_stays_is_drawn_once_and_what_changes_has_its_time() {
        let frames = [
            frame(["same", "one"], "", 10),
            frame(["same", "two"], "j  down", 10),
            frame(["same", "one"], "k  <up>", 20),
        ];
        let options = SvgOptions { title: "t".to_owned(), ..SvgOptions::default() };
        let svg = animated_svg(&frames, &options);
        for (text, times) in [(">same<", 1), (">one<", 1), (">two<", 1), (">k  &lt;up&gt;<", 1)] {
            assert_eq!(svg.matches(text).count(), times, "{text} in {svg}");
        }
        // `one` is visible in the first and the last frame, and where nothing moves.
        assert!(svg.contains("<g class=\"f1\">\n<text"), "{svg}");
        assert!(svg.contains("f1 4s step-end infinite"), "{svg}");
        let times = "0.0000% { visibility: visible } 25.0000% { visibility: hidden } \
                     50.0000% { visibility: visible }";
        assert!(svg.contains(&format!("@keyframes f1 {{ {times} }}")), "{svg}");
        // `two` only in the middle.
        assert!(svg.contains("<g class=\"f2\" visibility=\"hidden\">\n<text"), "{svg}");
        assert!(!svg.contains("script") && !svg.contains("href"), "{svg}");
    }

    #[test]
    fn one_frame_does_not_move() {
        let svg = animated_svg(&[frame(["a", "b"], "", 10)], &SvgOptions::default());
        assert!(!svg.contains("<style") && !svg.contains("class="), "{svg}");
    }
}
