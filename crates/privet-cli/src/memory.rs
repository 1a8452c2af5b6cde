//! Memory goes back to the system as soon as a large buffer is dropped.
//!
//! The C library of most Linux systems gives buffers from 128 KiB on pages of their own at first, and with every such
//! buffer that is dropped raises that size, up to 32 MiB. From then on large buffers lie between small ones and leave
//! holes: a release of a million records takes a tenth more memory. Naming the size keeps it where it is.

/// Buffers of so many bytes have pages of their own.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const OWN_PAGES: i32 = 128 << 10;
/// So many bytes at the end of the heap are kept: a small table would otherwise get the same pages again and again.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT: i32 = 1 << 20;

/// Keeps the size from which on buffers have pages of their own.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "there is no other way to say it to the C library than its own function")]
pub fn give_back() {
    // SAFETY: `mallopt` may be called at any time and only takes two numbers. A refusal (0) changes nothing.
    let _ = unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, OWN_PAGES) + libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT)
    };
}

/// Other systems have other allocators.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back() {}
