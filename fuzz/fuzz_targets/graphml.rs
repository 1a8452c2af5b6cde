//! See the entry of this name in `src/entries.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    (privet_fuzz::entry("graphml").run)(bytes);
});
