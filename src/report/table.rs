use std::fmt;

use unicode_width::UnicodeWidthStr as _;

use crate::text::visible;

/// On which side of its column a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table of short values, shown with aligned columns.
#[derive(Clone, Debug)]
pub struct Table {
    header: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new(header: &[(&str, Align)]) -> Self {
        let header = header.iter().map(|(name, align)| ((*name).to_owned(), *align)).collect();
        Self { header, rows: Vec::new() }
    }

    /// Adds a row; its values may be anybody's words.
    pub fn row(&mut self, values: impl IntoIterator<Item = String>) {
        self.rows.push(values.into_iter().map(|value| visible(&value).into_owned()).collect());
    }

    fn widths(&self) -> Vec<usize> {
        let column = |index: usize| {
            let values =
                self.rows.iter().filter_map(|row| row.get(index)).map(|value| value.width());
            values.chain([self.header[index].0.width()]).max().unwrap_or(0)
        };
        (0..self.header.len()).map(column).collect()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        let header: Vec<String> = self.header.iter().map(|(name, _)| name.clone()).collect();
        for row in std::iter::once(&header).chain(&self.rows) {
            let mut line = String::new();
            for ((value, width), (_, align)) in row.iter().zip(&widths).zip(&self.header) {
                let space = " ".repeat(width - value.width().min(*width));
                match align {
                    Align::Left => line.extend([value, space.as_str(), "  "]),
                    Align::Right => line.extend([space.as_str(), value, "  "]),
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_whatever_the_width_of_the_words() {
        let mut table = Table::new(&[("name", Align::Left), ("n", Align::Right)]);
        table.row(["日本".to_owned(), "7".to_owned()]);
        table.row(["a\u{1b}b".to_owned(), "1,000".to_owned()]);
        assert_eq!(table.to_string(), "name      n\n日本      7\na␛b   1,000\n");
    }
}
