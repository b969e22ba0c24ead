//! Two tables with the same columns as one.

use std::collections::HashSet;
use std::path::Path;

use mercer::Sample;
use mercer::points::{Column, ColumnData, Table};

use crate::data::shown;
use crate::failure::Failure;

/// The rows of the first table, then those of the second, whose columns are matched by name.
pub fn pool(first: &Table, second: &Table, paths: (&Path, &Path)) -> Result<Table, Failure> {
    check_names(first, second, paths)?;
    // In the order of the first; both have the same names.
    let second = second.select(first.names())?;
    let pairs = first.columns().iter().zip(second.columns());
    Ok(Table::from_columns(pairs.map(|(a, b)| joined(a, b, paths)).collect::<Result<_, _>>()?)?)
}

fn check_names(first: &Table, second: &Table, paths: (&Path, &Path)) -> Result<(), Failure> {
    let names = |table: &Table| table.names().map(str::to_owned).collect::<Vec<_>>();
    check_lists(&names(first), &names(second), paths)
}

/// Refuses names that only one of two files has.
pub fn check_lists(first: &[String], second: &[String], paths: (&Path, &Path)) -> Result<(), Failure> {
    let missing = |of: &[String], from: &[String]| {
        let known: HashSet<&str> = from.iter().map(String::as_str).collect();
        of.iter().filter(|name| !known.contains(name.as_str())).cloned().collect::<Vec<_>>()
    };
    for (absent, has, lacks) in [(missing(first, second), paths.0, paths.1), (missing(second, first), paths.1, paths.0)]
    {
        if !absent.is_empty() {
            return Err(Failure::request(format!(
                "{} has the columns {} that {} does not have ({} and {} columns): choose the columns of both with --columns",
                shown(has),
                absent.join(", "),
                shown(lacks),
                first.len(),
                second.len(),
            )));
        }
    }
    Ok(())
}

/// One column after the other.
fn joined(a: &Column, b: &Column, paths: (&Path, &Path)) -> Result<Column, Failure> {
    match (&a.data, &b.data) {
        (ColumnData::Numbers(x), ColumnData::Numbers(y)) => Ok(Column::numbers(&a.name, [x.as_slice(), y].concat())),
        (ColumnData::Categories { .. }, ColumnData::Categories { .. }) => {
            let texts = texts(&a.data).into_iter().chain(texts(&b.data));
            Ok(Column::categories(&a.name, texts))
        }
        (ColumnData::Objects(x), ColumnData::Objects(y)) => {
            Ok(Column::objects(&a.name, Sample::pooled(x.as_points(), y.as_points())?))
        }
        (ColumnData::Groups { rows: x, ends }, ColumnData::Groups { rows: y, ends: more }) => {
            let rows = Box::new(pool(x, y, paths)?);
            let ends = ends.iter().copied().chain(more.iter().map(|end| end + x.rows())).collect();
            Ok(Column { name: a.name.clone(), data: ColumnData::Groups { rows, ends } })
        }
        _ => Err(Failure::request(format!(
            "{}: the column {} has another kind of values than in the first file (numbers or categories)",
            shown(paths.1),
            a.name
        ))),
    }
}

fn texts(data: &ColumnData) -> Vec<Option<&str>> {
    let ColumnData::Categories { codes, levels } = data else { return Vec::new() };
    codes.iter().map(|code| code.map(|c| levels[c as usize].as_str())).collect()
}
