//! Whether standard output was closed when the program began.
//!
//! The runtime opens the null device instead of a closed standard stream before `main`, so that
//! everything written there seems to arrive: `mercer kernel list >&-` would end as a success. What
//! was there before is known only to a function that runs earlier.

use std::sync::atomic::{AtomicBool, Ordering};

static CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether standard output was closed when the program began; always false where that cannot be
/// known.
pub fn was_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

/// The loader calls what this section points to before `main`.
// SAFETY: the section holds pointers to functions of this type, and the function needs nothing of
// the runtime.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

#[cfg(target_os = "linux")]
extern "C" fn look() {
    // SAFETY: it reads the flags of a file descriptor, and an error of a closed one is the answer.
    let closed = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) } == -1;
    CLOSED.store(closed, Ordering::Relaxed);
}
