//! The page of learners is made from the catalogue.

use std::fmt::Write;
use std::path::Path;

use mercer::learner::{LearnerEntry, ViewCount};
use mercer::model::LEARNERS;

const HEAD: &str = "# Learners

Every learner of the library with its parameters, made from the catalogue (`model::LEARNERS`, in Python `mercer.learners()`; `make docs` writes this page). The names are those of the settings in a
[model file](model.md); on the command line they are flags with hyphens where a learner has no command with flags of its own, in Python the parameters of the estimator where scikit-learn has no name for them.
";

fn section(entry: &LearnerEntry) -> String {
    let views = match entry.views {
        ViewCount::One => "",
        ViewCount::Two => ", two modes of points",
        ViewCount::Several => ", two or more views",
    };
    let weights = if entry.weighted { ", weights of rows" } else { "" };
    let mut text = format!("\n## `{}`: {}\n", entry.name, entry.title);
    let summary = entry.summary;
    let _ = writeln!(
        text,
        "{}{}. Gives {}{views}{weights}.\n",
        summary[..1].to_uppercase(),
        &summary[1..],
        entry.goal.name()
    );
    text.push_str("| parameter | allowed | default | meaning |\n|---|---|---|---|\n");
    for parameter in entry.parameters {
        let default = match parameter.default {
            Some(default) => format!("`{default}`"),
            None if parameter.required => "required".into(),
            None => String::new(),
        };
        let allowed = parameter.allowed().to_string().replace('|', "\\|");
        let _ = writeln!(text, "| `{}` | {allowed} | {default} | {} |", parameter.name, parameter.meaning);
    }
    text
}

#[test]
fn the_page_of_learners_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/learners.md");
    let made = HEAD.to_owned() + &LEARNERS.iter().map(|entry| section(entry)).collect::<String>();
    if std::env::var_os("MERCER_UPDATE_DOCS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, made, "run `make docs`");
}
