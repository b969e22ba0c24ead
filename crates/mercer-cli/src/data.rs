//! From DATA arguments to points: reading, choice of columns, encoding.

use std::collections::HashSet;
use std::path::Path;

use mercer::io::{self, ReadOptions, RowLayout};
use mercer::model::{Features, Inputs, Model, TablePoints};
use mercer::points::{Column, ColumnData, Csr, Encoded, EncodedColumn, Encoding, FittedEncoding, PointKind, Table};
use mercer::{Error, Kernel, Sample};

use crate::arguments::DataOptions;
use crate::failure::Failure;
use crate::flags::advice_on_data;
use crate::numbers::{self, digits};
use crate::session::Session;

/// Reads a table from a file, or from standard input for `-`.
pub fn read_table(path: &Path, session: &Session) -> Result<Table, Failure> {
    read_rows(path, RowLayout::Dense, session)
}

/// The same with the rows of a LIBSVM file as they are requested.
pub fn read_rows(path: &Path, rows: RowLayout, session: &Session) -> Result<Table, Failure> {
    let options = ReadOptions { format: session.common.format, rows, ..ReadOptions::default() };
    if is_standard_input(path) {
        let input = std::io::stdin().lock();
        return Ok(io::read_table_from(input, "standard input", &options, &session.compute)?);
    }
    Ok(io::read_table(path, &options, &session.compute)?)
}

/// The rows of a LIBSVM file by their size, unless words name columns, or rules for them: sparse
/// vectors have no names, and nothing is subtracted from their zeros.
pub fn rows_by_size(has_rules: bool, kernel: Option<&Kernel>) -> RowLayout {
    let dense = kernel.is_some_and(|kernel| kernel.is_precomputed() || !kernel.named_columns().is_empty());
    if has_rules || dense { RowLayout::Dense } else { RowLayout::BySize }
}

/// The rows of a LIBSVM file as a model takes them.
pub fn rows_for(model: &Model) -> RowLayout {
    let sparse = |view: usize| {
        let unnamed = matches!(model.views()[view].features, Features::Vectors { names: None, .. });
        unnamed && model.fitted().point_kind(view) == PointKind::Sparse
    };
    if (0..model.views().len()).any(sparse) { RowLayout::Sparse } else { RowLayout::Dense }
}

/// Two LIBSVM files that are compared: sparse if one of them is, with the columns of the wider one.
pub fn alike((a, b): (Table, Table)) -> Result<(Table, Table), Failure> {
    let sparse = |table: &Table| table.columns().iter().find_map(sparse_rows).map(Csr::width);
    if sparse(&a).or(sparse(&b)).is_none() {
        return Ok((a, b));
    }
    let [a, b] = [a, b].map(with_sparse_rows);
    let (a, b) = (a?, b?);
    let width = sparse(&a).max(sparse(&b)).unwrap_or(0);
    let widened = |table: Table| -> Result<Table, Failure> {
        let label = table.label();
        let wide = |column: Column| match sparse_rows(&column) {
            Some(rows) => Ok(Column::objects(column.name.clone(), rows.with_width(width)?)),
            None => Ok(column),
        };
        let columns = table.into_columns().into_iter().map(wide).collect::<mercer::Result<Vec<_>>>()?;
        let wide = Table::from_columns(columns)?;
        Ok(if let Some(label) = label { wide.with_label(label)? } else { wide })
    };
    Ok((widened(a)?, widened(b)?))
}

fn sparse_rows(column: &Column) -> Option<&Csr> {
    if let ColumnData::Objects(Sample::Sparse(rows)) = &column.data { Some(rows) } else { None }
}

/// The columns of numbers of a labeled table as one column of sparse vectors.
fn with_sparse_rows(table: Table) -> Result<Table, Failure> {
    let Some(label) = table.label().filter(|_| !table.columns().iter().any(|c| sparse_rows(c).is_some())) else {
        return Ok(table);
    };
    let target = table.columns()[label].clone();
    let encoded = Encoding::default().fit(&table.clone().features())?.apply(&table.features())?;
    let rows = Csr::from_dense(encoded.matrix.view())?;
    Ok(Table::from_columns(vec![target, Column::objects("x", rows)])?.with_label(0)?)
}

/// What stands for the columns of sparse vectors in reports.
pub fn sparse_text(rows: &Csr) -> String {
    let mean = rows.stored() as f64 / rows.len().max(1) as f64;
    format!(
        "sparse vectors with {} of {} columns not 0 on average",
        digits(mean, 3),
        numbers::grouped(rows.width() as u64)
    )
}

/// Whether the word stands for standard input.
pub fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A table with the columns of another beside it, where there is one.
pub fn with_labels(table: Table, labels: Option<&Path>, session: &Session) -> Result<Table, Failure> {
    let Some(path) = labels else { return Ok(table) };
    let more = io::read_table(path, &ReadOptions::default(), &session.compute)?;
    table.joined(&more, "id").map_err(|e| Failure::request(format!("--labels {}: {e}", shown(path))))
}

/// A long table with a row per bag: of all columns but those that are named, the columns requested or
/// all; none of the named ones needs to be there.
pub fn grouped(table: Table, bag: Option<&str>, columns: &[String], constant: &[&str]) -> Result<Table, Failure> {
    let Some(bag) = bag else { return Ok(table) };
    let refused = |e: Error| Failure::request(format!("--bag: {e}"));
    let by = table.column(bag).map_err(refused)?.name.clone();
    let constant: Vec<String> =
        constant.iter().filter_map(|name| Some(table.column(*name).ok()?.name.clone())).collect();
    let is_member = |name: &&str| *name != by && !constant.iter().any(|own| own == name);
    let members: Vec<String> = match columns.is_empty() {
        true => without_label(table.clone())?.names().filter(is_member).map(str::to_owned).collect(),
        false => choose(table.clone(), columns)?.names().filter(is_member).map(str::to_owned).collect(),
    };
    if members.is_empty() {
        return Err(Failure::request(format!("--bag: beside `{by}` no column is left for the points of the bags")));
    }
    table.grouped(&by, &members, &constant).map_err(refused)
}

/// The columns that a kernel names.
pub fn named_by(kernel: Option<&Kernel>) -> Vec<&str> {
    kernel.map_or_else(Vec::new, |k| k.named_columns().into_iter().flat_map(|(names, _)| names).collect())
}

/// A kernel with names of columns replaced by their numbers, where its points are vectors; rows of a
/// table keep their names.
pub fn with_names(kernel: &Kernel, kind: PointKind, names: &[String]) -> mercer::Result<Kernel> {
    if kind == PointKind::Vectors { kernel.with_column_names(names) } else { Ok(kernel.clone()) }
}

/// A table as points of a kernel, with the rules that made them.
pub struct EncodedData {
    /// The points.
    pub sample: Sample,
    /// The names of their coordinates.
    pub names: Vec<String>,
    /// How many rows were dropped, and how many missing values filled.
    pub changes: (usize, usize),
    /// What the points are.
    pub kind: PointKind,
    /// What a model of the points will expect of new tables.
    pub inputs: Inputs,
    encoding: FittedEncoding,
}

impl EncodedData {
    /// Reads the file and turns its chosen columns into points of the kernel.
    pub fn read(path: &Path, kernel: &Kernel, options: &DataOptions, session: &Session) -> Result<Self, Failure> {
        let rows = rows_by_size(options.has_rules(), Some(kernel));
        Self::read_as(rows, path, kernel, options, session)
    }

    /// The same with the rows of a LIBSVM file as they are requested.
    pub fn read_as(
        rows: RowLayout,
        path: &Path,
        kernel: &Kernel,
        options: &DataOptions,
        session: &Session,
    ) -> Result<Self, Failure> {
        let (table, mut unused) = Self::table(rows, path, kernel, options, session)?;
        if table.rows() == 0 {
            return Err(Failure::request(format!("{}: there is no row of data", shown(path))));
        }
        let rules = Encoding {
            missing: options.missing.map(Into::into).unwrap_or_default(),
            scaling: options.scale.map(Into::into).unwrap_or_default(),
        };
        let points = TablePoints::new(&table, rules, Some(kernel)).map_err(|e| named(e, path))?;
        let features = points.features();
        let TablePoints { encoding, encoded, kind, unused: more } = points;
        if encoded.kept_rows.is_empty() {
            return Err(Failure::request(format!("{}: --missing drop leaves no row", shown(path))));
        }
        unused.extend(more);
        Self::of(encoding, encoded, kind, Inputs { features, targets: Vec::new(), unused })
    }

    fn of(encoding: FittedEncoding, encoded: Encoded, kind: PointKind, inputs: Inputs) -> Result<Self, Failure> {
        let (names, changes) = (encoded.names.clone(), (encoded.dropped, encoded.filled));
        Ok(Self { sample: encoded.into_sample(kind)?, names, changes, kind, inputs, encoding })
    }

    /// The columns that are taken, and the names of the others.
    fn table(
        rows: RowLayout,
        path: &Path,
        kernel: &Kernel,
        options: &DataOptions,
        session: &Session,
    ) -> Result<(Table, Vec<String>), Failure> {
        let table = with_labels(read_rows(path, rows, session)?, options.objects.labels.as_deref(), session)?;
        let all: Vec<String> = table.names().map(str::to_owned).collect();
        let taken = match &options.objects.bag {
            Some(bag) => grouped(table, Some(bag), &options.columns, &named_by(Some(kernel)))?,
            None => choose_features(table, &options.columns)?,
        };
        let known: HashSet<&str> = taken.names().collect();
        let others = all.into_iter().filter(|name| !known.contains(name.as_str())).collect();
        Ok((taken, others))
    }

    /// Another file with the same columns, encoded by the rules of this one.
    pub fn read_alike(
        &self,
        path: &Path,
        kernel: &Kernel,
        options: &DataOptions,
        session: &Session,
    ) -> Result<Self, Failure> {
        let rows = if self.kind == PointKind::Sparse { RowLayout::Sparse } else { RowLayout::Dense };
        let (table, _) = Self::table(rows, path, kernel, options, session)?;
        let names = self.encoding.columns().iter().map(EncodedColumn::name);
        let table = if options.columns.is_empty() && self.kind == PointKind::Vectors {
            table.features()
        } else {
            table.select(names).map_err(|e| Failure::request(format!("{}: {e}", shown(path))))?
        };
        let encoded = self.encoding.apply(&table).map_err(|e| named(e, path))?;
        Self::of(self.encoding.clone(), encoded, self.kind, self.inputs.clone())
    }

    /// Gives sparse vectors of two files the columns of the wider one.
    pub fn align(&mut self, other: &mut Self) -> Result<(), Failure> {
        if let (Sample::Sparse(x), Sample::Sparse(y)) = (&mut self.sample, &mut other.sample) {
            let width = x.width().max(y.width());
            (*x, *y) = (x.with_width(width)?, y.with_width(width)?);
        }
        Ok(())
    }
}

/// The columns requested, or all but the label that the format has (LIBSVM): the label is a feature
/// only if requested.
pub fn choose_features(table: Table, columns: &[String]) -> Result<Table, Failure> {
    without_label(choose(table, columns)?)
}

/// The features of a table, of which there must be some where there is a label.
pub fn without_label(table: Table) -> Result<Table, Failure> {
    let labeled = table.label().is_some();
    let features = table.features();
    if labeled && features.columns().is_empty() {
        return Err(Failure::request("there is no feature: the file holds only its label"));
    }
    Ok(features)
}

/// The columns requested, or all.
pub fn choose(table: Table, columns: &[String]) -> Result<Table, Failure> {
    if columns.is_empty() {
        return Ok(table);
    }
    let names: Vec<String> = columns.iter().flat_map(|c| expand(&table, c.trim())).collect();
    table.select(&names).map_err(|e| Failure::request(format!("--columns: {e}")))
}

/// `2-5` stands for the columns 2, 3, 4, 5, unless a column bears that name.
pub fn expand(table: &Table, text: &str) -> Vec<String> {
    let range = text.split_once('-').and_then(|(a, b)| Some((a.parse::<usize>().ok()?, b.parse::<usize>().ok()?)));
    match range {
        Some((first, last)) if first <= last && last < table.columns().len() && table.names().all(|n| n != text) => {
            (first..=last).map(|j| j.to_string()).collect()
        }
        _ => vec![text.to_string()],
    }
}

/// The first names of a list that may be very long.
pub fn few(names: &[&str]) -> String {
    const SHOWN: usize = 12;
    let rest = names.len().saturating_sub(SHOWN);
    let more = if rest > 0 { format!(", … {rest} more") } else { String::new() };
    format!("{}{more}", names[..names.len() - rest].join(", "))
}

/// A file as messages name it.
pub fn shown(path: &Path) -> String {
    if is_standard_input(path) { "standard input".into() } else { path.display().to_string() }
}

/// The error with the name of the file, and the flag that helps against missing values.
pub fn named(error: Error, path: &Path) -> Failure {
    match error {
        Error::Value { row, column, value, requirement, .. } => {
            Failure::advised(Error::Value { what: shown(path), row, column, value, requirement }, advice_on_data)
        }
        other => other.into(),
    }
}
