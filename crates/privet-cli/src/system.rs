//! What happens when the system gives no more: memory that cannot be had, and files that may not grow.
//!
//! Both would end the process by a signal (exit codes 134 and 153), the first with a backtrace. Here they end in exit code 4
//! and a sentence, as every other want of resources. A panic, which is a fault of privet, is told by its place alone:
//! what it would say may quote the data.

use std::alloc::{GlobalAlloc, Layout, System};

use crate::exit::RESOURCES;

/// The allocator of the system, whose refusal ends the process in an orderly way.
pub struct OrEnd;

#[expect(unsafe_code, reason = "an allocator is unsafe by its trait; each call is handed on as it came")]
// SAFETY: every call goes to the system's allocator with the same arguments, and its result is handed back.
unsafe impl GlobalAlloc for OrEnd {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller's.
        checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller's.
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller's.
        checked(unsafe { System.realloc(pointer, layout, size) }, size)
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller's.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[inline(always)]
fn checked(pointer: *mut u8, size: usize) -> *mut u8 {
    if pointer.is_null() {
        end(size);
    }
    pointer
}

/// Says how much was asked for and ends the process. No memory may be asked for here. What is left behind is removed by the
/// next run, as after a kill.
#[cold]
fn end(size: usize) -> ! {
    use std::io::Write;
    let mut digits = [b'0'; 20];
    let mut rest = size;
    let mut first = digits.len();
    while first == digits.len() || rest > 0 {
        first -= 1;
        digits[first] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let mut line = [0u8; 160];
    let mut length = 0;
    let parts: [&[u8]; 3] = [
        b"privet: memory does not suffice: ",
        &digits[first..],
        b" more bytes were asked for and refused; give the process more, or it less to do\n",
    ];
    for part in parts {
        line[length..length + part.len()].copy_from_slice(part);
        length += part.len();
    }
    // why: when standard error is closed nobody can be told, and the exit code still says it
    let _ = std::io::stderr().write_all(&line[..length]);
    exit_at_once()
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "handlers that run at an orderly exit may ask for memory")]
fn exit_at_once() -> ! {
    // SAFETY: it takes a number and does not return.
    unsafe { libc::_exit(i32::from(RESOURCES)) }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn exit_at_once() -> ! {
    std::process::exit(i32::from(RESOURCES))
}

/// From now on a file that reaches the largest size that is allowed is an error like a full disk, and panics are told by
/// their place.
pub fn prepare() {
    ignore_file_size_signal();
    // Who looks for a fault in a build for that wants all that is said.
    if cfg!(debug_assertions) && std::env::var_os("RUST_BACKTRACE").is_some() {
        return;
    }
    std::panic::set_hook(Box::new(|panic| {
        use std::io::Write;
        let place = panic
            .location()
            .map_or_else(String::new, |place| format!(" at {}:{}", place.file(), place.line()));
        // why: as above
        let _ = writeln!(
            std::io::stderr().lock(),
            "privet: panicked{place}; this is a fault of privet. Please report this line, and what was run"
        );
    }));
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "there is no other way to say it to the C library than its own function")]
fn ignore_file_size_signal() {
    // SAFETY: the action is one that the system provides, and no handler of ours is replaced.
    let _ = unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn ignore_file_size_signal() {}
