//! A manifest from any bytes, and its seal.
#![no_main]

use libfuzzer_sys::fuzz_target;
use privet_release::Manifest;

fuzz_target!(|bytes: &[u8]| {
    let _ = Manifest::parse(bytes);
    let _ = Manifest::seal_of(bytes);
});
