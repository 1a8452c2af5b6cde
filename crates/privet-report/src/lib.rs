//! The report of a release: one self-contained page.
#![forbid(unsafe_code)]
