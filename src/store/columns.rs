//! Makes columns from rows of plain structs; [`Frame`] reads them back.

mod encode;
mod frame;

use polars::prelude::{
    BooleanChunked, Column, DataType, Float64Chunked, Float64Type, Int64Chunked, IntoColumn,
    ListBuilderTrait, ListPrimitiveChunkedBuilder, ListStringChunkedBuilder, NewChunkedArray,
    PolarsNumericType, StringChunked, UInt32Chunked, UInt32Type, UInt64Chunked,
};

pub(super) use encode::{NONE, Names};
pub(super) use frame::{Cursor, Frame, Lists};

pub(super) fn text<'a>(name: &str, rows: impl Iterator<Item = &'a str>) -> Column {
    StringChunked::from_iter_values(name.into(), rows).into_column()
}

pub(super) fn text_opt<'a>(name: &str, rows: impl Iterator<Item = Option<&'a str>>) -> Column {
    StringChunked::from_iter_options(name.into(), rows).into_column()
}

pub(super) fn flag(name: &str, rows: impl Iterator<Item = bool>) -> Column {
    BooleanChunked::from_iter_values(name.into(), rows).into_column()
}

pub(super) fn flag_opt(name: &str, rows: impl Iterator<Item = Option<bool>>) -> Column {
    BooleanChunked::from_iter_options(name.into(), rows).into_column()
}

pub(super) fn real(name: &str, rows: impl Iterator<Item = Option<f64>>) -> Column {
    Float64Chunked::from_iter_options(name.into(), rows).into_column()
}

pub(super) fn small(name: &str, rows: impl Iterator<Item = u32>) -> Column {
    UInt32Chunked::from_iter_values(name.into(), rows).into_column()
}

pub(super) fn small_opt(name: &str, rows: impl Iterator<Item = Option<u32>>) -> Column {
    UInt32Chunked::from_iter_options(name.into(), rows).into_column()
}

pub(super) fn large(name: &str, rows: impl Iterator<Item = u64>) -> Column {
    UInt64Chunked::from_iter_values(name.into(), rows).into_column()
}

pub(super) fn large_opt(name: &str, rows: impl Iterator<Item = Option<u64>>) -> Column {
    UInt64Chunked::from_iter_options(name.into(), rows).into_column()
}

pub(super) fn signed_opt(name: &str, rows: impl Iterator<Item = Option<i64>>) -> Column {
    Int64Chunked::from_iter_options(name.into(), rows).into_column()
}

pub(super) fn texts<'a, L>(name: &str, rows: impl ExactSizeIterator<Item = L>) -> Column
where
    L: Iterator<Item = &'a str>,
{
    let mut builder = ListStringChunkedBuilder::new(name.into(), rows.len(), rows.len() * 8);
    for list in rows {
        builder.append_values_iter(list);
    }
    builder.finish().into_column()
}

pub(super) fn reals<L: Iterator<Item = f64>>(
    name: &str,
    rows: impl ExactSizeIterator<Item = L>,
) -> Column {
    numbers::<Float64Type, L>(name, DataType::Float64, rows)
}

pub(super) fn smalls<L: Iterator<Item = u32>>(
    name: &str,
    rows: impl ExactSizeIterator<Item = L>,
) -> Column {
    numbers::<UInt32Type, L>(name, DataType::UInt32, rows)
}

fn numbers<T, L>(name: &str, data_type: DataType, rows: impl ExactSizeIterator<Item = L>) -> Column
where
    T: PolarsNumericType,
    L: Iterator<Item = T::Native>,
{
    let mut builder =
        ListPrimitiveChunkedBuilder::<T>::new(name.into(), rows.len(), rows.len() * 32, data_type);
    for list in rows {
        builder.append_values_iter(list);
    }
    builder.finish().into_column()
}

/// Reserves memory for rows as far as possible: their number comes from a file, which may be damaged.
pub(super) fn reserve<T>(column: &mut Vec<T>, rows: usize) {
    let _ = column.try_reserve_exact(rows);
}
