//! How the job runs: threads, memory, seed, progress and Ctrl-C, made once from the common flags.

use std::sync::Arc;

use mercer::{Cancel, Compute, Seed};

use crate::arguments::Common;
use crate::failure::Failure;
use crate::progress::Bar;

/// What every command gets besides its own words.
pub struct Session {
    /// How to compute.
    pub compute: Compute,
    /// The common flags.
    pub common: Common,
}

impl Session {
    /// From the flags. From now on Ctrl-C stops the work at the next tile, and a second one stops the program.
    pub fn start(common: &Common) -> Result<Self, Failure> {
        let cancel = Cancel::default();
        listen_to_ctrl_c(cancel.clone());
        let mut compute = Compute::new().with_seed(Seed(common.seed)).with_cancel(cancel);
        if let Some(memory) = common.memory {
            compute = compute.with_memory(memory);
        }
        if let Some(threads) = common.threads {
            compute = compute.with_threads(threads)?;
        }
        if let Some(bar) = Bar::on_terminal(common.quiet) {
            compute = compute.with_progress(Arc::new(bar));
        }
        Ok(Self { compute, common: common.clone() })
    }
}

fn listen_to_ctrl_c(cancel: Cancel) {
    let handler = move || {
        if cancel.is_cancelled() {
            std::process::exit(2);
        }
        cancel.cancel();
    };
    // Where the system has no such signal, Ctrl-C simply ends the program.
    let _ = ctrlc::set_handler(handler);
}
