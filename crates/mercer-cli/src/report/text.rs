//! A report as text for a terminal or a pipe.

use super::{Block, Report, Table, Truth, clean, clean_line};

/// Colors, or none.
#[derive(Clone, Copy)]
pub struct Paint(pub bool);

impl Paint {
    fn wrap(self, code: &str, text: &str) -> String {
        if self.0 { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Headings.
    pub fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    /// The start of a complaint.
    pub fn alarm(self, text: &str) -> String {
        self.wrap("1;31", text)
    }

    fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }

    fn truth(self, truth: Truth, text: &str) -> String {
        let code = match truth {
            Truth::Yes => "32",
            Truth::No => "31",
            Truth::Open => "33",
        };
        self.wrap(code, text)
    }
}

/// The whole report. On a terminal even text that goes out byte for byte is cleaned of commands.
pub fn render(report: &Report, paint: Paint, terminal: bool) -> String {
    let mut out = String::new();
    for (i, block) in report.blocks.iter().enumerate() {
        if i > 0 && !continues(&report.blocks[i - 1], block) {
            out.push('\n');
        }
        match block {
            Block::Raw(text) if !terminal => out.push_str(text),
            block => out.push_str(&render_block(block, paint)),
        }
    }
    out
}

/// Whether two blocks stand without a blank line between them.
fn continues(before: &Block, now: &Block) -> bool {
    matches!(before, Block::Heading(_)) || matches!((before, now), (Block::Verdict(..), Block::Verdict(..)))
}

fn render_block(block: &Block, paint: Paint) -> String {
    match block {
        Block::Heading(text) => format!("{}\n", paint.bold(&clean_line(text))),
        Block::Text(text) => format!("{}\n", clean(text)),
        Block::Verbatim(text) => clean(text).lines().map(|line| format!("  {line}\n")).collect(),
        Block::Raw(text) => clean(text).into_owned(),
        Block::Fields(fields) => render_fields(fields, paint),
        Block::Table(table) => render_table(table, paint),
        Block::Verdict(truth, text) => {
            let text = clean(text);
            let mut lines = text.lines();
            let first = lines.next().unwrap_or_default();
            let rest: String = lines.map(|line| format!("    {line}\n")).collect();
            format!("  {} {first}\n{rest}", paint.truth(*truth, &truth.mark().to_string()))
        }
    }
}

fn render_fields(fields: &[(String, String)], paint: Paint) -> String {
    let fields: Vec<_> = fields.iter().map(|(name, value)| (clean_line(name), clean(value))).collect();
    let width = fields.iter().map(|(name, _)| columns(name)).max().unwrap_or(0);
    fields.iter().map(|(name, value)| format!("  {}  {value}\n", paint.dim(&pad(name, width, false)))).collect()
}

fn render_table(table: &Table, paint: Paint) -> String {
    let cleaned = |row: &[String]| row.iter().map(|cell| clean_line(cell).into_owned()).collect::<Vec<String>>();
    let (head, rows) = (cleaned(&table.head), table.rows.iter().map(|row| cleaned(row)).collect::<Vec<_>>());
    let widths: Vec<usize> =
        (0..head.len()).map(|j| rows.iter().chain([&head]).map(|row| columns(&row[j])).max().unwrap_or(0)).collect();
    let line = |row: &[String]| {
        let cells = row.iter().zip(&widths).zip(&table.right);
        let padded: Vec<String> = cells.map(|((cell, &width), &right)| pad(cell, width, right)).collect();
        format!("  {}", padded.join("  ")).trim_end().to_owned()
    };
    let mut out = format!("{}\n", paint.dim(&line(&head)));
    for row in &rows {
        out.push_str(&line(row));
        out.push('\n');
    }
    out
}

fn pad(text: &str, width: usize, right: bool) -> String {
    let space = " ".repeat(width.saturating_sub(columns(text)));
    if right { format!("{space}{text}") } else { format!("{text}{space}") }
}

/// Columns on a terminal: combining marks take none.
fn columns(text: &str) -> usize {
    text.chars().filter(|c| !('\u{300}'..='\u{36f}').contains(c)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_nothing_trails() {
        let mut table = Table::new(&["name", "n"], &[1]);
        table.push(["ℝᵈ".to_owned(), "7".to_owned()]);
        table.push(["linear".to_owned(), "12".to_owned()]);
        assert_eq!(render_table(&table, Paint(false)), "  name     n\n  ℝᵈ       7\n  linear  12\n");
    }

    #[test]
    fn names_cannot_command_the_terminal() {
        let mut report = Report::new("");
        let bad = "\u{1b}]0;x\u{7}";
        let mut table = Table::new(&[bad], &[]);
        table.push([bad.to_owned()]);
        report.heading(bad).text(bad).fields([(bad, bad.to_owned())]);
        report.push(Block::Verbatim(bad.into())).push(Block::Table(table)).push(Block::Verdict(Truth::Yes, bad.into()));
        assert!(!render(&report, Paint(false), false).contains(['\u{1b}', '\u{7}']));
        report.push(Block::Raw(bad.into()));
        assert!(render(&report, Paint(false), false).ends_with(bad), "bytes for a program stay as they are");
        assert!(!render(&report, Paint(false), true).contains(['\u{1b}', '\u{7}']));
    }

    #[test]
    fn colors_only_where_requested() {
        assert_eq!(Paint(false).bold("x"), "x");
        assert_eq!(Paint(true).bold("x"), "\x1b[1mx\x1b[0m");
    }
}
