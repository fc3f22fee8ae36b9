//! Tests of the whole: one binary, since linking polars many times is slow.

mod check;
mod engine;
mod errors;
mod explorer;
mod hostile;
mod import;
mod keys;
mod kill;
mod late;
mod lean;
mod monkey;
mod notes;
mod numerics;
mod properties;
mod readers;
mod real_data;
mod round_trip;
mod scoring;
mod screen;
mod search;
mod show;
mod sniffing;
mod support;
mod terminal;
