//! A table as comma-separated values.

use super::exact;
use crate::report::{Datum, Table};
use crate::text::visible;

pub(super) fn render(table: &Table) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut records = vec![table.columns().iter().map(|column| column.name.to_owned()).collect()];
    records.extend(table.rows().iter().map(|row| row.iter().map(field).collect::<Vec<String>>()));
    for record in records {
        // Memory takes every write, and every record is as long as the header.
        let _ = writer.write_record(record);
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

fn field(datum: &Datum) -> String {
    match datum {
        Datum::Text(text) => visible(text).into_owned(),
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
}
