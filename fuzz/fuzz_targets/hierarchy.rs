//! A hierarchy from any bytes: read or refused; what is read is written and read back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use privet_data::hierarchy::{parse_hierarchy, write_hierarchy};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(hierarchy) = parse_hierarchy(bytes) {
        let mut written = Vec::new();
        write_hierarchy(&mut written, &hierarchy, b';').expect("memory can be written");
        assert_eq!(parse_hierarchy(&written).expect("what was written can be read"), hierarchy);
    }
});
