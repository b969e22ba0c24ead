//! `mercer embed features`: the sparse features of a kernel that counts parts of objects.

use std::io::Write;
use std::path::Path;

use mercer::Kernel;
use mercer::gram::{Pairs, SparseRows};
use mercer::io::{Format, atomic_write, format_number};
use serde_json::json;

use crate::arguments::FeaturesArguments;
use crate::data::{self, EncodedData};
use crate::failure::Failure;
use crate::numbers::{digits, grouped};
use crate::report::Report;
use crate::session::Session;

/// Nonzero features that are part of the JSON object. Some 2 MB of text.
const IN_JSON: usize = 50_000;

/// Computes, writes and reports the features.
pub fn embed(words: &FeaturesArguments, session: &Session) -> Result<Report, Failure> {
    let kernel: Kernel = words.kernel.parse()?;
    words.output.as_deref().map(layout).transpose()?;
    let data = EncodedData::read(&words.data, &kernel, &words.options, session)?;
    let kernel = data::with_names(&kernel, data.kind, &data.names)?;
    let bound = kernel.bind(Pairs::Within(data.sample.as_points()), &session.compute)?;
    let Some((rows, _)) = bound.features() else {
        return Err(Failure::request(format!(
            "--kernel: {kernel} has no explicit features; spectrum, mismatch, words, vertex_histogram, weisfeiler_lehman and \
             shortest_path have some"
        )));
    };
    if let Some(path) = &words.output {
        write(path, rows)?;
    }
    Ok(report(words, bound.kernel(), rows))
}

fn report(words: &FeaturesArguments, kernel: &Kernel, rows: &SparseRows) -> Report {
    let (count, values) = (rows.starts.len() - 1, rows.values.len());
    let share = 100.0 * values as f64 / (count as f64 * rows.width as f64).max(1.0);
    let mut report = Report::new(format!("Features of {kernel}"));
    let mut fields = vec![
        ("kernel", kernel.to_string()),
        ("shape", format!("{} × {}", grouped(count as u64), grouped(rows.width as u64))),
        ("not 0", format!("{} ({} %)", grouped(values as u64), digits(share, 3))),
    ];
    fields.extend(words.output.as_ref().map(|path| ("written to", path.display().to_string())));
    report.heading("Explicit features").fields(fields);
    report.json = json!({
        "command": "embed features",
        "kernel": kernel.to_string(),
        "rows": count,
        "components": rows.width,
        "nonzero": values,
        "output": words.output.as_ref().map(|path| path.display().to_string()),
    });
    if words.output.is_none() && values <= IN_JSON {
        report.json["starts"] = json!(rows.starts);
        report.json["columns"] = json!(rows.columns);
        report.json["values"] = json!(rows.values);
    }
    report
}

/// By file extension.
fn layout(path: &Path) -> Result<Format, Failure> {
    match Format::from_path(path) {
        Ok(format @ (Format::Csv | Format::Libsvm)) => Ok(format),
        _ => Err(Failure::request(format!("--output {}: the name must end in .csv or .libsvm", path.display()))),
    }
}

fn write(path: &Path, rows: &SparseRows) -> Result<(), Failure> {
    let table = layout(path)? == Format::Csv;
    Ok(atomic_write(path, |out| if table { write_csv(out, rows) } else { write_libsvm(out, rows) })?)
}

fn write_csv(out: &mut (dyn Write + Send), rows: &SparseRows) -> std::io::Result<()> {
    writeln!(out, "row,feature,value")?;
    for (row, ends) in rows.starts.windows(2).enumerate() {
        for at in ends[0]..ends[1] {
            writeln!(out, "{row},{},{}", rows.columns[at], format_number(rows.values[at]))?;
        }
    }
    Ok(())
}

/// Features are counted from 1, and there is no label: every line begins with 0.
fn write_libsvm(out: &mut (dyn Write + Send), rows: &SparseRows) -> std::io::Result<()> {
    for ends in rows.starts.windows(2) {
        out.write_all(b"0")?;
        for at in ends[0]..ends[1] {
            write!(out, " {}:{}", rows.columns[at] + 1, format_number(rows.values[at]))?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}
