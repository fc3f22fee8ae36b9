//! The JSON form of a log: what stands around the samples, and the samples one by one.

use std::cell::RefCell;

use super::super::walk::{self, Value, Want};
use super::super::{Content, ReadError};
use super::header::Header;
use super::sample::Sample;

/// Reads everything but the samples, and past them only when the run's settings come later.
pub(super) fn header(content: &Content) -> Result<Header, ReadError> {
    let header = RefCell::new(Header::default());
    let mut knows_eval = false;
    let mut want = |key: &str| match key {
        "eval" => {
            knows_eval = true;
            Want::Whole
        }
        "status" | "plan" | "results" => Want::Whole,
        "samples" if knows_eval => Want::Stop,
        _ => Want::Skip,
    };
    walk::members(content, &mut want, &mut |key, value| {
        let mut header = header.borrow_mut();
        match key {
            "status" => header.status = lenient(value),
            "eval" => header.eval = lenient(value),
            "plan" => header.plan = lenient(value),
            _ => header.results = lenient(value),
        }
        Ok(true)
    })?;
    Ok(header.into_inner())
}

/// A value of the expected shape, or its default.
fn lenient<'v, T: serde::Deserialize<'v> + Default>(value: &Value<'v>) -> T {
    serde_json::from_slice(value.bytes()).unwrap_or_default()
}

/// Hands out each sample; `take` says whether more are wanted.
pub(super) fn samples(
    content: &Content,
    take: &mut dyn FnMut(Sample<'_>) -> bool,
) -> Result<(), ReadError> {
    let mut want = |key: &str| if key == "samples" { Want::Elements } else { Want::Skip };
    walk::members(content, &mut want, &mut |_, sample| Ok(take(sample.parse()?)))
}
