//! Memory goes back to the system as soon as a large buffer is dropped, where that is worth its time.
//!
//! The C library of most Linux systems gives buffers from 128 KiB on pages of their own at first, and with every such
//! buffer that is dropped raises that size, up to 32 MiB. From then on large buffers lie between small ones and leave
//! holes: a release of a million records takes a tenth more memory. Naming the size keeps it where it is. A small table
//! would only get the same pages again and again, which takes a tenth of its time, so it is left as it is.

use std::path::Path;

/// Inputs of so many bytes are large.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: u64 = 8 << 20;

/// Buffers of so many bytes have pages of their own.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const OWN_PAGES: i32 = 128 << 10;
/// So many bytes at the end of the heap are kept.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT: i32 = 1 << 20;

/// Keeps the size from which on buffers have pages of their own, when the input is large.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "there is no other way to say it to the C library than its own function")]
pub fn give_back_with(input: &Path) {
    if std::fs::metadata(input).map_or(0, |file| file.len()) < LARGE {
        return;
    }
    // SAFETY: `mallopt` may be called at any time and only takes two numbers. A refusal (0) changes nothing.
    let _ = unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, OWN_PAGES) + libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT)
    };
}

/// Other systems have other allocators.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back_with(_input: &Path) {}
