//! A table from any bytes: read or refused, and what is read can be proposed a job for.
#![no_main]

use libfuzzer_sys::fuzz_target;
use privet_data::io::{ReadOptions, read_csv_bytes};
use privet_job::init::{Source, propose};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(input) = read_csv_bytes(bytes, &ReadOptions::default()) {
        propose(&input.table, "people.csv", &Source::default());
    }
});
