//! The power of the tests beside published figures. Run with `make power`, or
//! `cargo run --release --example power -- [--data FOLDER] [--repetitions N] [--only NAME] [--page FILE]`.
//!
//! `FOLDER` has a folder `mnist` with the original files; without it the table leaves MNIST out.
//! With `--page` the table is written between the marks `<!-- power -->` and `<!-- /power -->` of a
//! page.

mod experiments;
mod mnist;
mod report;
mod sampling;

use std::error::Error;
use std::path::PathBuf;

use experiments::{Experiment, experiments};
use mercer::{Compute, Seed};
use mnist::Digits;
use report::Line;

/// What was requested on the command line.
#[derive(Default)]
struct Arguments {
    data: Option<PathBuf>,
    repetitions: Option<u64>,
    only: Option<String>,
    page: Option<PathBuf>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = read_arguments()?;
    let digits = arguments.data.as_ref().map(|folder| Digits::read(&folder.join("mnist"))).transpose()?;
    let mut lines = Vec::new();
    for experiment in experiments(digits.as_ref()) {
        if arguments.only.as_ref().is_some_and(|name| !experiment.name.contains(name.as_str())) {
            continue;
        }
        let line = run(&experiment, arguments.repetitions.unwrap_or(experiment.repetitions))?;
        eprintln!("{}", line.text());
        lines.push(line);
    }
    match arguments.page {
        Some(page) => report::write(&page, &lines)?,
        None => println!("{}", report::table(&lines)),
    }
    Ok(())
}

/// Counts rejections; repetition `r` draws its data and its relabelings from seed `r`.
fn run(experiment: &Experiment<'_>, repetitions: u64) -> mercer::Result<Line> {
    let mut rejections = 0;
    for repetition in 0..repetitions {
        let mut random = Seed(repetition).stream(&experiment.name, 0);
        let compute = Compute::new().with_seed(Seed(repetition));
        rejections += u64::from((experiment.rejects)(&mut random, &compute)?);
    }
    Ok(Line { name: experiment.name.clone(), published: experiment.published, rejections, repetitions })
}

fn read_arguments() -> Result<Arguments, Box<dyn Error>> {
    let mut arguments = Arguments::default();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        match word.as_str() {
            "--data" => arguments.data = Some(value.into()),
            "--repetitions" => arguments.repetitions = Some(value.parse()?),
            "--only" => arguments.only = Some(value),
            "--page" => arguments.page = Some(value.into()),
            _ => return Err(format!("unknown argument {word}").into()),
        }
    }
    Ok(arguments)
}
