//! A report as one page of HTML that needs no other file.

use super::{Block, Report, Table, Truth, clean};
use crate::numbers::grouped;

const STYLE: &str = "\
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2.5rem auto;padding:0 1.25rem;color:#1d2329;background:#fff}\
h1{font-size:1.5rem;font-weight:600;border-bottom:2px solid #33638d;padding-bottom:.4rem}\
h2{font-size:1.1rem;font-weight:600;margin-top:2rem}\
pre{background:#f5f6f8;border-radius:4px;padding:.75rem 1rem;overflow-x:auto;font:14px/1.45 ui-monospace,monospace}\
table{border-collapse:collapse;font-size:.92rem;display:block;overflow-x:auto}\
th,td{text-align:left;padding:.25rem .9rem .25rem 0;border-bottom:1px solid #e3e6ea;vertical-align:top}\
th{font-weight:600;color:#57606a}td.r,th.r{text-align:right;font-variant-numeric:tabular-nums}\
.yes{color:#1a7f37}.no{color:#b42318}.open{color:#9a6700}p.verdict{white-space:pre-wrap;margin:.3rem 0}\
figure{margin:1.5rem 0}svg{max-width:100%;height:auto}p.more{color:#57606a;font-style:italic}footer{margin-top:2.5rem;color:#57606a;font-size:.85rem}";

/// Bytes of the text of a page, and of its pictures: less than 2 MB together, which mail programs and
/// browsers open at once.
const TEXT: usize = 600_000;
/// See [`TEXT`].
pub const PICTURES: usize = 1_300_000;
/// Rows of a table, lines of a text and characters of a value that are shown.
const ROWS: usize = 200;
const LINES: usize = 200;
const CHARACTERS: usize = 2000;

/// The page, with the pictures inline; `all` pictures belong to the report. What is too long for a
/// page is cut, and a line gives how much is left out.
pub fn page(report: &Report, pictures: &[String], all: usize) -> String {
    let title = value(&report.title);
    let mut body = String::new();
    for (i, part) in report.blocks.iter().enumerate() {
        let part = block(part);
        if body.len() + part.len() > TEXT {
            body.push_str(&more(report.blocks.len() - i, "part", "p"));
            break;
        }
        body.push_str(&part);
    }
    let figures: String = pictures.iter().map(|svg| format!("<figure>{svg}</figure>\n")).collect();
    let rest = if pictures.len() < all { more(all - pictures.len(), "picture", "p") } else { String::new() };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}{figures}{rest}\
         <footer>mercer {}</footer>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// The line in the place of what is left out.
fn more(count: usize, what: &str, tag: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("<{tag} class=\"more\">… and {} more {what}{plural}</{tag}>\n", grouped(count as u64))
}

fn block(block: &Block) -> String {
    match block {
        Block::Heading(text) => format!("<h2>{}</h2>\n", value(text)),
        Block::Text(text) => format!("<p>{}</p>\n", value(text)),
        Block::Verbatim(text) | Block::Raw(text) => lines(text),
        Block::Fields(fields) => {
            let row = |(name, text): &(String, String)| {
                format!("<tr><th>{}</th><td>{}</td></tr>\n", value(name), value(text))
            };
            format!("<table>\n{}</table>\n{}", fields.iter().take(ROWS).map(row).collect::<String>(), rest(fields))
        }
        Block::Table(table) => table_of(table),
        Block::Verdict(truth, text) => {
            let class = match truth {
                Truth::Yes => "yes",
                Truth::No => "no",
                Truth::Open => "open",
            };
            format!("<p class=\"verdict\"><span class=\"{class}\">{}</span> {}</p>\n", truth.mark(), value(text))
        }
    }
}

fn table_of(table: &Table) -> String {
    // Of very wide tables fewer rows: the cells count.
    let most = (ROWS * 12 / table.head.len().max(1)).clamp(1, ROWS);
    let row = |cells: &[String], tag: &str| {
        let cell = |(text, &right): (&String, &bool)| {
            let class = if right { " class=\"r\"" } else { "" };
            format!("<{tag}{class}>{}</{tag}>", value(text))
        };
        format!("<tr>{}</tr>\n", cells.iter().zip(&table.right).map(cell).collect::<String>())
    };
    let rows: String = table.rows.iter().take(most).map(|cells| row(cells, "td")).collect();
    let left = table.rows.len().saturating_sub(most);
    let rest = if left > 0 { more(left, "row", "p") } else { String::new() };
    format!("<table>\n{}{rows}</table>\n{rest}", row(&table.head, "th"))
}

/// The line below a list of names and values that is too long.
fn rest(fields: &[(String, String)]) -> String {
    if fields.len() > ROWS { more(fields.len() - ROWS, "row", "p") } else { String::new() }
}

/// The first lines of a text, each of them cut.
fn lines(text: &str) -> String {
    let count = text.lines().count();
    let shown: Vec<String> = text.lines().take(LINES).map(value).collect();
    let rest = if count > LINES { more(count - LINES, "line", "p") } else { String::new() };
    format!("<pre>{}</pre>\n{rest}", shown.join("\n"))
}

/// A value, cut where nobody reads on.
fn value(text: &str) -> String {
    match text.char_indices().nth(CHARACTERS) {
        None => escape(text),
        Some((end, _)) => {
            let left = text[end..].chars().count() as u64;
            format!("{}… and {} more characters", escape(&text[..end]), grouped(left))
        }
    }
}

/// Text that is safe inside HTML, which has no control characters.
fn escape(text: &str) -> String {
    clean(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        let mut report = Report::new("a < b");
        report.text("<script>");
        let page = page(&report, &[], 0);
        assert!(page.contains("<title>a &lt; b</title>") && page.contains("<p>&lt;script&gt;</p>"));
    }

    #[test]
    fn long_reports_are_cut_and_say_so() {
        let mut report = Report::new("t".repeat(100_000));
        let mut table = Table::new(&["column", "mean"], &[1]);
        (0..5000).for_each(|i| table.push([format!("column {i} {}", "x".repeat(5000)), i.to_string()]));
        report.push(Block::Table(table));
        report.push(Block::Raw("1,2,3\n".repeat(100_000)));
        report.fields((0..300).map(|i| (format!("name {i}"), "a < b ".repeat(10_000))));
        (0..1000).for_each(|_| {
            report.text("&".repeat(3000));
        });
        let pictures = ["x".repeat(PICTURES)];
        let page = page(&report, &pictures, 3);
        assert!(page.len() < 2_000_000, "{}", page.len());
        for line in ["more parts", "… and 2 more pictures", "… and 98 000 more characters"] {
            assert!(page.contains(line), "{line}");
        }
        report.blocks.truncate(2);
        let page = super::page(&report, &[], 0);
        assert!(page.contains("… and 4 800 more rows") && page.contains("… and 99 800 more lines"));
    }
}
