//! A table as comma-separated values.

use super::exact;
use crate::report::{Datum, Table};
use crate::text::{guarded, visible};

pub(super) fn render(table: &Table) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut records = vec![table.columns().iter().map(|column| column.name.to_string()).collect()];
    records.extend(
        table.rows().iter().map(|row| {
            row.iter().map(|datum| field(datum, table.raw_text)).collect::<Vec<String>>()
        }),
    );
    for record in records {
        // Memory takes every write, and every record is as long as the header.
        let _ = writer.write_record(record);
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

/// A value as programs read it; words are made safe to show unless they are wanted as they are.
pub(super) fn field(datum: &Datum, raw_text: bool) -> String {
    match datum {
        Datum::Text(text) if raw_text => text.clone(),
        Datum::Text(text) => guarded(&visible(text)).into_owned(),
        other => exact(other).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use crate::report::table::{real, text};
    use crate::report::{OutputFormat, Table};

    #[test]
    fn another_program_reads_what_was_written() {
        let words = ["plain", "a, b", "say \"no\"", " spaces ", "#", ""];
        let mut table = Table::new("", &[text("word"), real("value")]);
        words.iter().for_each(|word| table.push(vec![(*word).into(), 0.1.into()]));
        let written = table.render(OutputFormat::Csv);
        let mut reader = csv::Reader::from_reader(written.as_bytes());
        let read: Vec<String> =
            reader.records().map(|record| record.expect("a record")[0].to_owned()).collect();
        assert_eq!(read, words);
    }

    #[test]
    fn no_text_is_a_formula_unless_asked_for() {
        let words = ["=HYPERLINK(\"x\")", "@x", "-a", "+b", "-1", "\t=1", "plain"];
        let mut table = Table::new("", &[text("word"), real("value")]);
        words.iter().for_each(|word| table.push(vec![(*word).into(), (-0.5).into()]));
        let read = |table: &Table| -> Vec<(String, String)> {
            let written = table.render(OutputFormat::Csv);
            let mut reader = csv::Reader::from_reader(written.as_bytes());
            let records = reader.records().map(|record| record.expect("a record"));
            records.map(|record| (record[0].to_owned(), record[1].to_owned())).collect()
        };
        let texts: Vec<String> = read(&table).into_iter().map(|(word, _)| word).collect();
        assert_eq!(texts, ["'=HYPERLINK(\"x\")", "'@x", "'-a", "'+b", "-1", "␉=1", "plain"]);
        assert!(read(&table).iter().all(|(_, value)| value == "-0.5"), "numbers never");
        table.raw_text = true;
        assert!(read(&table).iter().map(|(word, _)| word).eq(words));
    }
}
