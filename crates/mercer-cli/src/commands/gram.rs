//! `mercer kernel gram`: the Gram matrix of the rows of a file.

use std::path::PathBuf;

use mercer::gram::{Bound, Pairs, Tiles};
use mercer::kernel::Kernel;
use mercer::{Compute, Precision};
use serde_json::{Value, json};

use super::gram_order as order;
use crate::arguments::GramArguments;
use crate::data::{self, EncodedData};
use crate::failure::Failure;
use crate::matrix::{self, Digest, Requested};
use crate::numbers::{grouped, json as number, json_rows, short};
use crate::plot::{Figure, HeatMap};
use crate::report::{Block, Report, Table};
use crate::session::Session;

/// Rows and columns of a matrix that is printed. What a terminal of 80 columns shows.
const PRINTED: usize = 12;
/// Entries of a matrix that is part of the JSON object. Some 20 MB of text.
const IN_JSON: usize = 1_000_000;
/// Rows of a matrix whose eigenvalues are computed. About 9·2000³ = 7·10¹⁰ operations: seconds.
const FOR_EIGENVALUES: usize = 2000;

/// The points of a Gram matrix and the kernel on their columns.
pub struct Request {
    /// The kernel, its columns by number.
    pub kernel: Kernel,
    /// The points of the rows.
    pub rows: EncodedData,
    /// The points of the columns, if they are others.
    pub columns: Option<EncodedData>,
    /// Tiles in the precision requested.
    pub compute: Compute,
    /// The groups of the rows, by which the picture is ordered.
    pub groups: Option<Vec<String>>,
}

impl Request {
    /// From the words of the command line; reads the data.
    pub fn read(words: &GramArguments, session: &Session) -> Result<Self, Failure> {
        let kernel: Kernel = words.kernel.parse()?;
        words.output.as_deref().map(matrix::Layout::of).transpose()?;
        if words.against.as_deref().is_some_and(data::is_standard_input) && data::is_standard_input(&words.data) {
            return Err(Failure::request("--against: standard input can be read only once"));
        }
        let groups = order::groups(words, session)?;
        let mut options = words.options.clone();
        options.columns = groups.as_ref().map_or(options.columns, |groups| groups.inputs.clone());
        let mut first = EncodedData::read(&words.data, &kernel, &options, session)?;
        let alike = |path: &PathBuf| first.read_alike(path, &kernel, &words.options, session);
        let mut columns = words.against.as_ref().map(alike).transpose()?;
        columns.as_mut().map_or(Ok(()), |columns| first.align(columns))?;
        let precision = if words.single { Precision::SingleTiles } else { Precision::Double };
        Ok(Self {
            groups: groups.map(|groups| groups.of),
            kernel: data::with_names(&kernel, first.kind, &first.names)?,
            rows: first,
            columns,
            compute: session.compute.clone().with_precision(precision),
        })
    }

    /// The pairs of points; for a kernel of precomputed values the data is the matrix.
    pub fn pairs(&self) -> Result<Pairs<'_>, Failure> {
        let x = self.rows.sample.as_points();
        match &self.columns {
            Some(_) if self.kernel.is_precomputed() => {
                Err(Failure::request("--against: a precomputed matrix has its columns in DATA itself"))
            }
            Some(y) => Ok(Pairs::Between(x, y.sample.as_points())),
            None if self.kernel.is_precomputed() => Ok(Pairs::precomputed(x.vectors()?)),
            None => Ok(Pairs::Within(x)),
        }
    }
}

/// Computes, writes and reports the matrix.
pub fn gram(words: &GramArguments, session: &Session) -> Result<Report, Failure> {
    let request = Request::read(words, session)?;
    let bound = request.kernel.bind(request.pairs()?, &request.compute)?;
    let requested = requested(words, session, &bound);
    let mut digest = Digest::new(bound.shape(), requested);
    match &words.output {
        Some(path) => matrix::write(path, &bound, &request.compute, &mut digest)?,
        None => matrix::walk(&bound, &request.compute, &mut |rows, block| {
            digest.see(rows, block);
            Ok(())
        })?,
    }
    let lowest = if words.output.is_none() { lowest_eigenvalue(&digest, &bound, &session.compute)? } else { None };
    let mut report = summary(words, &request, &bound, &digest, lowest);
    if let (Some(_), true) = (&words.order, draws(session)) {
        report.figures = vec![order::draw(&request, bound.kernel())?];
    }
    Ok(report)
}

fn draws(session: &Session) -> bool {
    session.common.plot.is_some() || session.common.report.is_some()
}

fn requested(words: &GramArguments, session: &Session, bound: &Bound<'_>) -> Requested {
    let (n, m) = bound.shape();
    let entries = n.saturating_mul(m);
    let small = entries <= IN_JSON || (bound.symmetric() && n <= FOR_EIGENVALUES);
    let affordable = (entries as u64).saturating_mul(32) <= session.compute.memory();
    let heat = draws(session) && words.order.is_none();
    Requested { matrix: words.output.is_none() && small && affordable, heat }
}

fn lowest_eigenvalue(digest: &Digest, bound: &Bound<'_>, compute: &Compute) -> Result<Option<f64>, Failure> {
    match &digest.matrix {
        Some(matrix) if bound.symmetric() && matrix.nrows() <= FOR_EIGENVALUES => {
            Ok(mercer::solve::eigenvalues(matrix.view(), compute)?.first().copied())
        }
        _ => Ok(None),
    }
}

fn summary(
    words: &GramArguments,
    request: &Request,
    bound: &Bound<'_>,
    digest: &Digest,
    lowest: Option<f64>,
) -> Report {
    let kernel = bound.kernel().short();
    let (n, m) = digest.shape;
    let square = words.against.is_none() && n == m;
    let mut report = Report::new(format!("Gram matrix of {kernel}"));
    let mut fields = vec![
        ("kernel", kernel.clone()),
        ("shape", format!("{} × {}", grouped(n as u64), grouped(m as u64))),
        ("values", format!("{} to {}, mean {}", short(digest.min), short(digest.max), short(digest.mean()))),
    ];
    fields.extend(square.then(|| ("trace", short(digest.trace))));
    fields.extend(lowest.map(|v| ("min eigenvalue", short(v))));
    fields.extend(words.single.then(|| ("precision", single_precision(bound))));
    fields.extend(changes(request.rows.changes).map(|text| ("rows", text)));
    fields.extend(words.output.as_ref().map(|path| ("written to", path.display().to_string())));
    report.heading("Gram matrix").fields(fields);
    if let Some(table) = printed(words, digest) {
        report.push(Block::Table(table));
    }
    report.json = json_of(words, bound, digest, square, lowest);
    report.json["rows_dropped"] = request.rows.changes.0.into();
    report.json["cells_filled"] = request.rows.changes.1.into();
    report.figures.extend(digest.heat().map(|cells| {
        let (shape, bar, labels) = (digest.shape, "k(xᵢ, xⱼ)".into(), None);
        Figure::Heat(HeatMap { title: kernel, cells, shape, bar, labels, groups: Vec::new() })
    }));
    report
}

fn single_precision(bound: &Bound<'_>) -> String {
    bound.single_error().map_or("single".into(), |e| format!("single, every value within {}", short(e)))
}

fn changes(dropped_and_filled: (usize, usize)) -> Option<String> {
    match dropped_and_filled {
        (0, 0) => None,
        (dropped, 0) => Some(format!("{dropped} with missing values dropped")),
        (_, filled) => Some(format!("{filled} missing values filled")),
    }
}

/// A small matrix as a table with numbered rows and columns.
fn printed(words: &GramArguments, digest: &Digest) -> Option<Table> {
    let matrix = digest.matrix.as_ref().filter(|_| words.output.is_none())?;
    let (n, m) = matrix.dim();
    if n > PRINTED || m > PRINTED {
        return None;
    }
    let head: Vec<String> = [String::new()].into_iter().chain((0..m).map(|j| j.to_string())).collect();
    let names: Vec<&str> = head.iter().map(String::as_str).collect();
    let mut table = Table::new(&names, &(0..=m).collect::<Vec<_>>());
    for (i, row) in matrix.rows().into_iter().enumerate() {
        table.push([i.to_string()].into_iter().chain(row.iter().map(|&v| short(v))));
    }
    Some(table)
}

fn json_of(words: &GramArguments, bound: &Bound<'_>, digest: &Digest, square: bool, lowest: Option<f64>) -> Value {
    let (n, m) = digest.shape;
    let shown = digest.matrix.as_ref().filter(|k| words.output.is_none() && k.len() <= IN_JSON);
    json!({
        "kernel": bound.kernel().to_string(),
        "shape": [n, m],
        "symmetric": bound.symmetric(),
        "precision": if words.single { "single" } else { "double" },
        "single_error": words.single.then(|| bound.single_error()).flatten(),
        "min": number(digest.min),
        "max": number(digest.max),
        "mean": number(digest.mean()),
        "trace": if square { number(digest.trace) } else { Value::Null },
        "min_eigenvalue": lowest.map_or(Value::Null, number),
        "output": words.output.as_ref().map(|path| path.display().to_string()),
        "matrix": shown.map_or(Value::Null, |k| json_rows(k.view())),
    })
}
