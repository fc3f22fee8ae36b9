//! Walks to the values that a pointer leads to.

use super::{Take, Value, Walk};
use crate::readers::{Content, ReadError};

/// The step that stands for every element of a list.
const EVERY: &str = "*";

/// Takes a value, and the steps that were not gone: they lead into a list by other means than its order.
type TakeRest<'t> = &'t mut dyn FnMut(&Value<'_>, &[String]) -> Result<bool, ReadError>;

/// Hands out the values that `steps` lead to, one by one. A list at their end is its elements.
pub(in crate::readers) fn along(
    content: &Content,
    steps: &[String],
    take: TakeRest<'_>,
) -> Result<(), ReadError> {
    let mut walk = Walk::of(content)?;
    if walk.follow(steps, true, take)? { walk.end() } else { Ok(()) }
}

impl Walk<'_> {
    /// Goes on from the value that comes next; false when no more are wanted. `opens` says that a list is
    /// its elements.
    fn follow(
        &mut self,
        steps: &[String],
        opens: bool,
        take: TakeRest<'_>,
    ) -> Result<bool, ReadError> {
        let next = self.next()?;
        match (steps.split_first(), next) {
            (None, Some(b'[')) if opens => {
                let take: Take<'_> = &mut |_, value| take(value, &[]);
                self.elements("", take)
            }
            (None, _) => {
                let value = self.value(true)?;
                take(&value, &[])
            }
            (Some((step, rest)), Some(b'[')) if step == EVERY => {
                self.skip(1);
                let mut is_first = true;
                while self.begins_item(b']', &mut is_first)? {
                    if !self.follow(rest, false, take)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Some((step, rest)), Some(b'{')) if step != EVERY => {
                self.skip(1);
                let mut is_first = true;
                while self.begins_item(b'}', &mut is_first)? {
                    if self.key()? != *step {
                        self.value(false)?;
                    } else if !self.follow(rest, true, take)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            // By an index or a key, which the whole list tells.
            (Some((step, _)), Some(b'[')) if step != EVERY => {
                let value = self.value(true)?;
                take(&value, steps)
            }
            (Some(_), _) => self.value(false).map(|_| true),
        }
    }
}
