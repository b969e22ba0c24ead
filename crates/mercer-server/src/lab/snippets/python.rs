//! Lines of Python.

use std::path::Path;

use mercer::io::Format;
use mercer::points::{ColumnData, Missing, PointKind, Scaling};

use super::words::{features, group_file};
use crate::lab::data::Dataset;
use crate::lab::training::Choice;

/// A text as Python reads it back.
pub fn text(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

fn list(names: &[&str]) -> String {
    format!("[{}]", names.iter().map(|name| text(name)).collect::<Vec<_>>().join(", "))
}

/// What the set holds besides numbers and texts.
fn objects(set: &Dataset) -> Option<PointKind> {
    set.table.columns().iter().find_map(|column| match &column.data {
        ColumnData::Objects(sample) => Some(sample.as_points().kind()),
        _ => None,
    })
}

/// Reads the data: `X`, and `y` where there is a target to fit.
pub fn read(choice: &Choice, set: &Dataset, with_target: bool) -> String {
    let file = text(&set.file);
    if objects(set) == Some(PointKind::Graphs) {
        return graphs(set, &file);
    }
    if objects(set) == Some(PointKind::Strings) {
        let labels =
            if with_target { "y = [i.split(\"|\")[1] for i in ids]  # the word after | in every header\n" } else { "" };
        return format!("ids, X = mercer.read_fasta({file})\n{labels}");
    }
    let mut lines = frame("data", set);
    if let (Some(target), true) = (&choice.target, with_target && choice.missing.is_some()) {
        lines.push_str(&format!("data = data.dropna(subset=[{}])\n", text(target)));
    }
    lines.push_str(&columns(choice, "X", set));
    if let (Some(target), true) = (&choice.target, with_target) {
        // Rows that X has lost are lost here too.
        lines.push_str(&format!("y = data.loc[X.index, {}]\n", text(target)));
    }
    lines
}

/// Reads a table of columns as a frame of a name, with the columns as the lab names them.
pub fn frame(name: &str, set: &Dataset) -> String {
    let file = text(&set.file);
    let names: Vec<&str> = set.table.names().collect();
    match Format::from_path(Path::new(&set.file)).ok() {
        Some(Format::Npy) => format!(
            "import numpy as np\nimport pandas as pd\n\n{name} = pd.DataFrame(np.load({file}), columns={})\n",
            list(&names)
        ),
        Some(Format::Libsvm) => format!(
            "import pandas as pd\nfrom sklearn.datasets import load_svmlight_file\n\nrows, labels = \
             load_svmlight_file({file})\n{name} = pd.DataFrame(rows.toarray(), columns={})\n{name}.insert(0, {}, \
             labels)\n",
            list(&names[1..]),
            text(names[0])
        ),
        Some(Format::Parquet) => format!("import pandas as pd\n\n{name} = pd.read_parquet({file})\n"),
        Some(Format::Tsv) => format!("import pandas as pd\n\n{name} = pd.read_csv({file}, sep=\"\\t\")\n"),
        _ => format!("import pandas as pd\n\n{name} = pd.read_csv({file})\n"),
    }
}

/// Reads and describes a set.
pub fn described(set: &Dataset) -> String {
    let file = text(&set.file);
    match objects(set) {
        Some(PointKind::Graphs) => format!("import mercer\n\n{}print(len(X), X[0])\n", graphs(set, &file)),
        Some(PointKind::Strings) => {
            format!("import mercer\n\nids, X = mercer.read_fasta({file})\nprint(len(X), ids[0], X[0])\n")
        }
        _ => format!("{}print(data.describe(include=\"all\"))\n", frame("data", set)),
    }
}

fn graphs(set: &Dataset, file: &str) -> String {
    let plain = set.file.rsplit(['/', '\\']).next().unwrap_or(&set.file);
    let folder = text(plain.trim_end_matches(".zip").trim_end_matches(".tar.gz").trim_end_matches(".tar"));
    format!("X, y = mercer.Graphs.read_tu({})\n", if set.origin == "uploaded" { &folder } else { file })
}

fn chosen<'s>(choice: &'s Choice, set: &'s Dataset) -> Vec<&'s str> {
    let names: Vec<&str> = match &choice.inputs {
        Some(names) => names.iter().map(String::as_str).collect(),
        None => features(set),
    };
    names.into_iter().filter(|name| Some(*name) != choice.target.as_deref()).collect()
}

/// The chosen columns as a frame of a name, with missing values and scales as chosen.
pub fn columns(choice: &Choice, name: &str, set: &Dataset) -> String {
    let names = chosen(choice, set);
    let mut lines = format!("{name} = data[{}]\n", list(&names));
    lines.push_str(&prepared(choice, name, set, &names));
    lines
}

fn prepared(choice: &Choice, name: &str, set: &Dataset, names: &[&str]) -> String {
    let is_category =
        |column: &&str| set.table.column(*column).is_ok_and(|c| matches!(c.data, ColumnData::Categories { .. }));
    let has_categories = names.iter().any(&is_category);
    // With texts among them the columns go to the kernel as they are.
    let long_texts = names.iter().filter(|column| is_category(column)).any(|column| {
        set.table
            .column(*column)
            .is_ok_and(|c| matches!(&c.data, ColumnData::Categories { levels, .. } if levels.len() > 8))
    });
    let mut lines = String::new();
    match choice.missing {
        Some(Missing::DropRows) => lines.push_str(&format!("{name} = {name}.dropna()\n")),
        Some(Missing::Mean) => lines.push_str(&format!("{name} = {name}.fillna({name}.mean(numeric_only=True))\n")),
        Some(Missing::Zero) => lines.push_str(&format!("{name} = {name}.fillna(0)\n")),
        _ => {}
    }
    let numbers = if has_categories { format!("{name}.select_dtypes(\"number\")") } else { name.to_owned() };
    let scaled = match choice.scaling {
        Scaling::None => None,
        Scaling::Standardize => Some("(Z - Z.mean()) / Z.std(ddof=0)"),
        Scaling::UnitInterval => Some("(Z - Z.min()) / (Z.max() - Z.min())"),
    };
    match scaled {
        Some(formula) if has_categories => {
            lines.push_str(&format!("Z = {numbers}\n{name} = {name}.assign(**({formula}))\n"));
        }
        Some(formula) => lines.push_str(&format!("{name} = {}\n", formula.replace('Z', name))),
        None => {}
    }
    if has_categories && !long_texts {
        lines.push_str(&format!("{name} = pd.get_dummies({name}, dtype=float)\n"));
    }
    lines
}

/// Reads two samples as `A` and `B`, encoded together.
pub fn two_samples(choice: &Choice, a: &Dataset, b: &Dataset, groups: Option<&(String, String, String)>) -> String {
    let mut lines = String::from("import mercer\n");
    if objects(a) == Some(PointKind::Graphs) {
        lines.push_str(&format!(
            "A, _ = mercer.Graphs.read_tu({})\nB, _ = mercer.Graphs.read_tu({})\n",
            text(&a.file),
            text(&b.file)
        ));
        return lines;
    }
    if objects(a) == Some(PointKind::Strings) {
        lines.push_str(&format!(
            "_, A = mercer.read_fasta({})\n_, B = mercer.read_fasta({})\n",
            text(&a.file),
            text(&b.file)
        ));
        return lines;
    }
    let names = chosen(choice, a);
    match groups {
        None => {
            lines.push_str(&frame("a", a));
            lines.push_str(&frame("b", b));
        }
        Some((by, one, other)) => {
            lines.push_str(&frame("data", a));
            lines.push_str(&format!("# or the files {} and {}\n", group_file(by, one), group_file(by, other)));
            let by = text(by);
            lines.push_str(&format!(
                "of = data[{by}].astype(str)\na, b = data[of == {}], data[of == {}]\n",
                text(one),
                text(other)
            ));
        }
    }
    lines.push_str(&format!("X = pd.concat([a, b], keys=[0, 1])[{}]\n", list(&names)));
    lines.push_str(&prepared(choice, "X", a, &names));
    lines.push_str("A, B = X.loc[0], X.loc[1]\n");
    lines
}
