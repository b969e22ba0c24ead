//! Learners, measures and tests on sparse vectors: the answers on the same vectors as dense rows.

use mercer::features::{Landmarks, Nystrom, RandomFourier};
use mercer::hypothesis::{Independence, IndependenceMethod, TwoSample, TwoSampleMethod};
use mercer::learn::svm::Classes;
use mercer::learn::{Ridge, Svc};
use mercer::learner::{FitInput, Goal, LearnerEntry, Targets, ViewCount};
use mercer::measure::{self, Estimator, HsicEstimator};
use mercer::model::{AnyFit, Inputs, LEARNERS, Model};
use mercer::points::Csr;
use mercer::settings::Settings;
use mercer::{Compute, Kernel, Points, io};
use ndarray::{Array2, Axis, s};

use super::sparse::sparse_rows;
use crate::common::assert_arrays_close;

struct Data {
    views: Vec<Array2<f64>>,
    sparse: Vec<Csr>,
    y: Array2<f64>,
    classes: Vec<usize>,
    names: Vec<String>,
    entry: &'static LearnerEntry,
}

impl Data {
    fn new(entry: &'static LearnerEntry) -> Self {
        let mut x = sparse_rows(21, 42, 6);
        let classes: Vec<usize> = (0..42).map(|i| i % 2).collect();
        for (i, mut row) in x.rows_mut().into_iter().enumerate() {
            row[0] += 1.5 * (i % 2) as f64;
        }
        let y = x.map_axis(Axis(1), |row| row[0].sin() + 0.3 * row[1]).insert_axis(Axis(1));
        let second = x.mapv(|v| v * v * v * 0.5);
        let views = if entry.views == ViewCount::One { vec![x] } else { vec![x, second] };
        let sparse = views.iter().map(|x| Csr::from_dense(x.view()).unwrap()).collect();
        Self { views, sparse, y, classes, names: vec!["left".into(), "right".into()], entry }
    }

    fn settings(&self, kernel: &str) -> Settings {
        let entry = self.entry;
        let given: &[(&str, &str)] = &[
            ("components", "2"),
            ("clusters", "2"),
            ("inducing_count", "5"),
            ("levels", "0.3, 0.7"),
            ("kernel", kernel),
            ("kernels", "gaussian(lengthscale=0.8); linear()"),
            ("kernel_low", kernel),
            ("kernel_high", "gaussian(lengthscale=0.9)"),
        ];
        let mut settings = Settings::new();
        for (name, text) in given.iter().filter(|(name, _)| entry.parameter(name).is_some()) {
            let text = match (entry.name, *name) {
                ("scaling", "kernel") => "sqdist()",
                ("cca", "kernels") => kernel,
                _ => text,
            };
            settings.insert(name, entry.parse(name, text).unwrap());
        }
        if ["svc", "svr", "one_class", "multiple_svm", "multiple_one_class"].contains(&entry.name) {
            settings.insert("tolerance", 1e-9);
        }
        if entry.parameter("optimize").is_some() {
            settings.insert("optimize", false);
        }
        if entry.parameter("C").is_some() {
            settings.insert("C", 1.0);
        }
        settings
    }

    fn fit(&self, kernel: &str, sparse: bool, compute: &Compute) -> mercer::Result<AnyFit> {
        let targets = match self.entry.goal {
            Goal::Values => Targets::Values(self.y.view()),
            Goal::Classes => Targets::Classes(&self.classes, &self.names),
            _ => Targets::None,
        };
        let mut input = FitInput::views(self.points(sparse)).with_targets(targets);
        if self.entry.views == ViewCount::Two {
            input.labels = vec![&self.classes, &self.classes];
        }
        self.entry.build(&self.settings(kernel))?.fit(&input, compute).map(AnyFit::from)
    }

    fn points(&self, sparse: bool) -> Vec<Points<'_>> {
        match sparse {
            true => self.sparse.iter().map(Points::from).collect(),
            false => self.views.iter().map(Points::from).collect(),
        }
    }

    fn outputs(&self, fit: &AnyFit, sparse: bool, compute: &Compute) -> Vec<Array2<f64>> {
        let points = self.points(sparse);
        let mut all = vec![
            match self.entry.goal {
                Goal::Novelty | Goal::Classes => fit.decision_values(points[0], compute),
                _ => fit.predict(points[0], compute),
            }
            .unwrap_or_else(|e| panic!("{}: {e}", self.entry.name)),
        ];
        if matches!(self.entry.goal, Goal::Features | Goal::Clusters) {
            all.extend((0..fit.views()).map(|view| fit.transform(view, points[view], compute).unwrap()));
        }
        all
    }
}

fn bytes(fit: &AnyFit) -> Vec<u8> {
    let inputs = (0..fit.views()).map(|view| match view {
        0 => Inputs::of(&**fit),
        _ => Inputs::of_view(&**fit, view),
    });
    let model = Model::of_views(fit.clone(), inputs.collect()).unwrap();
    let mut bytes = Vec::new();
    io::write_model(&mut bytes, &model).unwrap();
    bytes
}

/// Iterations stop at their own tolerance, which kernel values that differ in the last digit reach by
/// other steps; weights of kernels and quantiles stop the earliest.
fn tolerance(entry: &LearnerEntry) -> f64 {
    match entry.name {
        name if name.starts_with("multiple") => 2e-3,
        "quantiles" | "kernel_machine" => 1e-4,
        _ => 2e-6,
    }
}

/// Eigenvectors of kernel methods are known up to their sign.
fn same_signs(found: &Array2<f64>, expected: &Array2<f64>) -> Array2<f64> {
    let mut turned = found.clone();
    for (mut column, expected) in turned.columns_mut().into_iter().zip(expected.columns()) {
        if column.dot(&expected) < 0.0 {
            column.mapv_inplace(|v| -v);
        }
    }
    turned
}

#[test]
fn every_learner_gives_the_answers_of_dense_rows() {
    let compute = Compute::new();
    for entry in LEARNERS.iter().filter(|entry| entry.sparse) {
        for kernel in ["gaussian(lengthscale=1.2)", "linear()"] {
            // Without noise a matrix of six features is singular: the answer is rounding.
            if entry.name == "shared_gaussian_process" && kernel == "linear()" {
                continue;
            }
            let data = Data::new(entry);
            let name = format!("{} with {kernel}", entry.name);
            let (sparse, dense) = (data.fit(kernel, true, &compute), data.fit(kernel, false, &compute));
            let (sparse, dense) = match (sparse, dense) {
                (Ok(sparse), Ok(dense)) => (sparse, dense),
                (Err(_), Err(_)) => continue,
                (sparse, dense) => panic!("{name}: sparse {:?}, dense {:?}", sparse.err(), dense.err()),
            };
            let expected = data.outputs(&dense, false, &compute);
            // A fit on either kind predicts on both.
            for found in [data.outputs(&sparse, true, &compute), data.outputs(&sparse, false, &compute)] {
                for (found, expected) in found.iter().zip(&expected) {
                    assert_arrays_close(&same_signs(found, expected), expected, tolerance(entry), &name);
                }
            }
            for (found, expected) in data.outputs(&dense, true, &compute).iter().zip(&expected) {
                assert_arrays_close(found, expected, 1e-9, &name);
            }
        }
    }
}

#[test]
fn files_hold_sparse_rows_and_the_bytes_do_not_depend_on_threads() {
    let compute = Compute::new();
    for entry in LEARNERS.iter().filter(|entry| entry.sparse) {
        let data = Data::new(entry);
        let fit =
            data.fit("gaussian(lengthscale=1.2)", true, &compute).unwrap_or_else(|e| panic!("{}: {e}", entry.name));
        let written = bytes(&fit);
        for threads in [1, 2, 5] {
            let again = data.fit("gaussian(lengthscale=1.2)", true, &Compute::new().with_threads(threads).unwrap());
            assert!(bytes(&again.unwrap()) == written, "{}: {threads} threads", entry.name);
        }
        let loaded = io::read_model(&written[..], "a test", &compute).unwrap_or_else(|e| panic!("{}: {e}", entry.name));
        let loaded = loaded.into_fitted();
        assert_eq!(data.outputs(&loaded, true, &compute), data.outputs(&fit, true, &compute), "{}", entry.name);
        assert!(bytes(&loaded) == written, "{}", entry.name);
    }
}

#[test]
fn learners_that_need_dense_rows_refuse_sparse_ones() {
    let compute = Compute::new();
    for entry in LEARNERS.iter().filter(|entry| !entry.sparse) {
        let error = Data::new(entry).fit("gaussian(lengthscale=1.2)", true, &compute).err().unwrap().to_string();
        assert!(error.contains("sparse vectors"), "{}: {error}", entry.name);
    }
}

#[test]
fn ridge_and_svm_agree_to_rounding() {
    let compute = Compute::new();
    let data = Data::new(mercer::model::learner("ridge").unwrap());
    let (x, sparse) = (&data.views[0], &data.sparse[0]);
    for text in ["gaussian(lengthscale=1.2)", "polynomial(degree=2, offset=1)", "matern(nu=3/2)"] {
        let kernel: Kernel = text.parse().unwrap();
        let ridge = Ridge::new(kernel.clone(), 0.1);
        let found = ridge.fit(sparse, data.y.view(), None, &compute).unwrap();
        let expected = ridge.fit(x, data.y.view(), None, &compute).unwrap();
        let found = found.predict(sparse, &compute).unwrap();
        assert_arrays_close(&found, &expected.predict(x, &compute).unwrap(), 1e-11, text);
        let (svc, classes) =
            (Svc::new(kernel, 1.0), Classes::from_indices(data.classes.clone(), data.names.clone()).unwrap());
        let found = svc.fit(sparse, &classes, None, &compute).unwrap();
        let expected = svc.fit(x, &classes, None, &compute).unwrap();
        assert_eq!(found.predict(sparse, &compute).unwrap(), expected.predict(x, &compute).unwrap(), "{text}");
    }
}

/// More rows than a matrix in memory would allow: the features are the rows themselves.
#[test]
fn linear_learners_need_no_matrix() {
    let compute = Compute::new().with_memory(64 << 20);
    let n = 6000;
    let x = {
        let mut stream = mercer::Seed(3).stream("text", 0);
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..n {
            let mut row: Vec<u32> = (0..12).map(|_| stream.below(8000) as u32).collect();
            row.push(if i % 2 == 0 { 8000 } else { 8001 });
            row.sort_unstable();
            row.dedup();
            values.extend(row.iter().map(|_| 0.5 + stream.uniform()));
            columns.extend(row);
            starts.push(columns.len());
        }
        Csr::new(8002, starts, columns, values).unwrap()
    };
    let classes: Vec<usize> = (0..n).map(|i| i % 2).collect();
    let of = Classes::from_indices(classes.clone(), vec!["even".into(), "odd".into()]).unwrap();
    let fit = Svc::new("linear()".parse().unwrap(), 1.0).fit(&x, &of, None, &compute).unwrap();
    assert_eq!(fit.predict(&x, &compute).unwrap(), classes);
    let y = Array2::from_shape_fn((n, 1), |(i, _)| i as f64 % 2.0);
    let ridge = Ridge { intercept: true, ..Ridge::new("linear()".parse().unwrap(), 1.0) };
    let fit = ridge.fit(&x, y.view(), None, &compute).unwrap();
    let residuals = fit.predict(&x, &compute).unwrap() - &y;
    assert!(residuals.iter().all(|r| r.abs() < 0.5));
}

#[test]
fn feature_maps_take_sparse_rows() {
    let compute = Compute::new();
    let x = sparse_rows(4, 60, 9);
    let sparse = Csr::from_dense(x.view()).unwrap();
    let kernel: Kernel = "gaussian(lengthscale=median)".parse().unwrap();
    let spec = RandomFourier::new(kernel.clone(), 31);
    let (of_sparse, of_dense) = (spec.fit(&sparse, &compute).unwrap(), spec.fit(&x, &compute).unwrap());
    let expected = of_dense.transform_points(&x, &compute).unwrap();
    assert_arrays_close(&of_sparse.transform_points(&sparse, &compute).unwrap(), &expected, 1e-11, "Fourier");
    for landmarks in [Landmarks::Uniform, Landmarks::RandomPivots, Landmarks::KMeans, Landmarks::Leverage] {
        let spec = Nystrom { landmarks, ..Nystrom::new(kernel.clone(), 12) };
        let (of_sparse, of_dense) = (spec.fit(&sparse, &compute).unwrap(), spec.fit(&x, &compute).unwrap());
        assert_eq!(of_sparse.rows(), of_dense.rows());
        let (found, expected) =
            (of_sparse.transform(&sparse, &compute).unwrap(), of_dense.transform(&x, &compute).unwrap());
        assert_arrays_close(&found.dot(&found.t()), &expected.dot(&expected.t()), 1e-9, "Nyström");
    }
}

#[test]
fn measures_and_tests_take_sparse_rows() {
    let compute = Compute::new();
    let x = sparse_rows(4, 60, 9);
    let y = sparse_rows(5, 50, 9).mapv(|v| 1.5 * v);
    let (sparse_x, sparse_y) = (Csr::from_dense(x.view()).unwrap(), Csr::from_dense(y.view()).unwrap());
    let k: Kernel = "gaussian(lengthscale=1.5)".parse().unwrap();
    for estimator in [Estimator::Biased, Estimator::Unbiased] {
        let found = measure::mmd(&sparse_x, &sparse_y, &k, estimator, &compute).unwrap();
        assert_close!(found, measure::mmd(&x, &y, &k, estimator, &compute).unwrap(), 1e-12);
    }
    let first = x.slice(s![..50, ..]).to_owned();
    let sparse_first = Csr::from_dense(first.view()).unwrap();
    let found = measure::hsic(&sparse_first, &sparse_y, (&k, &k), HsicEstimator::Biased, &compute).unwrap();
    assert_close!(found, measure::hsic(&first, &y, (&k, &k), HsicEstimator::Biased, &compute).unwrap(), 1e-12);
    for method in [
        TwoSample::default().method,
        TwoSampleMethod::Permutation,
        TwoSampleMethod::Fused,
        TwoSampleMethod::Gamma,
        TwoSampleMethod::Spectral,
        TwoSampleMethod::Split,
        TwoSampleMethod::Linear,
    ] {
        let test = TwoSample { permutations: 199, ..TwoSample::with_method(method) };
        let (found, expected) =
            (test.test(&sparse_x, &sparse_y, &compute).unwrap(), test.test(&x, &y, &compute).unwrap());
        assert_close!(found.p_value, expected.p_value, 1e-9, "{method:?}");
    }
    for method in [IndependenceMethod::Permutation, IndependenceMethod::Gamma] {
        let test = Independence { permutations: 199, ..Independence::with_method(method) };
        let (found, expected) =
            (test.test(&sparse_first, &sparse_y, &compute).unwrap(), test.test(&first, &y, &compute).unwrap());
        assert_close!(found.p_value, expected.p_value, 1e-9, "{method:?}");
    }
}
