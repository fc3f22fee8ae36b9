//! Stores at an address: the objects of a folder behind `s3://` and `https://`, read in parts.
//!
//! A `Folder` is what an address names. Each of its `Object`s is read block by block as blocks are
//! needed, into a sparse file in a cache of bounded size, and only ever as the version that was met
//! first. A server that is slow, busy or drops connections is asked again from where it stopped.

#[cfg(feature = "remote")]
mod address;
#[cfg(feature = "remote")]
mod cache;
#[cfg(feature = "remote")]
mod client;
#[cfg(feature = "remote")]
mod credentials;
mod error;
#[cfg(feature = "remote")]
mod folder;
#[cfg(feature = "remote")]
mod object;
#[cfg(feature = "remote")]
mod s3;

use std::path::Path;

#[cfg(feature = "remote")]
pub use credentials::Variables;
pub use error::RemoteError;
#[cfg(feature = "remote")]
pub use folder::{Folder, Settings};
#[cfg(feature = "remote")]
pub use object::Object;

/// Whether a path is an address rather than a path of this machine.
pub fn is_address(path: &Path) -> bool {
    let text = path.to_string_lossy();
    ["s3://", "https://", "http://"].iter().any(|scheme| text.starts_with(scheme))
}
