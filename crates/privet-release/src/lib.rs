//! The release folder, its manifest, and its verification from the published files alone.
#![forbid(unsafe_code)]

pub mod manifest;

pub use manifest::Manifest;
