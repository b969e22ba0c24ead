//! An allocator that ends the process when an input has taken more than its limit.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

static LIVE: AtomicUsize = AtomicUsize::new(0);
static BASE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(usize::MAX);
static NUMBER: AtomicU64 = AtomicU64::new(0);
static WATCHED: AtomicBool = AtomicBool::new(false);

struct Limited;

#[global_allocator]
static ALLOCATOR: Limited = Limited;

/// From here on an input may take this many bytes.
pub fn begin(most: usize, number: u64) {
    NUMBER.store(number, Ordering::Relaxed);
    BASE.store(LIVE.load(Ordering::Relaxed), Ordering::Relaxed);
    MOST.store(most, Ordering::Relaxed);
    WATCHED.store(true, Ordering::Relaxed);
}

/// The input is done.
pub fn end() {
    WATCHED.store(false, Ordering::Relaxed);
}

fn grown(bytes: usize) {
    let live = LIVE.fetch_add(bytes, Ordering::Relaxed).wrapping_add(bytes);
    if WATCHED.load(Ordering::Relaxed)
        && live.saturating_sub(BASE.load(Ordering::Relaxed)) > MOST.load(Ordering::Relaxed)
    {
        WATCHED.store(false, Ordering::Relaxed);
        let number = NUMBER.load(Ordering::Relaxed);
        let _ = writeln!(std::io::stdout(), "FINDING {number} allocation: {bytes} bytes more than the limit allows");
        std::process::exit(4);
    }
}

// SAFETY: every call goes to the allocator of the system as it is; only numbers are counted.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grown(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grown(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        grown(size);
        unsafe { System.realloc(memory, layout, size) }
    }
}
