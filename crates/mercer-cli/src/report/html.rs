//! A report as one page of HTML that needs no other file.

use super::{Block, Report, Table, Truth, clean};

const STYLE: &str = "\
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2.5rem auto;padding:0 1.25rem;color:#1d2329;background:#fff}\
h1{font-size:1.5rem;font-weight:600;border-bottom:2px solid #33638d;padding-bottom:.4rem}\
h2{font-size:1.1rem;font-weight:600;margin-top:2rem}\
pre{background:#f5f6f8;border-radius:4px;padding:.75rem 1rem;overflow-x:auto;font:14px/1.45 ui-monospace,monospace}\
table{border-collapse:collapse;font-size:.92rem;display:block;overflow-x:auto}\
th,td{text-align:left;padding:.25rem .9rem .25rem 0;border-bottom:1px solid #e3e6ea;vertical-align:top}\
th{font-weight:600;color:#57606a}td.r,th.r{text-align:right;font-variant-numeric:tabular-nums}\
.yes{color:#1a7f37}.no{color:#b42318}.open{color:#9a6700}p.verdict{white-space:pre-wrap;margin:.3rem 0}\
figure{margin:1.5rem 0}svg{max-width:100%;height:auto}footer{margin-top:2.5rem;color:#57606a;font-size:.85rem}";

/// The page, with the pictures inline.
pub fn page(report: &Report, pictures: &[String]) -> String {
    let title = escape(&report.title);
    let body: String = report.blocks.iter().map(block).collect();
    let figures: String = pictures.iter().map(|svg| format!("<figure>{svg}</figure>\n")).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}{figures}\
         <footer>mercer {}</footer>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    )
}

fn block(block: &Block) -> String {
    match block {
        Block::Heading(text) => format!("<h2>{}</h2>\n", escape(text)),
        Block::Text(text) => format!("<p>{}</p>\n", escape(text)),
        Block::Verbatim(text) | Block::Raw(text) => format!("<pre>{}</pre>\n", escape(text)),
        Block::Fields(fields) => {
            let row = |(name, value): &(String, String)| {
                format!("<tr><th>{}</th><td>{}</td></tr>\n", escape(name), escape(value))
            };
            format!("<table>\n{}</table>\n", fields.iter().map(row).collect::<String>())
        }
        Block::Table(table) => table_of(table),
        Block::Verdict(truth, text) => {
            let class = match truth {
                Truth::Yes => "yes",
                Truth::No => "no",
                Truth::Open => "open",
            };
            format!("<p class=\"verdict\"><span class=\"{class}\">{}</span> {}</p>\n", truth.mark(), escape(text))
        }
    }
}

fn table_of(table: &Table) -> String {
    let row = |cells: &[String], tag: &str| {
        let cell = |(text, &right): (&String, &bool)| {
            let class = if right { " class=\"r\"" } else { "" };
            format!("<{tag}{class}>{}</{tag}>", escape(text))
        };
        format!("<tr>{}</tr>\n", cells.iter().zip(&table.right).map(cell).collect::<String>())
    };
    let rows: String = table.rows.iter().map(|cells| row(cells, "td")).collect();
    format!("<table>\n{}{rows}</table>\n", row(&table.head, "th"))
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
        let page = page(&report, &[]);
        assert!(page.contains("<title>a &lt; b</title>") && page.contains("<p>&lt;script&gt;</p>"));
    }
}
