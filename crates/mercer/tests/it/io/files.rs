//! Real files and files written by other programs, read through the public door.

use std::path::{Path, PathBuf};

use mercer::io::{self, Format, ReadOptions};
use mercer::points::{Column, ColumnData, ColumnKind, Encoding, Missing, Scaling, Table};
use mercer::{Compute, Error};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn read(name: &str) -> Table {
    io::read_table(&fixture(name), &ReadOptions::default(), &Compute::new()).unwrap()
}

fn numbers(table: &Table, column: &str) -> Vec<f64> {
    match &table.column(column).unwrap().data {
        ColumnData::Numbers(values) => values.clone(),
        other => panic!("{column} holds {other:?}"),
    }
}

fn texts(table: &Table, column: &str) -> Vec<Option<String>> {
    match &table.column(column).unwrap().data {
        ColumnData::Categories { codes, levels } => {
            codes.iter().map(|code| code.map(|c| levels[c as usize].clone())).collect()
        }
        other => panic!("{column} holds {other:?}"),
    }
}

/// Equal values, missing ones in the same places.
fn assert_same(found: &[f64], expected: &[f64]) {
    let bits = |v: &[f64]| v.iter().map(|x| if x.is_nan() { None } else { Some(x.to_bits()) }).collect::<Vec<_>>();
    assert_eq!(bits(found), bits(expected));
}

#[test]
fn iris_has_its_known_statistics() {
    let iris = read("iris.csv");
    assert_eq!((iris.rows(), iris.columns().len()), (150, 5));
    let summary = iris.summary();
    let sepal = summary[0].numbers.unwrap();
    assert_eq!((sepal.min, sepal.max), (4.3, 7.9));
    assert_close!(sepal.mean, 5.843333333333334, 1e-14);
    assert_close!(sepal.sd, 0.828066127977863, 1e-12);
    assert_eq!((summary[4].distinct, summary[4].missing), (3, 0));
}

#[test]
fn heart_is_read_from_compressed_libsvm() {
    let heart = read("heart_scale.libsvm.gz");
    assert_eq!((heart.rows(), heart.columns().len()), (270, 14));
    let labels = numbers(&heart, "target");
    assert_eq!(labels.iter().filter(|l| **l == 1.0).count(), 120);
    assert_eq!(numbers(&heart, "x4")[0], -0.320755);
    assert_eq!(numbers(&heart, "x11")[0], 0.0, "an index that is not there is 0");
    let nonzero: usize = (1..14).map(|c| numbers(&heart, &format!("x{c}")).iter().filter(|v| **v != 0.0).count()).sum();
    assert_eq!(nonzero, 3378);
}

#[test]
fn weather_has_missing_values_and_categories() {
    let weather = read("weather.csv");
    assert_eq!(weather.names().collect::<Vec<_>>(), ["station", "day", "temperature", "wind", "sky"]);
    assert_same(&numbers(&weather, "wind"), &[3.0, 4.5, f64::NAN, 2.0, f64::NAN, f64::NAN]);
    assert_eq!(texts(&weather, "sky")[4], None);
    let summary = weather.summary();
    assert_eq!((summary[3].missing, summary[3].kind), (3, ColumnKind::Numbers));
    assert_eq!(summary[4].levels[0], ("clear".into(), 2));
    let error = Encoding::default().fit(&weather).unwrap_err();
    assert!(matches!(error, Error::Value { row: 1, ref column, .. } if column == "temperature"), "{error}");
    let rules = Encoding { missing: Missing::DropRows, scaling: Scaling::Standardize };
    let encoded = rules.fit(&weather).unwrap().apply(&weather).unwrap();
    assert_eq!((encoded.kept_rows, encoded.dropped), (vec![0, 3], 4));
    assert_eq!(encoded.matrix.ncols(), 2 + 1 + 1 + 1 + 3);
}

#[test]
fn pandas_parquet_is_read_type_by_type() {
    let table = read("pandas.parquet");
    let nan = f64::NAN;
    assert_eq!(table.rows(), 4);
    assert_same(&numbers(&table, "flag"), &[1.0, 0.0, nan, 1.0]);
    assert_same(&numbers(&table, "small"), &[-1.0, 0.0, 1.0, 127.0]);
    assert_same(&numbers(&table, "unsigned"), &[0.0, 1.0, 2.0, 4294967295.0]);
    assert_same(&numbers(&table, "big"), &[1.0, nan, -3.0, 1099511627776.0]);
    assert_same(&numbers(&table, "single"), &[0.5, nan, -2.25, f64::from(1e30_f32)]);
    assert_same(&numbers(&table, "double"), &[0.1, 0.2, nan, -1e-300]);
    assert_same(&numbers(&table, "empty"), &[nan; 4]);
    let expected = ["red", "", "blue", "été"].map(|t| (!t.is_empty()).then(|| t.to_owned()));
    assert_eq!(texts(&table, "word"), expected);
    assert_eq!(texts(&table, "kind"), [Some("b".into()), Some("a".into()), None, Some("b".into())]);
}

#[test]
fn row_groups_follow_each_other_also_from_a_stream() {
    let table = read("groups.parquet");
    let expected: Vec<f64> = (0..50).map(|i| f64::from(i * i) / 7.0).collect();
    assert_same(&numbers(&table, "x"), &expected);
    assert_eq!(texts(&table, "level")[..3], [None, Some("b".into()), Some("c".into())]);
    let bytes = std::fs::read(fixture("groups.parquet")).unwrap();
    let again = io::read_table_from(&bytes[..], "-", &ReadOptions::default(), &Compute::new()).unwrap();
    assert_eq!(again, table);
}

#[test]
fn nested_columns_are_refused_by_name() {
    let error = io::read_table(&fixture("nested.parquet"), &ReadOptions::default(), &Compute::new()).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("nested.parquet: column `points.list.element` is nested"), "{message}");
}

#[test]
fn numpy_files_are_read() {
    let matrix = io::read_npy(&fixture("fortran_f4.npy"), &Compute::new()).unwrap();
    assert_eq!(matrix, ndarray::array![[1.5, 2.5, 3.5], [-1.0, 0.0, 1e10]]);
    assert_same(&numbers(&read("vector_i8.npy"), "x0"), &[-2.0, -1.0, 0.0, 1.0, 2.0]);
}

fn awkward() -> Table {
    Table::from_columns(vec![
        Column::numbers("plain", vec![0.1, -0.0, 5e-324, f64::MAX]),
        Column::numbers("with, comma", vec![f64::NAN, 1e16, f64::INFINITY, -1.0 / 3.0]),
        Column::categories("text \"quoted\"", [Some("a,b"), Some("line\nbreak"), None, Some("say \"hi\"")]),
    ])
    .unwrap()
}

fn assert_same_table(found: &Table, expected: &Table) {
    assert_eq!(found.names().collect::<Vec<_>>(), expected.names().collect::<Vec<_>>());
    for (f, e) in found.columns().iter().zip(expected.columns()) {
        match (&f.data, &e.data) {
            (ColumnData::Numbers(f), ColumnData::Numbers(e)) => assert_same(f, e),
            (f, e) => assert_eq!(f, e),
        }
    }
}

#[test]
fn csv_and_parquet_round_trips_are_exact() {
    let folder = tempfile::tempdir().unwrap();
    let options = ReadOptions::default();
    for rows in [&[][..], &[1], &[0, 1, 2, 3]] {
        let table = awkward().select_rows(rows).unwrap();
        let path = folder.path().join("t.parquet");
        io::write_parquet(&path, &table).unwrap();
        let back = io::read_table(&path, &options, &Compute::new()).unwrap();
        assert_eq!(back.rows(), rows.len());
        if rows.len() == 4 {
            assert_same_table(&back, &table);
            let path = folder.path().join("t.csv");
            io::write_table_csv(&path, &table).unwrap();
            assert_same_table(&io::read_table(&path, &options, &Compute::new()).unwrap(), &table);
        }
    }
}

#[test]
fn a_single_column_with_missing_values_survives_csv() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let table = Table::from_columns(vec![Column::numbers("x", vec![1.0, f64::NAN, 3.0])]).unwrap();
    io::write_table_csv(&path, &table).unwrap();
    assert_same_table(&io::read_table(&path, &ReadOptions::default(), &Compute::new()).unwrap(), &table);
}

#[test]
fn libsvm_round_trip_keeps_the_dimension() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.svm");
    let columns = [("x1", vec![0.5, 0.0]), ("target", vec![1.0, -1.0]), ("x2", vec![0.0, 0.0])];
    let table = Table::from_columns(columns.map(|(n, v)| Column::numbers(n, v)).to_vec()).unwrap();
    io::write_libsvm(&path, &table, "target").unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "1 1:0.5 2:0\n-1\n");
    let back = io::read_table(&path, &ReadOptions::default(), &Compute::new()).unwrap();
    assert_same_table(&back, &table.select(["target", "x1", "x2"]).unwrap());
    assert!(matches!(io::write_libsvm(&path, &awkward(), "plain"), Err(Error::Value { row: 0, .. })));
    assert!(matches!(io::write_libsvm(&path, &awkward(), 2), Err(Error::Value { .. } | Error::Column { .. })));
}

#[test]
fn a_table_over_the_memory_limit_is_refused() {
    let compute = Compute::new().with_memory(2000);
    for name in ["iris.csv", "heart_scale.libsvm.gz"] {
        let error = io::read_table(&fixture(name), &ReadOptions::default(), &compute).unwrap_err();
        assert!(matches!(error, Error::Memory { limit: 2000, .. }), "{error}");
    }
    let wide = "1 4294967295:1\n".repeat(100);
    let options = ReadOptions { format: Some(Format::Libsvm), ..ReadOptions::default() };
    let compute = Compute::new().with_memory(1 << 30);
    assert!(matches!(io::read_table_from(wide.as_bytes(), "-", &options, &compute), Err(Error::Memory { .. })));
}

#[test]
fn files_that_are_not_there_are_named() {
    let options = ReadOptions::default();
    let error = io::read_table(Path::new("no/such.csv"), &options, &Compute::new()).unwrap_err();
    assert!(matches!(error, Error::File { .. }) && error.to_string().starts_with("no/such.csv: "), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("a.csv");
    std::fs::create_dir(&inside).unwrap();
    assert!(matches!(io::read_table(&inside, &options, &Compute::new()), Err(Error::File { .. })));
}
