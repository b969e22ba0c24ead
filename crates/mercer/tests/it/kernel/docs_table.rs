//! `docs/kernels.md` is made from the catalogue; this test fails when it is out of date
//! (`make docs` renews it).

use mercer::kernel::catalogue::{self, Entry};

#[test]
fn the_table_of_kernels_is_the_catalogue() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/kernels.md");
    let page = page();
    if std::env::var_os("MERCER_UPDATE_DOCS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    assert!(stored == page, "docs/kernels.md is out of date: run `make docs`");
}

fn page() -> String {
    let mut page = String::from(
        "# The kernels\n\nMade from the catalogue by `make docs`. A lengthscale ℓ may be a list (one per column) or `median`.\n",
    );
    let mut family = None;
    for entry in catalogue::entries() {
        if family != Some(entry.family) {
            family = Some(entry.family);
            page += &format!("\n## {}\n", entry.family.title());
        }
        page += &section(entry);
    }
    page
}

fn section(entry: &Entry) -> String {
    let mut text = format!(
        "\n### `{}`\n\n`{}` on {}. {} Cost per pair: {}.\n\n",
        entry.name,
        entry.formula,
        entry.domain.text(),
        entry.theory,
        entry.cost
    );
    if !entry.parameters.is_empty() {
        text += "| parameter | default | range | meaning |\n|---|---|---|---|\n";
        for p in entry.parameters {
            let name = if p.name.is_empty() { "(unnamed)".into() } else { format!("`{}`", p.name) };
            text += &format!("| {name} | {} | {} | {} |\n", p.default.unwrap_or("–"), p.range, p.meaning);
        }
        text += "\n";
    }
    text + &format!("Examples: {}\n", entry.examples.iter().map(|e| format!("`{e}`")).collect::<Vec<_>>().join(", "))
}
