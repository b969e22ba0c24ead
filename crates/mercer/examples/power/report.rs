//! The table: found beside published, with the distance in standard errors.

use std::error::Error;
use std::fs;
use std::path::Path;

const BEGIN: &str = "<!-- power -->";
const END: &str = "<!-- /power -->";

/// What one experiment gave.
pub struct Line {
    pub name: String,
    pub published: (f64, u64),
    pub rejections: u64,
    pub repetitions: u64,
}

impl Line {
    fn found(&self) -> f64 {
        self.rejections as f64 / self.repetitions as f64
    }

    /// The difference in standard errors of the difference of two shares, of the pooled one with
    /// one more success and failure.
    fn distance(&self) -> f64 {
        let (power, repetitions) = self.published;
        let (ours, theirs) = (self.repetitions as f64, repetitions as f64);
        let share = (self.rejections as f64 + power * theirs + 1.0) / (ours + theirs + 2.0);
        (self.found() - power) / (share * (1.0 - share) * (1.0 / ours + 1.0 / theirs)).sqrt()
    }

    pub fn text(&self) -> String {
        let (power, repetitions) = self.published;
        let (found, distance) = (self.found(), self.distance());
        format!("| {} | {power:.3} ({repetitions}) | {found:.3} ({}) | {distance:+.1} |", self.name, self.repetitions)
    }
}

pub fn table(lines: &[Line]) -> String {
    let head = "| test, data | published (repetitions) | here | standard errors |\n|---|---|---|---|\n";
    head.to_string() + &lines.iter().map(Line::text).collect::<Vec<_>>().join("\n")
}

/// Puts the table between the marks of a page.
pub fn write(page: &Path, lines: &[Line]) -> Result<(), Box<dyn Error>> {
    let text = fs::read_to_string(page)?;
    let begin = text.find(BEGIN).ok_or("the page has no mark where the table begins")? + BEGIN.len();
    let end = text.find(END).ok_or("the page has no mark where the table ends")?;
    fs::write(page, format!("{}\n{}\n{}", &text[..begin], table(lines), &text[end..]))?;
    Ok(())
}
