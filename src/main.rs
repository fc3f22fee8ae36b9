//! The `qualm` program: everything is in the library.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Texts and columns come and go by the megabyte. The system's allocator gives them back to the system and
/// asks for them again, page by page, which takes a quarter of an import.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    qualm::cli::run()
}
