//! Feeds mutated texts and files to the readers of the library.
//!
//! `mercer-fuzz TARGET FIRST LAST CORPUS` runs the inputs numbered from FIRST to before LAST, each made from files of the
//! folder by a generator with its number as the seed, and prints a line `FINDING number text` for every panic, and for an
//! allocation beyond the limit or an input that takes more than ten seconds, which end the process. The last line is
//! `DONE accepted refused`.

mod allocator;
mod mutate;
mod random;
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The limit of the library, and what may be allocated beside it: the input, tables of columns, buffers.
const MEMORY: u64 = 32 << 20;
const MOST: usize = 96 << 20;
const SECONDS: u64 = 10;

static CURRENT: AtomicU64 = AtomicU64::new(u64::MAX);

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [target, first, last, corpus] = words.as_slice() else {
        eprintln!("usage: mercer-fuzz TARGET FIRST LAST CORPUS\ntargets: {}", targets::NAMES.join(" "));
        return ExitCode::from(1);
    };
    let (Ok(first), Ok(last), Ok(files)) = (first.parse(), last.parse(), read_corpus(Path::new(corpus))) else {
        eprintln!("two numbers and a folder are needed");
        return ExitCode::from(1);
    };
    let Some(run) = targets::by_name(target) else {
        eprintln!("no target {target}: {}", targets::NAMES.join(" "));
        return ExitCode::from(1);
    };
    std::panic::set_hook(Box::new(|_| {}));
    watch();
    fuzz(run, first, last, &files);
    ExitCode::SUCCESS
}

/// The files of a folder in the order of their names, which is part of the seed.
fn read_corpus(folder: &Path) -> std::io::Result<Vec<Vec<u8>>> {
    let mut paths: Vec<_> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    paths.sort();
    paths.iter().filter(|path| path.is_file()).map(std::fs::read).collect()
}

fn fuzz(run: targets::Run, first: u64, last: u64, files: &[Vec<u8>]) {
    let (mut accepted, mut refused) = (0_u64, 0_u64);
    for number in first..last {
        let input = mutate::input(number, files);
        CURRENT.store(number, Ordering::Relaxed);
        allocator::begin(MOST, number);
        let result = catch_unwind(AssertUnwindSafe(|| run(&input, MEMORY)));
        allocator::end();
        match result {
            Ok(true) => accepted += 1,
            Ok(false) => refused += 1,
            Err(panic) => println!("FINDING {number} panic: {}", message(panic.as_ref())),
        }
    }
    println!("DONE {accepted} {refused}");
}

fn message(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("of an unknown kind")
}

/// Ends the process when one input takes too long.
fn watch() {
    std::thread::spawn(|| {
        let (mut seen, mut since) = (u64::MAX, Instant::now());
        loop {
            std::thread::sleep(Duration::from_millis(500));
            let now = CURRENT.load(Ordering::Relaxed);
            if now != seen {
                (seen, since) = (now, Instant::now());
            } else if now != u64::MAX && since.elapsed() > Duration::from_secs(6 * SECONDS) {
                // Six times as long on the clock: the processor may be shared.
                println!("FINDING {now} hang: no answer after {} s", 6 * SECONDS);
                std::process::exit(3);
            }
        }
    });
}
