//! A job from any text, and any setting on top of one.
#![no_main]

use libfuzzer_sys::fuzz_target;
use privet_job::Job;

fuzz_target!(|text: &str| {
    let _ = Job::parse(text, &[]);
    let _ = Job::parse("", &[text.to_owned()]);
});
