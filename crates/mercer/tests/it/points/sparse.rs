//! Kernels on sparse vectors: the values on the same vectors as dense rows.

use mercer::gram::{self, MetricKind, Pairs, Tiles, median_distance};
use mercer::points::Csr;
use mercer::{Compute, Kernel, Points, Sample, Seed};
use ndarray::Array2;

use crate::common::assert_arrays_close;

/// Kernels that take sparse vectors.
const KERNELS: &[&str] = &[
    "linear()",
    "polynomial(degree=3, offset=0.5)",
    "polynomial(degree=2, offset=1, scale=0.3)",
    "exponential(scale=0.2)",
    "tanh(scale=0.1, offset=0.2)",
    "gaussian(lengthscale=1.3)",
    "gaussian(lengthscale=median)",
    "gaussian(lengthscale=[0.5, 1, 2, 1, 3, 1, 0.7, 1, 1, 2, 1, 1])",
    "matern(nu=1/2, lengthscale=0.8)",
    "matern(nu=3/2, lengthscale=2)",
    "matern(nu=2.2, lengthscale=1.1)",
    "rational_quadratic(lengthscale=0.9, shape=1.5)",
    "inverse_multiquadric(offset=1.2)",
    "laplacian(lengthscale=1.5, norm=l2)",
    "laplacian(lengthscale=1.5, norm=l1)",
    "laplacian(lengthscale=median, norm=l1)",
    "laplacian(lengthscale=[0.5, 1, 2, 1, 3, 1, 0.7, 1, 1, 2, 1, 1], norm=l1)",
    "wendland(dimension=12, smoothness=1, radius=9)",
    "cauchy(lengthscale=2)",
    "periodic(period=1.7, lengthscale=1.5)",
    "sinc(bandlimit=0.7)",
    "ball(radius=1.5)",
    "sqdist()",
    "distance(power=1)",
    "log_distance()",
    "delta()",
    "2*gaussian(lengthscale=1) + 0.5*linear() + 3",
    "gaussian(lengthscale=2) * linear()",
    "(linear() + 1)^3",
    "exp(0.1*linear())",
    "normalized(linear() + 0.1)",
    "normalized(polynomial(degree=2, offset=1))",
    "schoenberg(sqdist(), t=0.2)",
    "on([1, 4, 7], gaussian(lengthscale=0.6)) + on([0, 2], linear())",
    "on([3, 1], gaussian(lengthscale=median))",
];

/// Rows of which about a third of the numbers are not 0; some rows and one column have none.
pub fn sparse_rows(seed: u64, rows: usize, columns: usize) -> Array2<f64> {
    let mut stream = Seed(seed).stream("sparse rows", 0);
    let mut x = Array2::from_shape_fn((rows, columns), |_| {
        let value = stream.normal();
        if stream.uniform() < 0.3 { value } else { 0.0 }
    });
    x.column_mut(columns / 2).fill(0.0);
    x.row_mut(rows / 3).fill(0.0);
    if rows > 5 {
        let copy = x.row(1).to_owned();
        x.row_mut(4).assign(&copy);
    }
    x
}

fn csr(x: &Array2<f64>) -> Csr {
    Csr::from_dense(x.view()).unwrap()
}

fn matrix(kernel: &Kernel, pairs: Pairs<'_>, compute: &Compute) -> Array2<f64> {
    let bound = kernel.bind(pairs, compute).unwrap_or_else(|e| panic!("{kernel}: {e}"));
    gram::dense(&bound, compute).unwrap()
}

#[test]
fn values_are_those_of_dense_rows() {
    let compute = Compute::new();
    let (x, y) = (sparse_rows(1, 37, 12), sparse_rows(2, 23, 12));
    let (sparse_x, sparse_y) = (csr(&x), csr(&y));
    for text in KERNELS {
        let kernel: Kernel = text.parse().unwrap();
        let within = matrix(&kernel, Pairs::Within((&sparse_x).into()), &compute);
        assert_arrays_close(&within, &matrix(&kernel, Pairs::within(x.view()), &compute), 1e-12, text);
        assert!(within.indexed_iter().all(|((i, j), v)| v.to_bits() == within[[j, i]].to_bits()), "{text}");
        let expected = matrix(&kernel, Pairs::Between((&x).into(), (&y).into()), &compute);
        // Either side may be dense.
        for pairs in [
            Pairs::Between((&sparse_x).into(), (&sparse_y).into()),
            Pairs::Between((&sparse_x).into(), (&y).into()),
            Pairs::Between((&x).into(), (&sparse_y).into()),
        ] {
            assert_arrays_close(&matrix(&kernel, pairs, &compute), &expected, 1e-12, text);
        }
        let bound = kernel.bind(Pairs::Within((&sparse_x).into()), &compute).unwrap();
        let diagonal = kernel.bind(Pairs::within(x.view()), &compute).unwrap().diagonal().unwrap();
        assert_arrays_close(&bound.diagonal().unwrap(), &diagonal, 1e-12, text);
        let mut single = vec![0.0_f32; 37 * 37];
        bound.fill_single(0..37, 0..37, &mut single);
        single.iter().zip(&within).for_each(|(s, v)| assert_close!(f64::from(*s), *v, 1e-6, "{text}"));
    }
}

#[test]
fn equal_rows_have_distance_zero() {
    let compute = Compute::new();
    let x = csr(&sparse_rows(1, 37, 12));
    let k = |text: &str| matrix(&text.parse().unwrap(), Pairs::Within((&x).into()), &compute);
    let distances = k("sqdist()");
    assert_eq!((distances[[1, 4]], distances[[7, 7]]), (0.0, 0.0));
    assert_eq!(k("gaussian(lengthscale=0.01)")[[1, 4]], 1.0);
}

#[test]
fn a_distant_cluster_keeps_its_digits() {
    // All coordinates near 1000: the expanded square loses 12 digits.
    let mut x = sparse_rows(3, 30, 12);
    x += 1e3;
    let compute = Compute::new();
    let kernel: Kernel = "gaussian(lengthscale=1)".parse().unwrap();
    let found = matrix(&kernel, Pairs::Within((&csr(&x)).into()), &compute);
    assert_arrays_close(&found, &matrix(&kernel, Pairs::within(x.view()), &compute), 1e-12, "a cluster");
}

#[test]
fn medians_are_those_of_dense_rows() {
    let compute = Compute::new();
    // More points than the heuristic looks at.
    let x = sparse_rows(5, 1300, 9);
    for (text, kind) in [
        ("gaussian(lengthscale=median)", MetricKind::SquaredEuclidean),
        ("laplacian(lengthscale=median, norm=l1)", MetricKind::Manhattan),
    ] {
        let kernel: Kernel = text.parse().unwrap();
        let resolved = kernel.resolve(&csr(&x), &compute).unwrap();
        let found = resolved.parameters()[0].value;
        assert_close!(found, median_distance(x.view(), kind, &compute).unwrap(), 1e-13, "{text}");
    }
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let x = csr(&sparse_rows(7, 700, 50));
    for text in ["linear()", "gaussian(lengthscale=median)", "laplacian(norm=l1)", "normalized(linear()) + gaussian()"]
    {
        let kernel: Kernel = text.parse().unwrap();
        let run = |threads: usize| {
            let compute = Compute::new().with_threads(threads).unwrap();
            matrix(&kernel, Pairs::Within((&x).into()), &compute).mapv(f64::to_bits)
        };
        let one = run(1);
        assert_eq!(one, run(2), "{text}");
        assert_eq!(one, run(5), "{text}");
    }
}

/// Lists and dense columns are two ways to the same products: wide rows take the first.
#[test]
fn wide_rows_are_multiplied_by_lists() {
    let compute = Compute::new();
    let mut stream = Seed(11).stream("wide", 0);
    let x = Array2::from_shape_fn((90, 3000), |_| if stream.uniform() < 0.01 { stream.normal() } else { 0.0 });
    for text in ["linear()", "gaussian(lengthscale=3)"] {
        let kernel: Kernel = text.parse().unwrap();
        let found = matrix(&kernel, Pairs::Within((&csr(&x)).into()), &compute);
        assert_arrays_close(&found, &matrix(&kernel, Pairs::within(x.view()), &compute), 1e-12, text);
    }
}

#[test]
fn derivatives_are_those_of_dense_rows() {
    let compute = Compute::new();
    let x = sparse_rows(1, 19, 12);
    let sparse = csr(&x);
    for text in KERNELS.iter().filter(|text| !text.contains("median")) {
        let kernel: Kernel = text.parse().unwrap();
        let (found, expected) = (
            kernel.bind(Pairs::Within((&sparse).into()), &compute).unwrap(),
            kernel.bind(Pairs::within(x.view()), &compute).unwrap(),
        );
        for parameter in 0..kernel.parameters().len() {
            let (found, expected) =
                (found.derivative(parameter, &compute).unwrap(), expected.derivative(parameter, &compute).unwrap());
            assert_arrays_close(&found, &expected, 1e-10, &format!("{text}, parameter {parameter}"));
        }
        let weights = Array2::from_shape_fn((19, 19), |(i, j)| (i as f64 - 0.4 * j as f64).sin());
        let sums = |bound: &gram::Bound<'_>| bound.contract_derivatives(weights.view(), &compute).unwrap();
        sums(&found).iter().zip(sums(&expected)).for_each(|(f, e)| assert_close!(*f, e, 1e-9, "{text}"));
    }
}

#[test]
fn empty_samples_and_single_rows_are_points() {
    let compute = Compute::new();
    let none = Csr::new(4, vec![0], vec![], vec![]).unwrap();
    let zeros = Csr::new(4, vec![0, 0, 0, 0], vec![], vec![]).unwrap();
    let no_columns = Csr::new(0, vec![0, 0], vec![], vec![]).unwrap();
    let one = Csr::new(4, vec![0, 1], vec![2], vec![3.0]).unwrap();
    for (text, at_zero) in [("linear()", 0.0), ("gaussian()", 1.0), ("polynomial(degree=2, offset=2)", 4.0)] {
        let kernel: Kernel = text.parse().unwrap();
        let of = |x: &Csr| matrix(&kernel, Pairs::Within(x.into()), &compute);
        assert_eq!(of(&none).dim(), (0, 0));
        assert_eq!(of(&zeros), Array2::from_elem((3, 3), at_zero));
        assert_eq!(of(&no_columns), Array2::from_elem((1, 1), at_zero));
        assert_eq!(of(&one).dim(), (1, 1));
        let between = matrix(&kernel, Pairs::Between((&none).into(), (&one).into()), &compute);
        assert_eq!(between.dim(), (0, 1));
    }
}

#[test]
fn what_cannot_be_done_is_refused_by_name() {
    let (x, compute) = (csr(&sparse_rows(1, 9, 12)), Compute::new());
    let refusal = |text: &str| {
        let kernel: Kernel = text.parse().unwrap();
        kernel.bind(Pairs::Within((&x).into()), &compute).unwrap_err().to_string()
    };
    for text in
        ["wiener()", "brownian(hurst=0.3)", "periodic(period=1, lengthscale=[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])"]
    {
        let error = refusal(text);
        assert!(error.contains("sparse") && error.contains("dense"), "{text}: {error}");
        assert!(error.contains(text.split('(').next().unwrap()), "{text}: {error}");
    }
    assert!(refusal("spectrum(length=2)").contains("takes strings"), "{}", refusal("spectrum(length=2)"));
    assert!(refusal("chi2()").contains("chi2"), "{}", refusal("chi2()"));
    assert!(refusal("gaussian(lengthscale=[1, 2])").contains("12"));
    assert!(refusal("on([12], linear())").contains("more than 12"));
    let narrow = Csr::new(3, vec![0, 0], vec![], vec![]).unwrap();
    let kernel: Kernel = "linear()".parse().unwrap();
    let shape = kernel.bind(Pairs::Between((&x).into(), (&narrow).into()), &compute).unwrap_err().to_string();
    assert!(shape.contains("12") && shape.contains('3'), "{shape}");
    let huge = Csr::new(2, vec![0, 0, 1], vec![1], vec![1e200]).unwrap();
    let error = kernel.bind(Pairs::Within((&huge).into()), &compute).unwrap_err().to_string();
    assert!(error.contains("row 1, column 1"), "{error}");
}

#[test]
fn histograms_take_values_that_are_not_negative() {
    let compute = Compute::new();
    let x = sparse_rows(1, 17, 8).mapv(f64::abs);
    for text in ["chi2(gamma=0.4)", "histogram_intersection()"] {
        let kernel: Kernel = text.parse().unwrap();
        let found = matrix(&kernel, Pairs::Within((&csr(&x)).into()), &compute);
        assert_arrays_close(&found, &matrix(&kernel, Pairs::within(x.view()), &compute), 1e-12, text);
    }
}

#[test]
fn samples_are_pooled_selected_and_stored() {
    let x = sparse_rows(1, 9, 6);
    let sparse = csr(&x);
    let pooled = Sample::pooled(Points::from(&sparse), Points::from(&x)).unwrap();
    assert_eq!(pooled.len(), 18);
    let taken = pooled.taken(&[10, 1]);
    assert_eq!(taken, Sample::from(csr(&x.select(ndarray::Axis(0), &[1, 1]))));
    assert_eq!(Sample::from_bytes(&taken.to_bytes()).unwrap(), taken);
    let size = Points::from(&sparse).size();
    assert_eq!(size.rows, 9);
    assert!(size.work > 0.0 && size.bytes < 8 * 9 * 6 + 200);
}

/// `linear()` on sparse vectors has the vectors as its features.
#[test]
fn linear_kernels_have_features() {
    let (x, compute) = (csr(&sparse_rows(1, 9, 6)), Compute::new());
    let bound = |text: &str| {
        let kernel: Kernel = text.parse().unwrap();
        kernel.bind(Pairs::Within((&x).into()), &compute).unwrap()
    };
    let linear = bound("linear()");
    let (features, _) = linear.features().unwrap();
    assert_eq!((&features.columns[..], &features.values[..]), (x.parts().1, x.parts().2));
    assert!(bound("2*linear() + 1").features().is_some());
    assert!(bound("gaussian()").features().is_none());
    assert!(Tiles::features(&bound("normalized(linear())")).is_some());
}
