//! Tables with columns of objects: what a kernel takes of them, and models that keep it.

use crate::common::models::{bits, round_trip};
use mercer::learn::Ridge;
use mercer::learn::svm::{Classes, Svc};
use mercer::model::{Features, Inputs, Model, TablePoints};
use mercer::points::{Bags, Column, ColumnData, Encoding, Missing, PointKind, Scaling, Strings, Table};
use mercer::{Compute, Error, Kernel, Sample};
use ndarray::{Array2, array};

fn reviews(rows: usize) -> Table {
    let texts: Vec<String> = (0..rows).map(|i| format!("{} book number {i}", ["good", "bad"][i % 2])).collect();
    let kinds = (0..rows).map(|i| Some(["novel", "essay", "novel"][i % 3]));
    Table::from_columns(vec![
        Column::categories("review", texts.iter().map(|text| Some(text.as_str()))),
        Column::numbers("price", (0..rows).map(|i| (i * 7 % 5) as f64).collect()),
        Column::categories("kind", kinds),
        Column::numbers("sold", (0..rows).map(|i| (i % 2) as f64).collect()),
    ])
    .unwrap()
}

fn long() -> Table {
    let names = ["a", "b", "a", "c", "b", "c", "c"].map(Some);
    Table::from_columns(vec![
        Column::categories("molecule", names),
        Column::numbers("x", vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0]),
        Column::categories("shape", ["u", "v", "u", "v", "v", "u", "u"].map(Some)),
        Column::numbers("active", vec![1.0, 0.0, 1.0, 2.0, 0.0, 2.0, 2.0]),
    ])
    .unwrap()
}

fn points(table: &Table, kernel: Option<&str>) -> mercer::Result<TablePoints> {
    let kernel: Option<Kernel> = kernel.map(|text| text.parse().unwrap());
    TablePoints::new(table, Encoding::default(), kernel.as_ref())
}

#[test]
fn kernels_take_the_columns_that_they_name() {
    let table = reviews(12);
    let kernel = "on([review], spectrum(length=3)) * on([kind], delta())";
    let found = points(&table, Some(kernel)).unwrap();
    assert_eq!((found.kind, found.unused), (PointKind::Mixed, vec!["price".into(), "sold".into()]));
    assert_eq!(found.encoded.names, ["kind=essay", "kind=novel"]);
    // A part without names takes all numbers and categories, but not texts that are named.
    let all = points(&table, Some("on([review], spectrum(length=3)) + gaussian()")).unwrap();
    assert_eq!(all.encoded.names, ["price", "kind=essay", "kind=novel", "sold"]);
    assert!(all.unused.is_empty());
    let vectors = points(&table.drop_columns(["review"]).unwrap(), Some("gaussian()")).unwrap();
    assert_eq!((vectors.kind, vectors.into_sample().unwrap().as_points().columns()), (PointKind::Vectors, 4));
    for (kernel, words) in [
        ("on([price], spectrum(length=2))", "spectrum(length=2) takes strings; column `price` holds numbers"),
        ("on([nothing], spectrum(length=2))", "`nothing`"),
        ("spectrum(length=2)", "on([column], …)"),
        ("vertex_histogram()", "takes graphs"),
    ] {
        let error = points(&table, Some(kernel)).unwrap_err().to_string();
        assert!(error.contains(words), "{kernel}: {error}");
    }
}

#[test]
fn without_a_kernel_texts_are_found_by_rule() {
    let found = points(&reviews(12), None).unwrap();
    assert_eq!(found.encoding.objects().collect::<Vec<_>>(), [("review", PointKind::Strings)]);
    assert_eq!(found.kind, PointKind::Mixed);
    // Few rows, single words, or repeated texts are categories.
    assert_eq!(points(&reviews(6), None).unwrap().kind, PointKind::Vectors);
    let column = |texts: Vec<String>| {
        let column = Column::categories("t", texts.iter().map(|text| Some(text.as_str())));
        points(&Table::from_columns(vec![column]).unwrap(), None).unwrap().kind
    };
    assert_eq!(column((0..20).map(|i| format!("word{i}")).collect()), PointKind::Vectors);
    assert_eq!(column((0..40).map(|i| format!("two words {}", i % 10)).collect()), PointKind::Vectors);
    assert_eq!(column((0..20).map(|i| format!("two words {i}")).collect()), PointKind::Strings);
    // Beside objects, what names the rows is left out.
    let strings: Strings = (0..20).map(|i| ["ab", "ba"][i % 2]).collect();
    let ids: Vec<String> = (0..20).map(|i| format!("id{i}")).collect();
    let ids = Column::categories("id", ids.iter().map(|id| Some(id.as_str())));
    let table = Table::from_columns(vec![ids, Column::objects("s", strings)]).unwrap();
    assert_eq!(points(&table, None).unwrap().unused, ["id"]);
}

#[test]
fn groups_of_rows_are_bags_with_scaled_coordinates_and_indicators() {
    let table = long().grouped("molecule", &["x", "shape"], &["active"]).unwrap();
    let rules = Encoding { scaling: Scaling::UnitInterval, ..Encoding::default() };
    let kernel: Kernel = "mean_embedding(linear())".parse().unwrap();
    let features = table.select(["molecule"]).unwrap();
    let found = TablePoints::new(&features, rules, Some(&kernel)).unwrap();
    let Sample::Bags(bags) = found.into_sample().unwrap() else { panic!("bags") };
    let unit = |x: f64| (x - 1.0) / 7.0;
    let expected = Bags::new(&[
        array![[unit(1.0), 1.0, 0.0], [unit(3.0), 1.0, 0.0]].view(),
        array![[unit(2.0), 0.0, 1.0], [unit(5.0), 0.0, 1.0]].view(),
        array![[unit(4.0), 0.0, 1.0], [unit(6.0), 1.0, 0.0], [unit(8.0), 1.0, 0.0]].view(),
    ]);
    assert_eq!(bags, expected.unwrap());
    // Rows of a table of groups are whole groups.
    let some = table.select_rows(&[2, 0]).unwrap();
    let ColumnData::Groups { rows, ends } = &some.columns()[1].data else { panic!("groups") };
    assert_eq!(
        (rows.columns()[0].data.clone(), &ends[..]),
        (ColumnData::Numbers(vec![4.0, 6.0, 8.0, 1.0, 3.0]), &[3, 5][..])
    );
    let error = long().grouped("molecule", &["shape"], &["x"]).unwrap_err();
    assert!(matches!(&error, Error::Value { row: 2, column, .. } if column == "x"), "{error}");
    // A missing value: refused, or its row left out; a bag must not become empty by it.
    let mut columns = long().into_columns();
    columns[1] = Column::numbers("x", vec![1.0, f64::NAN, 3.0, 4.0, 5.0, 6.0, 8.0]);
    let gaps = Table::from_columns(columns).unwrap().grouped("molecule", &["x"], &[]).unwrap();
    assert!(matches!(TablePoints::new(&gaps, rules, Some(&kernel)), Err(Error::Value { .. })));
    let drop = Encoding { missing: Missing::DropRows, ..rules };
    let found = TablePoints::new(&gaps, drop, Some(&kernel)).unwrap().into_sample().unwrap();
    let Sample::Bags(bags) = found else { panic!("bags") };
    assert_eq!((bags.len(), bags.bag(1).nrows()), (3, 1));
}

/// The same predictions from a table, before and after a round trip through a file.
fn assert_same(model: &Model, table: &Table, expected: &Array2<f64>) {
    let (compute, loaded) = (Compute::new(), round_trip(model));
    for model in [model, &loaded] {
        assert_eq!(bits(&model.predict_table(table, &compute).unwrap().values), bits(expected));
    }
    assert_eq!(loaded.inputs(), model.inputs());
}

#[test]
fn models_on_mixed_rows_and_bags_predict_from_tables() {
    let compute = Compute::new();
    let table = reviews(16);
    let kernel: Kernel =
        "on([review], normalized(spectrum(length=3))) * on([price], gaussian(lengthscale=2)) + on([kind], delta())"
            .parse()
            .unwrap();
    let rules = Encoding { scaling: Scaling::Standardize, ..Encoding::default() };
    let found = TablePoints::new(&table.drop_columns(["sold"]).unwrap(), rules, Some(&kernel)).unwrap();
    let (encoding, sample) = (found.encoding.clone(), found.into_sample().unwrap());
    let classes = Classes::from_indices((0..16).map(|i| i % 2).collect(), vec!["no".into(), "yes".into()]).unwrap();
    let fit = Svc::new(kernel, 10.0).fit(&sample, &classes, None, &compute).unwrap();
    let model = Model::new(fit, Inputs::columns(encoding, ["sold"])).unwrap();
    let expected = model.predict(&sample, &compute).unwrap();
    assert_eq!(expected.column(0).to_vec(), (0..16).map(|i| (i % 2) as f64).collect::<Vec<_>>());
    assert_same(&model, &table, &expected);
    // In another order of columns, and with a level that was not there.
    assert_same(&model, &table.select(["kind", "sold", "price", "review"]).unwrap(), &expected);
    assert!(model.predict_table(&table.drop_columns(["review"]).unwrap(), &compute).is_err());
    let wrong = model.predict(array![[1.0]].view(), &compute).unwrap_err();
    assert!(matches!(wrong, Error::WrongPoints { .. }), "{wrong}");

    let (table, kernel) = (long(), "mean_embedding(gaussian(lengthscale=1))".parse::<Kernel>().unwrap());
    let bags = table.grouped("molecule", &["x", "shape"], &["active"]).unwrap();
    let found = TablePoints::new(&bags.select(["molecule"]).unwrap(), rules, Some(&kernel)).unwrap();
    let (encoding, sample) = (found.encoding.clone(), found.into_sample().unwrap());
    let y = array![[1.0], [0.0], [2.0]];
    let fit = Ridge::new(kernel, 0.1).fit(&sample, y.view(), None, &compute).unwrap();
    let model = Model::new(fit, Inputs::columns(encoding, ["active"])).unwrap();
    let expected = model.predict(&sample, &compute).unwrap();
    // From the long table, with the target and without it, and from the groups.
    assert_same(&model, &table, &expected);
    assert_same(&model, &table.drop_columns(["active"]).unwrap(), &expected);
    assert_same(&model, &bags, &expected);
}

#[test]
fn objects_without_a_name_take_the_only_column() {
    let compute = Compute::new();
    let strings: Strings = ["abab", "baba", "aab", "bba"].into_iter().collect();
    let y = array![[1.0], [2.0], [3.0], [4.0]];
    let fit = Ridge::new("spectrum(length=2)".parse().unwrap(), 0.5).fit(&strings, y.view(), None, &compute).unwrap();
    let inputs = Inputs::of(&fit);
    assert_eq!(inputs.features, Features::Objects(PointKind::Strings));
    assert!(Model::new(fit.clone(), Inputs::vectors(1, 1)).is_err());
    let model = Model::new(fit, inputs).unwrap();
    let texts = Column::categories("any", strings.iter().map(Some));
    let table = Table::from_columns(vec![texts]).unwrap();
    assert_same(&model, &table, &model.predict(&strings, &compute).unwrap());
    let mut two = table.into_columns();
    two.push(Column::numbers("more", vec![1.0; 4]));
    let error = model.predict_table(&Table::from_columns(two).unwrap(), &compute).unwrap_err();
    assert!(error.to_string().contains("1, of strings"), "{error}");
}

#[test]
fn a_table_of_kernel_values_is_one_of_numbers() {
    let compute = Compute::new();
    let (k, y) = (array![[2.0, 1.0], [1.0, 2.0]], array![[1.0], [3.0]]);
    let fit = Ridge::new("precomputed()".parse().unwrap(), 1.0).fit(k.view(), y.view(), None, &compute).unwrap();
    let fit = mercer::model::AnyFit::from(fit);
    let inputs = Inputs::of(&*fit);
    let model = Model::new(fit, inputs).unwrap();
    let column = |j: usize| Column::numbers(format!("x{j}"), k.column(j).to_vec());
    let table = Table::from_columns(vec![column(0), column(1)]).unwrap();
    // (K + I)⁻¹y = (0, 1).
    assert_close!(model.predict_table(&table, &compute).unwrap().values[[1, 0]], 2.0, abs = 1e-14);
    assert_same(&model, &table, &model.predict(k.view(), &compute).unwrap());
}
