//! Beside LIBSVM: its model files, and its dual objectives.

use std::path::{Path, PathBuf};
use std::process::Command;

use mercer::learn::svm::{Calibration, Classes, LibsvmModel, OneClass, Svc, Svr};
use mercer::points::ColumnData;
use mercer::solve::DualOptions;
use mercer::{Compute, io};
use ndarray::{Array1, Array2, s};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/libsvm").join(name)
}

/// Targets and points of a file.
fn data(name: &str) -> (Array1<f64>, Array2<f64>) {
    let options = io::ReadOptions { format: Some(io::Format::Libsvm), ..Default::default() };
    let table = io::read_table(&fixture(name), &options, &Compute::new()).unwrap();
    let mut values = Array2::zeros((table.rows(), table.columns().len()));
    for (column, mut target) in table.columns().iter().zip(values.columns_mut()) {
        let ColumnData::Numbers(numbers) = &column.data else { panic!("numbers") };
        target.assign(&Array1::from(numbers.to_vec()));
    }
    (values.column(0).to_owned(), values.slice(s![.., 1..]).to_owned())
}

fn model(name: &str) -> LibsvmModel {
    io::read_libsvm_model(&fixture(&format!("{name}.model")), None).unwrap()
}

/// What svm-predict wrote: lines of numbers, without the line of labels.
fn output(text: &str) -> Vec<Vec<f64>> {
    let lines = text.lines().filter(|line| !line.starts_with("labels"));
    lines.map(|line| line.split_whitespace().map(|w| w.parse().unwrap()).collect()).collect()
}

fn expected(name: &str) -> Vec<Vec<f64>> {
    output(&std::fs::read_to_string(fixture(&format!("{name}.output"))).unwrap())
}

/// The same lines as svm-predict, from a model that was read.
fn check_output(model: &LibsvmModel, x: &Array2<f64>, expected: &[Vec<f64>], what: &str) {
    let compute = Compute::new();
    assert_eq!(expected.len(), x.nrows());
    match model {
        LibsvmModel::Classifier(fit) => {
            let label = |class: usize| fit.names()[class].parse::<f64>().unwrap();
            let found = fit.predict(x.view(), &compute).unwrap();
            assert!(found.iter().zip(expected).all(|(c, line)| label(*c) == line[0]), "{what}: classes");
            if fit.is_calibrated() {
                // svm-predict prints six digits; its iteration for more than two classes stops at
                // 0.005 divided by their number.
                let probabilities = fit.probabilities(x.view(), &compute).unwrap();
                for (row, line) in probabilities.rows().into_iter().zip(expected) {
                    row.iter().zip(&line[1..]).for_each(|(p, e)| assert_close!(*p, *e, 1e-5, "{what}"));
                }
            }
        }
        LibsvmModel::Regression(fit) => {
            let found = fit.predict(x.view(), &compute).unwrap();
            found.iter().zip(expected).for_each(|(f, line)| assert_close!(*f, line[0], 1e-6, "{what}"));
        }
        LibsvmModel::OneClass(fit) => {
            let found = fit.decisions(x.view(), &compute).unwrap();
            let agreeing =
                found.iter().zip(expected).filter(|(f, line)| (**f > 0.0) == (line[0] > 0.0) || f.abs() < 1e-6);
            assert_eq!(agreeing.count(), expected.len(), "{what}");
        }
    }
}

const MODELS: [(&str, &str); 6] = [
    ("heart_c_svc_rbf", "../heart_scale.libsvm.gz"),
    ("iris_c_svc_rbf", "iris.libsvm"),
    ("iris_nu_svc_polynomial", "iris.libsvm"),
    ("iris_epsilon_svr_linear", "iris_petal_width.libsvm"),
    ("iris_nu_svr_rbf", "iris_petal_width.libsvm"),
    ("iris_one_class_sigmoid", "iris.libsvm"),
];

#[test]
fn models_of_svm_train_predict_the_same() {
    for (name, points) in MODELS {
        check_output(&model(name), &data(points).1, &expected(name), name);
    }
}

#[test]
fn what_is_written_is_read_back_as_it_was() {
    for (name, points) in MODELS {
        let text = model(name).to_text().unwrap();
        let again = LibsvmModel::parse(&text, None).unwrap();
        check_output(&again, &data(points).1, &expected(name), name);
        assert_eq!(again.to_text().unwrap(), text, "{name}");
    }
}

#[test]
fn wrong_texts_are_refused_with_the_line() {
    let good = model("iris_c_svc_rbf").to_text().unwrap();
    let refused = |text: String, part: &str| {
        let error = LibsvmModel::parse(&text, None).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    refused(String::new(), "`SV` is missing");
    refused(good.replace("c_svc", "c_svm"), "line 1");
    refused(good.replace("rbf", "tree"), "line 2");
    refused(good.replace("gamma 0.25", "gamma zero"), "line 3");
    refused(good.replace("gamma 0.25", "gamma -1"), "line 2");
    refused(good.replace("nr_class 3", "nr_class 1"), "at least 2");
    refused(good.replace("rho ", "rho 1 "), "expected 3");
    refused(good.replace("rho ", "r "), "`rho` is missing");
    refused(good.replace(" 1:", " one:"), "place:value");
    refused(good.replace(" 1:", " 0:"), "not a coordinate");
    refused(good.lines().take(20).collect::<Vec<_>>().join("\n"), "support vectors, found");
    assert!(LibsvmModel::parse(&good, Some(3)).is_err());
    assert!(LibsvmModel::parse(&good, Some(9)).is_ok());
}

#[test]
fn what_libsvm_does_not_store_is_not_written() {
    let (y, x) = data("iris.libsvm");
    let classes = Classes::from_numbers(y.view()).unwrap();
    let fit = |svc: Svc, classes: &Classes| {
        LibsvmModel::Classifier(svc.fit(x.view(), classes, None, &Compute::new()).unwrap()).to_text().unwrap_err()
    };
    let matern = Svc::new("matern(nu=1.5)".parse().unwrap(), 1.0);
    assert!(fit(matern, &classes).to_string().contains("matern"));
    let named = Classes::from_texts(y.iter().map(|v| if *v > 1.0 { "many" } else { "one" }));
    assert!(fit(Svc::new("linear()".parse().unwrap(), 1.0), &named).to_string().contains("many"));
    let two = Svc::new("gaussian(lengthscale=[1, 2, 1, 1])".parse().unwrap(), 1.0);
    assert!(fit(two, &classes).to_string().contains("one lengthscale"));
}

/// Runs svm-predict on a model of ours; `None` when it is not installed.
fn svm_predict(model: &LibsvmModel, points: &str, probabilities: bool) -> Option<Vec<Vec<f64>>> {
    let folder = tempfile::tempdir().unwrap();
    let (file, plain, out) = (folder.path().join("m"), folder.path().join("x"), folder.path().join("o"));
    io::write_libsvm_model(&file, model).unwrap();
    let (y, x) = data(points);
    let line = |(y, row): (&f64, ndarray::ArrayView1<f64>)| {
        let words: Vec<String> = (1..).zip(row).map(|(k, v)| format!("{k}:{v}")).collect();
        format!("{y} {}\n", words.join(" "))
    };
    std::fs::write(&plain, y.iter().zip(x.rows()).map(line).collect::<String>()).unwrap();
    let flag = if probabilities { "1" } else { "0" };
    match Command::new("svm-predict").args(["-b", flag]).args([&plain, &file, &out]).output() {
        Ok(done) => assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr)),
        Err(_) => {
            eprintln!("skipped: svm-predict (Debian's libsvm-tools) is not installed");
            return None;
        }
    }
    Some(output(&std::fs::read_to_string(out).unwrap()))
}

#[test]
fn svm_predict_takes_our_models() {
    let compute = Compute::new();
    let (y, x) = data("iris.libsvm");
    let classes = Classes::from_numbers(y.view()).unwrap();
    let svc = Svc {
        calibration: Some(Calibration::Sigmoid { folds: 5 }),
        ..Svc::new("gaussian(lengthscale=2)".parse().unwrap(), 10.0)
    };
    let classifier = LibsvmModel::Classifier(svc.fit(x.view(), &classes, None, &compute).unwrap());
    if let Some(found) = svm_predict(&classifier, "iris.libsvm", true) {
        check_output(&classifier, &x, &found, "our classifier");
    }
    let kernel = || "polynomial(degree=2, offset=1, scale=0.1)".parse().unwrap();
    let one = LibsvmModel::OneClass(OneClass::new(kernel(), 0.2).fit(x.view(), None, &compute).unwrap());
    if let Some(found) = svm_predict(&one, "iris.libsvm", false) {
        check_output(&one, &x, &found, "our one-class machine");
    }
    let (y, x) = data("iris_petal_width.libsvm");
    let svr = Svr::new(kernel(), 1.0, 0.1).fit(x.view(), y.view(), None, &compute).unwrap();
    let regression = LibsvmModel::Regression(svr);
    if let Some(found) = svm_predict(&regression, "iris_petal_width.libsvm", false) {
        check_output(&regression, &x, &found, "our regression");
    }
}

/// Dual objectives of LIBSVM (scikit-learn 1.9.1, tolerance 1e-9).
#[test]
fn dual_objectives_are_those_of_libsvm() {
    for (name, c, gamma, objective) in [
        ("../heart_scale", 2.0, 0.0078125, 240.1961323174628),
        ("../heart_scale", 100.0, 0.5, 221.77883647508247),
        ("australian_scale", 8.0, 0.125, 1251.7832654398985),
        ("german.numer_scale", 8.0, 0.03125, 3244.085063932547),
        ("breast-cancer_scale", 2.0, 0.125, 90.14020610072066),
    ] {
        let (y, x) = data(&format!("{name}.libsvm.gz"));
        let classes = Classes::from_numbers(y.view()).unwrap();
        let kernel = format!("gaussian(lengthscale={:?})", (0.5_f64 / gamma).sqrt()).parse().unwrap();
        let svc = Svc { solver: DualOptions { tolerance: 1e-6, ..Default::default() }, ..Svc::new(kernel, c) };
        let evidence = svc.fit(x.view(), &classes, None, &Compute::new()).unwrap().evidence();
        assert_close!(evidence.objective / objective, 1.0, 1e-6, "{name}");
        assert!(evidence.violation <= 1e-6 && evidence.gap >= 0.0 && evidence.gap <= 1e-4 * objective, "{evidence:?}");
    }
}
