use super::super::{Column, Table};
use super::*;
use ndarray::array;

fn mixed() -> Table {
    Table::from_columns(vec![
        Column::numbers("x", vec![1.0, f64::NAN, 5.0, 3.0]),
        Column::categories("c", [Some("b"), Some("a"), None, Some("b")]),
        Column::numbers("k", vec![7.0; 4]),
    ])
    .unwrap()
}

fn encode(missing: Missing, scaling: Scaling) -> Result<Encoded> {
    Encoding { missing, scaling }.fit(&mixed())?.apply(&mixed())
}

fn assert_close(found: &Array2<f64>, expected: &Array2<f64>) {
    assert_eq!(found.dim(), expected.dim());
    for (f, e) in found.iter().zip(expected) {
        assert_close!(*f, *e, abs = 1e-14 * e.abs().max(1.0), "{found} is not {expected}");
    }
}

#[test]
fn missing_values_are_refused_with_row_and_column() {
    let message = encode(Missing::Refuse, Scaling::None).unwrap_err().to_string();
    assert!(message.starts_with("table: row 1, column x holds no value"), "{message}");
    let fitted = Encoding::default().fit(&mixed().select_rows(&[0, 3]).unwrap()).unwrap();
    assert!(matches!(fitted.apply(&mixed()), Err(Error::Value { row: 1, .. })));
}

#[test]
fn rows_are_dropped_and_counted() {
    let found = encode(Missing::DropRows, Scaling::UnitInterval).unwrap();
    assert_eq!((found.dropped, found.filled, found.kept_rows), (2, 0, vec![0, 3]));
    assert_eq!(found.names, ["x", "c=a", "c=b", "k"]);
    assert_close(&found.matrix, &array![[0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 1.0, 0.0]]);
}

#[test]
fn means_and_zeros_are_filled_and_counted() {
    let mean = encode(Missing::Mean, Scaling::None).unwrap();
    assert_eq!((mean.dropped, mean.filled), (0, 2));
    let body = [[1.0, 0.0, 1.0, 7.0], [3.0, 1.0, 0.0, 7.0], [5.0, 0.0, 0.0, 7.0], [3.0, 0.0, 1.0, 7.0]];
    assert_close(&mean.matrix, &Array2::from(body.to_vec()));
    let zero = encode(Missing::Zero, Scaling::None).unwrap();
    assert_eq!((zero.matrix[[1, 0]], zero.filled), (0.0, 2));
}

#[test]
fn scaling_is_learned_once_and_applied_to_new_tables() {
    let train = Table::from_columns(vec![Column::numbers("x", vec![0.0, 4.0])]).unwrap();
    let test = Table::from_columns(vec![Column::numbers("x", vec![8.0])]).unwrap();
    for (scaling, expected) in [(Scaling::None, 8.0), (Scaling::Standardize, 3.0), (Scaling::UnitInterval, 2.0)] {
        let fitted = Encoding { scaling, ..Encoding::default() }.fit(&train).unwrap();
        assert_close(&fitted.apply(&test).unwrap().matrix, &array![[expected]]);
    }
}

#[test]
fn constant_columns_are_kept_and_listed() {
    let fitted = Encoding { missing: Missing::Zero, ..Encoding::default() }.fit(&mixed()).unwrap();
    assert_eq!(fitted.constant(), ["k"]);
    assert_eq!(fitted.dimension(), 4);
}

#[test]
fn new_tables_are_matched_by_name() {
    let train = mixed().select_rows(&[0, 3]).unwrap();
    let fitted = Encoding::default().fit(&train).unwrap();
    let shuffled = train.select(["k", "c", "x"]).unwrap();
    assert_eq!(fitted.apply(&shuffled).unwrap(), fitted.apply(&train).unwrap());
    let message = fitted.apply(&train.drop_columns(["x"]).unwrap()).unwrap_err().to_string();
    assert!(message.contains("no column `x`"), "{message}");
    let mut columns = train.clone().into_columns();
    columns.push(Column::numbers("extra", vec![0.0, 0.0]));
    let message = fitted.apply(&Table::from_columns(columns).unwrap()).unwrap_err().to_string();
    assert_eq!(message, "column `extra` was not in the fitted table, which had: x, c, k");
}

#[test]
fn unseen_levels_and_changed_kinds_are_refused() {
    let train = Table::from_columns(vec![Column::categories("c", [Some("1"), Some("x")])]).unwrap();
    let fitted = Encoding::default().fit(&train).unwrap();
    let apply = |column| fitted.apply(&Table::from_columns(vec![column]).unwrap());
    let message = apply(Column::categories("c", [Some("x"), Some("y")])).unwrap_err().to_string();
    assert_eq!(message, "table: row 1, column c holds `y`: the fitted table had only the levels 1, x");
    assert_eq!(apply(Column::numbers("c", vec![1.0])).unwrap().matrix, array![[1.0, 0.0]]);
    assert!(apply(Column::numbers("c", vec![2.0])).is_err());
    let numbers = Encoding::default().fit(&Table::from_columns(vec![Column::numbers("c", vec![1.0])]).unwrap());
    let message = numbers.unwrap().apply(&train).unwrap_err().to_string();
    assert_eq!(message, "table: row 1, column c holds `x`: the fitted table had numbers in this column");
}

#[test]
fn infinite_values_are_refused() {
    let table = Table::from_columns(vec![Column::numbers("x", vec![0.0, f64::INFINITY])]).unwrap();
    assert!(matches!(Encoding::default().fit(&table), Err(Error::Value { row: 1, .. })));
    let fitted = Encoding::default().fit(&table.select_rows(&[0]).unwrap()).unwrap();
    assert!(matches!(fitted.apply(&table), Err(Error::Value { row: 1, .. })));
}

#[test]
fn no_rows_and_one_row() {
    let none = mixed().select_rows(&[]).unwrap();
    let fitted = Encoding::default().fit(&none).unwrap();
    assert_eq!(fitted.apply(&none).unwrap().matrix.dim(), (0, 4));
    let standardize = Encoding { scaling: Scaling::Standardize, ..Encoding::default() };
    assert!(matches!(standardize.fit(&none), Err(Error::TooFew { .. })));
    let one = mixed().select_rows(&[0]).unwrap();
    assert_eq!(standardize.fit(&one).unwrap().apply(&one).unwrap().matrix, array![[0.0, 0.0, 1.0, 0.0]]);
}

#[test]
fn a_fitted_encoding_survives_taking_apart() {
    let fitted = Encoding { missing: Missing::Mean, scaling: Scaling::Standardize }.fit(&mixed()).unwrap();
    let again = FittedEncoding::from_parts(fitted.rules(), fitted.columns().to_vec()).unwrap();
    assert_eq!(again, fitted);
    let damaged =
        EncodedColumn::Number { name: "x".into(), fill: 0.0, map: Affine { shift: 0.0, scale: 0.0 }, constant: false };
    assert!(FittedEncoding::from_parts(fitted.rules(), vec![damaged]).is_err());
}
