//! Multiple kernels: weights from definitions, and the learners on the weighted sum.

use mercer::gram::{self, Pairs};
use mercer::learn::multiple::{
    GramStorage, KernelWeights, MultipleKernelOneClass, MultipleKernelRidge, MultipleKernelSvc, MultipleKernels,
    Normalization, WeightMethod, WeightNote,
};
use mercer::learn::svm::{Classes, Scheme};
use mercer::learn::{LogisticRegression, OneClass, Ridge, Svc};
use mercer::points::Strings;
use mercer::select::logistic_path;
use mercer::solve::{DualOptions, Stopped};
use mercer::{Compute, Error, Kernel, Seed};
use ndarray::{Array1, Array2, Axis, array, s};

fn kernels(texts: &[&str]) -> Vec<Kernel> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn simple(texts: &[&str]) -> MultipleKernels {
    MultipleKernels::new(kernels(texts))
}

/// With an intercept.
fn ridge(kernels: MultipleKernels, lambda: f64) -> MultipleKernelRidge {
    MultipleKernelRidge { intercept: true, ..MultipleKernelRidge::new(kernels, lambda) }
}

fn by(method: WeightMethod, texts: &[&str]) -> MultipleKernels {
    MultipleKernels { method, ..simple(texts) }
}

/// Five columns, of which the first two matter.
fn data(n: usize, seed: u64) -> (Array2<f64>, Array2<f64>, Classes) {
    let mut stream = Seed(seed).stream("multiple", 0);
    let x = Array2::from_shape_fn((n, 5), |_| stream.normal());
    let f = |i: usize| (2.0 * x[[i, 0]]).sin() + 0.5 * x[[i, 1]] + 0.2 * stream.normal();
    let y: Vec<f64> = (0..n).map(f).collect();
    let classes = Classes::from_texts(y.iter().map(|v| if *v > 0.0 { "above" } else { "below" }));
    (x, Array2::from_shape_vec((n, 1), y).unwrap(), classes)
}

const SEVERAL: [&str; 7] = [
    "on([0], gaussian(lengthscale=0.5))",
    "on([0], gaussian(lengthscale=2))",
    "on([1], linear())",
    "on([2], gaussian())",
    "on([3], linear())",
    "gaussian(lengthscale=median)",
    "polynomial(degree=2)",
];

/// `cHKH` with trace `n`, from the definition; `H = I` without centering.
fn normalized(kernel: &Kernel, x: &Array2<f64>, centered: bool) -> Array2<f64> {
    let compute = Compute::new();
    let k = gram::dense(&kernel.bind(Pairs::within(x.view()), &compute).unwrap(), &compute).unwrap();
    let n = k.nrows();
    let h = Array2::<f64>::eye(n) - if centered { 1.0 / n as f64 } else { 0.0 };
    let k = if centered { h.dot(&k).dot(&h) } else { k };
    let trace = k.diag().sum();
    k * (n as f64 / trace)
}

fn all_normalized(weights: &KernelWeights, x: &Array2<f64>, centered: bool) -> Vec<Array2<f64>> {
    weights.kernels().iter().map(|k| normalized(k, x, centered)).collect()
}

fn combined(grams: &[Array2<f64>], beta: &[f64]) -> Array2<f64> {
    grams.iter().zip(beta).fold(Array2::zeros(grams[0].dim()), |sum, (k, b)| sum + k * *b)
}

fn forms(grams: &[Array2<f64>], alpha: &Array1<f64>) -> Vec<f64> {
    grams.iter().map(|k| alpha.dot(&k.dot(alpha))).collect()
}

/// `(K + λI)⁻¹(y − ȳ)` by conjugate gradients, and `J`.
fn ridge_alpha(k: &Array2<f64>, y: &Array2<f64>, lambda: f64) -> (Array1<f64>, f64) {
    let y = y.column(0).to_owned() - y.mean().unwrap();
    let a = k + &(lambda * Array2::<f64>::eye(k.nrows()));
    let (mut x, mut r) = (Array1::zeros(y.len()), y.clone());
    let mut p = r.clone();
    for _ in 0..1000 {
        let (image, rr) = (a.dot(&p), r.dot(&r));
        if rr.sqrt() < 1e-14 * y.dot(&y).sqrt() {
            break;
        }
        let step = rr / p.dot(&image);
        x.scaled_add(step, &p);
        r.scaled_add(-step, &image);
        p = &r + &(&p * (r.dot(&r) / rr));
    }
    let value = lambda * y.dot(&x);
    (x, value)
}

/// Active kernels have the same form, inactive ones less.
fn check_conditions(beta: &[f64], q: &[f64], tolerance: f64) {
    let mean: f64 = beta.iter().zip(q).map(|(b, q)| b * q).sum();
    for (m, (b, q)) in beta.iter().zip(q).enumerate() {
        assert!(*q <= mean * (1.0 + tolerance), "kernel {m}: {q} above {mean}");
        if *b > 1e-3 {
            assert_close!(*q / mean, 1.0, abs = tolerance, "kernel {m} of weight {b}");
        }
    }
    assert_close!(beta.iter().sum::<f64>(), 1.0, abs = 1e-12);
}

/// `wₘ ∝ βₘcₘ` with `Σ wᵖ = 1`, and the kernel is the sum.
fn check_weights(found: &KernelWeights, x: &Array2<f64>, p: f64, centered: bool) {
    let compute = Compute::new();
    let dense = |k: &Kernel| gram::dense(&k.bind(Pairs::within(x.view()), &compute).unwrap(), &compute).unwrap();
    assert_close!(found.weights().iter().map(|w| w.powf(p)).sum::<f64>(), 1.0, abs = 1e-12);
    assert_close!(found.normalized_weights().iter().map(|w| w.powf(p)).sum::<f64>(), 1.0, abs = 1e-12);
    let sum = found
        .kernels()
        .iter()
        .zip(found.weights())
        .fold(Array2::<f64>::zeros((x.nrows(), x.nrows())), |sum, (k, w)| sum + dense(k) * *w);
    let size = sum.iter().fold(0.0_f64, |m, v: &f64| m.max(v.abs()));
    assert_close!(&dense(found.kernel()), &(&sum * found.scale()), each = 1e-12 * size * found.scale());
    let learned = combined(&all_normalized(found, x, centered), found.normalized_weights());
    let h = Array2::<f64>::eye(x.nrows()) - if centered { 1.0 / x.nrows() as f64 } else { 0.0 };
    let again = h.dot(&sum).dot(&h) * found.scale();
    assert_close!(&again, &learned, each = 1e-9 * size * found.scale());
}

#[test]
fn ridge_weights_satisfy_the_conditions_of_the_minimum() {
    let (x, y, _) = data(80, 1);
    for lambda in [0.1, 1.0, 10.0] {
        let spec = ridge(simple(&SEVERAL), lambda);
        let fit = spec.fit(x.view(), y.view(), None, &Compute::new()).unwrap();
        let weights = fit.weights();
        check_weights(weights, &x, 1.0, true);
        let grams = all_normalized(weights, &x, true);
        let (alpha, value) = ridge_alpha(&combined(&grams, weights.normalized_weights()), &y, lambda);
        let q = forms(&grams, &alpha);
        check_conditions(weights.normalized_weights(), &q, 2e-3);
        let evidence = weights.evidence().unwrap();
        assert_eq!(evidence.stopped, Stopped::Converged);
        assert_close!(evidence.objective, value, 1e-9);
        assert!(evidence.gap <= 1e-6 * value && evidence.iterations < 40, "{evidence:?}");
        // The gap bounds what any other weights can gain.
        let mut stream = Seed(5).stream("weights", 0);
        for _ in 0..20 {
            let other: Vec<f64> = (0..7).map(|_| -stream.uniform().ln()).collect();
            let sum: f64 = other.iter().sum();
            let other: Vec<f64> = other.iter().map(|b| b / sum).collect();
            assert!(ridge_alpha(&combined(&grams, &other), &y, lambda).1 >= value - evidence.gap);
        }
        // A kernel on noise alone has no weight unless noise is fitted, and shares are those of ‖f‖².
        assert!(
            weights.weights()[3] < 0.02 && weights.weights()[4] == 0.0 && (lambda < 1.0 || weights.weights()[3] == 0.0)
        );
        assert_close!(fit.shares().iter().sum::<f64>(), 1.0, abs = 1e-12);
        let parts = fit.ridge().function(0, &Compute::new()).unwrap().components(&Compute::new()).unwrap();
        let active: Vec<f64> = weights.active().iter().map(|&m| fit.shares()[m]).collect();
        assert_close!(active, parts.iter().map(|part| part.share), each = 1e-9);
    }
}

#[test]
fn several_outputs_and_row_weights_share_the_kernel_weights() {
    let (x, y, _) = data(60, 2);
    let two = ndarray::concatenate(Axis(1), &[y.view(), x.slice(ndarray::s![.., 1..2])]).unwrap();
    let v: Array1<f64> = (0..60).map(|i| [1.0, 2.0, 0.0][i % 3]).collect();
    let spec = ridge(simple(&SEVERAL), 0.7);
    let fit = spec.fit(x.view(), two.view(), Some(v.view()), &Compute::new()).unwrap();
    let weights = fit.weights();
    // The final fit is the minimum that the weights were learned with: the same objective.
    let residuals = (fit.ridge().residuals().to_owned().mapv(|r| r * r) * v.view().insert_axis(Axis(1))).sum();
    let penalty = 0.7 * fit.ridge().norms().mapv(|v| v * v).sum();
    assert_close!(residuals + penalty, weights.evidence().unwrap().objective, 1e-9);
    // A row of weight 2 counts as two rows, for every method.
    let rows: Vec<usize> = (0..60).flat_map(|i| vec![i; v[i] as usize]).collect();
    let (x2, y2) = (x.select(Axis(0), &rows), two.select(Axis(0), &rows));
    for method in [WeightMethod::Simple, WeightMethod::Alignment, WeightMethod::Mean] {
        // The median counts points.
        let spec = MultipleKernelRidge { kernels: by(method, &SEVERAL[..5]), ..spec.clone() };
        let weighted = spec.fit(x.view(), two.view(), Some(v.view()), &Compute::new()).unwrap();
        let repeated = spec.fit(x2.view(), y2.view(), None, &Compute::new()).unwrap();
        assert_close!(weighted.weights().weights(), repeated.weights().weights(), each = 1e-5, "{method:?}");
        assert_close!(weighted.shares(), repeated.shares(), each = 1e-5, "{method:?}");
    }
}

#[test]
fn svm_weights_satisfy_the_conditions_of_the_minimum() {
    let (x, _, classes) = data(90, 3);
    let signs: Array1<f64> = classes.of().iter().map(|c| if *c == 0 { 1.0 } else { -1.0 }).collect();
    for c in [0.3, 10.0] {
        let kernels = MultipleKernels { tolerance: Some(1e-7), ..simple(&SEVERAL) };
        let fit = MultipleKernelSvc::new(kernels, c).fit(x.view(), &classes, None, &Compute::new()).unwrap();
        let weights = fit.weights();
        check_weights(weights, &x, 1.0, true);
        let grams = all_normalized(weights, &x, true);
        let exact = DualOptions { tolerance: 1e-9, ..DualOptions::default() };
        let solve = |beta: &[f64]| {
            let svc = Svc { solver: exact, ..Svc::new("precomputed()".parse().unwrap(), c) };
            let matrix = combined(&grams, beta);
            let matrix = (&matrix + &matrix.t()) * 0.5;
            let fit = svc.fit(&matrix, &classes, None, &Compute::new()).unwrap();
            let mut alpha = Array1::zeros(90);
            fit.support().iter().zip(fit.dual_coefficients().column(0)).for_each(|(&i, v)| alpha[i] = *v);
            (alpha, fit.evidence().objective)
        };
        let (alpha, value) = solve(weights.normalized_weights());
        assert!(alpha.iter().zip(&signs).all(|(a, s)| a * s >= 0.0));
        check_conditions(weights.normalized_weights(), &forms(&grams, &alpha), 1e-3);
        let evidence = weights.evidence().unwrap();
        assert_eq!(evidence.stopped, Stopped::Converged, "{evidence:?}");
        assert_close!(evidence.objective, value, 1e-6);
        assert!(evidence.gap <= 1e-7 * value && evidence.iterations < 100, "{evidence:?}");
        let mut stream = Seed(6).stream("weights", 0);
        for _ in 0..10 {
            let other: Vec<f64> = (0..7).map(|_| -stream.uniform().ln()).collect();
            let sum: f64 = other.iter().sum();
            let other: Vec<f64> = other.iter().map(|b| b / sum).collect();
            assert!(solve(&other).1 >= value - 2.0 * evidence.gap);
        }
        assert_close!(fit.shares().iter().sum::<f64>(), 1.0, abs = 1e-12);
    }
}

#[test]
fn closed_form_of_the_second_norm() {
    let (x, y, classes) = data(70, 4);
    for p in [1.5, 2.0, 4.0] {
        let kernels = MultipleKernels { norm: p, tolerance: Some(1e-9), ..simple(&SEVERAL) };
        let fit = ridge(kernels, 1.0).fit(x.view(), y.view(), None, &Compute::new()).unwrap();
        let weights = fit.weights();
        check_weights(weights, &x, p, true);
        let (beta, grams) = (weights.normalized_weights(), all_normalized(weights, &x, true));
        let (alpha, _) = ridge_alpha(&combined(&grams, beta), &y, 1.0);
        let q = forms(&grams, &alpha);
        // At the minimum the gradient is parallel to that of Σβᵖ: q ∝ β^{p−1}.
        let raw: Vec<f64> = q.iter().map(|q| q.powf(1.0 / (p - 1.0))).collect();
        let size = raw.iter().map(|b| b.powf(p)).sum::<f64>().powf(1.0 / p);
        assert_close!(beta, raw.iter().map(|b| b / size).collect::<Vec<_>>(), each = 1e-3, "{p}");
        assert!(beta.iter().all(|b| *b > 0.0));
        assert!(weights.evidence().unwrap().relative_gap() <= 1e-9);
    }
    let kernels = MultipleKernels { norm: 2.0, ..simple(&SEVERAL) };
    let fit = MultipleKernelSvc::new(kernels, 1.0).fit(x.view(), &classes, None, &Compute::new()).unwrap();
    check_weights(fit.weights(), &x, 2.0, true);
    assert!(fit.weights().evidence().unwrap().relative_gap() <= 1e-3);
}

#[test]
fn alignment_is_the_best_over_all_directions() {
    let (x, y, classes) = data(50, 5);
    let texts =
        ["on([0], gaussian())", "on([1], linear())", "on([2], linear())", "10*on([0, 1], polynomial(degree=3))"];
    let compute = Compute::new();
    let of_values = ridge(by(WeightMethod::Alignment, &texts), 1.0);
    let of_values = of_values.fit(x.view(), y.view(), None, &compute).unwrap();
    let of_classes = MultipleKernelSvc::new(by(WeightMethod::Alignment, &texts), 1.0);
    let of_classes = of_classes.fit(x.view(), &classes, None, &compute).unwrap();
    let sides = Array2::from_shape_fn((50, 1), |(i, _)| if classes.of()[i] == 0 { 1.0 } else { -1.0 });
    for (found, targets) in [(of_values.weights(), &y), (of_classes.weights(), &sides)] {
        check_weights(found, &x, 1.0, true);
        let grams = all_normalized(found, &x, true);
        let centered = targets.column(0).to_owned() - targets.mean().unwrap();
        let alignment = |beta: &[f64]| {
            let k = combined(&grams, beta);
            centered.dot(&k.dot(&centered)) / (k.mapv(|v| v * v).sum().sqrt() * centered.dot(&centered))
        };
        let best = alignment(found.normalized_weights());
        // Inner products of matrices are summed in single precision, block by block.
        assert_close!(found.alignment().unwrap(), best, abs = 1e-7);
        // Every direction of a grid over the simplex is worse, and near the solution too.
        let steps = 12;
        for a in 0..=steps {
            for b in 0..=steps - a {
                for c in 0..=steps - a - b {
                    let d = steps - a - b - c;
                    let beta = [a, b, c, d].map(|v| v as f64 / steps as f64);
                    assert!(alignment(&beta) <= best + 1e-10, "{beta:?}");
                }
            }
        }
        for m in 0..4 {
            for change in [1e-3, -1e-3] {
                let mut beta = found.normalized_weights().to_vec();
                beta[m] = (beta[m] + change).max(0.0);
                assert!(alignment(&beta) <= best + 1e-10);
            }
        }
    }
}

#[test]
fn the_mean_weighs_centered_kernels_of_trace_n_equally() {
    let (x, y, _) = data(30, 6);
    let texts = ["on([0], linear())", "gaussian()", "3"];
    let fit = ridge(by(WeightMethod::Mean, &texts), 1.0);
    let fit = fit.fit(x.view(), y.view(), None, &Compute::new()).unwrap();
    check_weights_of_two(fit.weights(), &x);
    assert_eq!(fit.weights().notes(), [WeightNote::Constant(2)]);
    assert!(fit.weights().notes()[0].to_string().contains("kernel 2 is constant"));
    assert_eq!(fit.weights().weights()[2], 0.0);
    assert!(!fit.kernel().to_string().contains('3') || fit.weights().active() == [0, 1]);
}

fn check_weights_of_two(found: &KernelWeights, x: &Array2<f64>) {
    let compute = Compute::new();
    let trace = |k: &Kernel| {
        let k = gram::dense(&k.bind(Pairs::within(x.view()), &compute).unwrap(), &compute).unwrap();
        k.diag().sum() - k.sum() / k.nrows() as f64
    };
    let raw = [1.0 / trace(&found.kernels()[0]), 1.0 / trace(&found.kernels()[1])];
    let sum = raw[0] + raw[1];
    assert_close!(&found.weights()[..2], &[raw[0] / sum, raw[1] / sum], each = 1e-12);
    assert_close!(found.normalized_weights(), &[0.5, 0.5, 0.0], each = 1e-14);
}

#[test]
fn a_scaled_kernel_has_a_smaller_weight_and_the_same_function() {
    let (x, y, classes) = data(60, 7);
    let compute = Compute::new();
    let texts = ["on([0], gaussian(lengthscale=0.5))", "on([1], linear())", "on([2], linear())"];
    let scaled = ["10*on([0], gaussian(lengthscale=0.5))", "on([1], linear())", "on([2], linear())"];
    for method in [WeightMethod::Simple, WeightMethod::Alignment, WeightMethod::Mean] {
        let fitted = |texts: &[&str]| ridge(by(method, texts), 0.5).fit(x.view(), y.view(), None, &compute).unwrap();
        let (one, ten) = (fitted(&texts), fitted(&scaled));
        let ratio = |w: &KernelWeights| w.weights()[0] / w.weights()[1];
        assert_close!(ratio(ten.weights()), ratio(one.weights()) / 10.0, 1e-6);
        assert_close!(one.ridge().fitted(), ten.ridge().fitted(), each = 1e-7);
        let svm = |texts: &[&str]| {
            let exact = DualOptions { tolerance: 1e-9, ..DualOptions::default() };
            let kernels = MultipleKernels { tolerance: Some(1e-8), ..by(method, texts) };
            let spec = MultipleKernelSvc { solver: exact, ..MultipleKernelSvc::new(kernels, 2.0) };
            spec.fit(x.view(), &classes, None, &compute).unwrap().svc().values(x.view(), &compute).unwrap()
        };
        assert_close!(&svm(&texts), &svm(&scaled), each = 1e-3);
    }
}

#[test]
fn a_single_kernel_is_the_plain_learner() {
    let (x, y, classes) = data(40, 8);
    let compute = Compute::new();
    let kernel: Kernel = "gaussian(lengthscale=median)".parse().unwrap();
    for method in [WeightMethod::Simple, WeightMethod::Alignment, WeightMethod::Mean] {
        let normalize = Normalization::None;
        let kernels = MultipleKernels { method, normalize, ..MultipleKernels::new(vec![kernel.clone()]) };
        let fit = MultipleKernelRidge::new(kernels.clone(), 0.3).fit(x.view(), y.view(), None, &compute).unwrap();
        let plain = Ridge::new(kernel.clone(), 0.3).fit(x.view(), y.view(), None, &compute).unwrap();
        assert_eq!(fit.weights().weights(), [1.0]);
        assert_eq!((fit.kernel(), fit.ridge().fitted()), (plain.kernel(), plain.fitted()));
        let fit = MultipleKernelSvc::new(kernels, 3.0).fit(x.view(), &classes, None, &compute).unwrap();
        let plain = Svc::new(kernel.clone(), 3.0).fit(x.view(), &classes, None, &compute).unwrap();
        assert_eq!(fit.svc().dual_coefficients(), plain.dual_coefficients());
        assert_eq!(fit.shares(), [1.0]);
    }
    let spec = MultipleKernelOneClass::new(MultipleKernels::new(vec![kernel.clone()]), 0.2);
    let fit = spec.fit(x.view(), None, &compute).unwrap();
    let plain = OneClass::new(kernel, 0.2).fit(x.view(), None, &compute).unwrap();
    assert_eq!(fit.one_class().dual_coefficients(), plain.dual_coefficients());
}

#[test]
fn many_classes_share_the_weights() {
    let compute = Compute::new();
    let mut stream = Seed(9).stream("classes", 0);
    let labels: Vec<usize> = (0..120).map(|i| i % 4).collect();
    let x = Array2::from_shape_fn((120, 3), |(i, j)| {
        let center = [(0.0, 0.0), (3.0, 0.0), (0.0, 3.0), (3.0, 3.0)][labels[i]];
        [center.0, center.1, 0.0][j] + 0.7 * stream.normal()
    });
    let classes = Classes::from_indices(labels.clone(), ["a", "b", "c", "d"].map(String::from).to_vec()).unwrap();
    let texts = ["on([0], gaussian())", "on([1], gaussian())", "on([2], gaussian())"];
    for (scheme, machines) in [(Scheme::OneVersusOne, 6), (Scheme::OneVersusRest, 4)] {
        let spec = MultipleKernelSvc { scheme, ..MultipleKernelSvc::new(simple(&texts), 1.0) };
        let fit = spec.fit(x.view(), &classes, None, &compute).unwrap();
        assert_eq!(fit.svc().binary().len(), machines);
        let weights = fit.weights().weights();
        assert!(weights[2] < 0.05 && weights[0] > 0.3 && weights[1] > 0.3, "{weights:?}");
        let right = fit.predict(x.view(), &compute).unwrap().iter().zip(&labels).filter(|(a, b)| a == b).count();
        assert!(right > 108, "{right}");
        // The shares are those of the sum of ‖f‖² over the machines.
        let total: f64 = fit.shares().iter().sum();
        assert_close!(total, 1.0, abs = 1e-12);
        // The objective is the sum of the machines on the normalized kernel.
        let grams = all_normalized(fit.weights(), &x, true);
        let matrix = combined(&grams, fit.weights().normalized_weights());
        let matrix = (&matrix + &matrix.t()) * 0.5;
        let exact = DualOptions { tolerance: 1e-8, ..DualOptions::default() };
        let svc = Svc { scheme, solver: exact, ..Svc::new("precomputed()".parse().unwrap(), 1.0) };
        let plain = svc.fit(&matrix, &classes, None, &compute).unwrap().evidence().objective;
        let evidence = fit.weights().evidence().unwrap();
        assert!(
            evidence.objective >= plain - 1e-6 && evidence.objective <= plain * (1.0 + 1e-3),
            "{evidence:?} {plain}"
        );
    }
}

#[test]
fn one_class_scales_without_centering() {
    let (x, _, _) = data(60, 10);
    let texts = ["gaussian(lengthscale=1)", "gaussian(lengthscale=2)", "on([0], gaussian())"];
    let compute = Compute::new();
    let kernels = MultipleKernels { norm: 2.0, tolerance: Some(1e-8), ..simple(&texts) };
    let fit = MultipleKernelOneClass::new(kernels, 0.3).fit(x.view(), None, &compute).unwrap();
    check_weights(fit.weights(), &x, 2.0, false);
    let grams = all_normalized(fit.weights(), &x, false);
    let exact = DualOptions { tolerance: 1e-9, ..DualOptions::default() };
    let spec = OneClass { solver: exact, ..OneClass::new("precomputed()".parse().unwrap(), 0.3) };
    let matrix = combined(&grams, fit.weights().normalized_weights());
    let plain = spec.fit(&((&matrix + &matrix.t()) * 0.5), None, &compute).unwrap();
    let mut alpha = Array1::zeros(60);
    plain.support().iter().zip(plain.dual_coefficients()).for_each(|(&i, v)| alpha[i] = *v);
    let q = forms(&grams, &alpha);
    // q ∝ β for p = 2.
    let size = q.iter().map(|q| q * q).sum::<f64>().sqrt();
    assert_close!(fit.weights().normalized_weights(), q.iter().map(|q| q / size).collect::<Vec<_>>(), each = 1e-3);
    let outside = fit.decisions(x.view(), &compute).unwrap().iter().filter(|d| **d < 0.0).count();
    assert!((9..=27).contains(&outside), "{outside}");
    let wrong = MultipleKernelOneClass::new(by(WeightMethod::Alignment, &texts), 0.3).fit(x.view(), None, &compute);
    assert!(matches!(wrong, Err(Error::Unsupported { .. })));
}

#[test]
fn many_kernels_are_found_by_passes_over_all() {
    let (x, y, classes) = data(100, 11);
    let mut texts: Vec<String> = Vec::new();
    for column in 0..5 {
        for lengthscale in [0.2, 0.5, 1.0, 2.0, 5.0, 10.0] {
            texts.push(format!("on([{column}], gaussian(lengthscale={lengthscale}))"));
        }
        texts.extend((1..=3).map(|degree| format!("on([{column}], polynomial(degree={degree}))")));
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let fit = ridge(simple(&texts), 1.0).fit(x.view(), y.view(), None, &Compute::new()).unwrap();
    let weights = fit.weights();
    let grams = all_normalized(weights, &x, true);
    let (alpha, value) = ridge_alpha(&combined(&grams, weights.normalized_weights()), &y, 1.0);
    check_conditions(weights.normalized_weights(), &forms(&grams, &alpha), 2e-3);
    let evidence = weights.evidence().unwrap();
    assert!(evidence.gap <= 1e-6 * value && weights.active().len() < 20, "{evidence:?}");
    let fit = MultipleKernelSvc::new(simple(&texts), 10.0).fit(x.view(), &classes, None, &Compute::new()).unwrap();
    let evidence = fit.weights().evidence().unwrap();
    assert_eq!(evidence.stopped, Stopped::Converged);
    assert!(evidence.relative_gap() <= 1e-3 && evidence.iterations < 100, "{evidence:?}");
}

#[test]
fn little_memory_gives_the_same_weights() {
    let (x, y, _) = data(500, 12);
    let others = ["on([1], gaussian())", "on([2], linear())", "on([3], gaussian())", "on([4], linear())"];
    let more = ["on([4], gaussian())", "on([2, 3], gaussian())", "linear()"];
    let texts = [&SEVERAL[..], &others, &more].concat();
    let spec = ridge(simple(&texts), 1.0);
    let with = |memory: u64| {
        let compute = Compute::new().with_memory(memory);
        spec.fit(x.view(), y.view(), None, &compute)
    };
    // The halves of 14 matrices of 500² numbers take 14 MB in double precision, half of the limit at most.
    let (all, single, none) = (with(1 << 30).unwrap(), with(20_000_000).unwrap(), with(12_000_000).unwrap());
    let storage = |fit: &mercer::learn::multiple::MultipleRidgeFit| fit.weights().storage();
    assert_eq!(storage(&all), Some(GramStorage::Double));
    assert_eq!(storage(&single), Some(GramStorage::Single));
    assert_eq!(storage(&none), Some(GramStorage::Recomputed));
    assert_close!(all.weights().weights(), single.weights().weights(), each = 1e-4);
    assert_close!(all.weights().weights(), none.weights().weights(), each = 1e-9);
    assert!(matches!(with(5_000_000), Err(Error::Memory { .. })));
    for method in [WeightMethod::Alignment, WeightMethod::Mean] {
        let spec = ridge(by(method, &texts), 1.0);
        let with = |memory: u64| spec.fit(x.view(), y.view(), None, &Compute::new().with_memory(memory)).unwrap();
        let (all, none) = (with(1 << 30), with(12_000_000));
        assert_close!(all.weights().weights(), none.weights().weights(), each = 1e-6);
    }
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let (x, y, classes) = data(150, 13);
    for method in [WeightMethod::Simple, WeightMethod::Alignment] {
        for norm in [1.0, 2.0] {
            let kernels = MultipleKernels { norm, ..by(method, &SEVERAL) };
            let run = |threads: usize| {
                let compute = Compute::new().with_threads(threads).unwrap();
                let ridge = ridge(kernels.clone(), 1.0).fit(x.view(), y.view(), None, &compute).unwrap();
                let svm = MultipleKernelSvc::new(kernels.clone(), 1.0).fit(x.view(), &classes, None, &compute).unwrap();
                let shares = [ridge.shares().to_vec(), svm.shares().to_vec()];
                (ridge.weights().clone(), ridge.ridge().fitted().to_owned(), svm.weights().clone(), shares)
            };
            let one = run(1);
            assert!(one == run(2) && one == run(5), "{method:?} {norm}");
        }
    }
}

#[test]
fn equal_kernels_and_constant_ones() {
    let (x, y, classes) = data(50, 14);
    let compute = Compute::new();
    let one = ridge(simple(&["gaussian()", "on([1], linear())"]), 1.0);
    let one = one.fit(x.view(), y.view(), None, &compute).unwrap();
    let twice = ["gaussian()", "on([1], linear())", "gaussian()", "constant(value=2)"];
    for norm in [1.0, 2.0] {
        let kernels = MultipleKernels { norm, ..simple(&twice) };
        let fit = ridge(kernels.clone(), 1.0).fit(x.view(), y.view(), None, &compute).unwrap();
        let weights = fit.weights();
        assert_eq!((weights.weights()[3], weights.notes()), (0.0, &[WeightNote::Constant(3)][..]));
        if norm == 1.0 {
            assert_close!(weights.weights()[0] + weights.weights()[2], one.weights().weights()[0], abs = 1e-3);
        } else {
            assert_close!(weights.weights()[0], weights.weights()[2], abs = 1e-12);
        }
        assert!(weights.evidence().unwrap().stopped == Stopped::Converged);
        assert!(MultipleKernelSvc::new(kernels, 1.0).fit(x.view(), &classes, None, &compute).is_ok());
    }
    for method in [WeightMethod::Simple, WeightMethod::Alignment, WeightMethod::Mean] {
        let constant = ridge(by(method, &["constant(value=1)", "on([0], linear())"]), 1.0);
        let same = Array2::from_elem((6, 2), 1.5);
        let refused = constant.fit(same.view(), Array2::ones((6, 1)).view(), None, &compute).unwrap_err();
        assert!(refused.to_string().contains("every kernel is constant"), "{refused}");
    }
    // Constant targets: nothing to learn, any weights will do.
    let flat = Array2::from_elem((50, 1), 2.0);
    let fit = ridge(simple(&SEVERAL), 1.0).fit(x.view(), flat.view(), None, &compute).unwrap();
    assert_close!(fit.weights().weights().iter().sum::<f64>(), 1.0, abs = 1e-12);
    let aligned = ridge(by(WeightMethod::Alignment, &SEVERAL), 1.0);
    assert!(matches!(aligned.fit(x.view(), flat.view(), None, &compute), Err(Error::Undetermined { .. })));
}

#[test]
fn what_is_wrong_is_refused_by_name() {
    let (x, y, classes) = data(20, 15);
    let compute = Compute::new();
    let refused = |kernels: MultipleKernels, lambda: f64| {
        ridge(kernels, lambda).fit(x.view(), y.view(), None, &compute).unwrap_err().to_string()
    };
    assert!(refused(simple(&[]), 1.0).contains("kernels"));
    assert!(refused(simple(&SEVERAL), 0.0).contains("lambda = 0"));
    assert!(refused(simple(&SEVERAL), -1.0).contains("lambda = -1"));
    assert!(refused(simple(&SEVERAL), f64::NAN).contains("lambda = NaN"));
    assert!(refused(MultipleKernels { norm: 0.5, ..simple(&SEVERAL) }, 1.0).contains("norm = 0.5"));
    assert!(refused(MultipleKernels { norm: f64::INFINITY, ..simple(&SEVERAL) }, 1.0).contains("norm = inf"));
    assert!(refused(MultipleKernels { tolerance: Some(0.0), ..simple(&SEVERAL) }, 1.0).contains("tolerance = 0"));
    assert!(refused(MultipleKernels { max_iterations: 0, ..simple(&SEVERAL) }, 1.0).contains("max_iterations = 0"));
    assert!(refused(simple(&["gaussian()", "tanh()"]), 1.0).contains("tanh"));
    assert!(refused(simple(&["gaussian()", "on([9], linear())"]), 1.0).contains('9'));
    let spec = ridge(simple(&SEVERAL), 1.0);
    let mut bad = y.clone();
    bad[[3, 0]] = f64::NAN;
    assert!(spec.fit(x.view(), bad.view(), None, &compute).unwrap_err().to_string().contains("row 3"));
    let mut holes = x.clone();
    holes[[2, 1]] = f64::INFINITY;
    assert!(matches!(spec.fit(holes.view(), y.view(), None, &compute), Err(Error::Value { row: 2, .. })));
    let short = y.slice(ndarray::s![..19, ..]);
    assert!(matches!(spec.fit(x.view(), short, None, &compute), Err(Error::Shape { .. })));
    let none = Array2::zeros((0, 5));
    assert!(spec.fit(none.view(), Array2::zeros((0, 1)).view(), None, &compute).is_err());
    let negative = Array1::from_elem(20, -1.0);
    assert!(spec.fit(x.view(), y.view(), Some(negative.view()), &compute).is_err());
    let svm =
        |c: f64, classes: &Classes| MultipleKernelSvc::new(simple(&SEVERAL), c).fit(x.view(), classes, None, &compute);
    assert!(svm(0.0, &classes).unwrap_err().to_string().contains("C = 0"));
    assert!(matches!(svm(1.0, &Classes::from_texts(["a"; 20])), Err(Error::OneClass { .. })));
    assert!(matches!(svm(1.0, &Classes::from_texts(["a", "b"])), Err(Error::Shape { .. })));
    let one = |nu: f64| MultipleKernelOneClass::new(simple(&SEVERAL), nu).fit(x.view(), None, &compute);
    assert!(one(0.0).is_err() && one(1.5).is_err() && one(0.5).is_ok());
    // One row: every centered kernel is 0.
    let (first, target) = (x.slice(ndarray::s![..1, ..]), y.slice(ndarray::s![..1, ..]));
    let two = ridge(simple(&SEVERAL[..2]), 1.0);
    assert!(matches!(two.fit(first, target, None, &compute), Err(Error::Undetermined { .. })));
    assert!(spec.fit(first, target, None, &compute).is_err());
    let stopped = Compute::new().with_cancel(mercer::Cancel::when(|| true));
    assert!(matches!(spec.fit(x.view(), y.view(), None, &stopped), Err(Error::Canceled)));
    // A step limit gives valid weights with their gap.
    let few = MultipleKernels { max_iterations: 1, ..simple(&SEVERAL) };
    let fit = ridge(few, 1.0).fit(x.view(), y.view(), None, &compute).unwrap();
    let evidence = fit.weights().evidence().unwrap();
    assert!(evidence.stopped == Stopped::StepLimit && evidence.gap > 0.0, "{evidence:?}");
}

#[test]
fn strings_and_kernel_values() {
    let compute = Compute::new();
    let words = ["abab", "abba", "aabb", "baba", "cdcd", "cddc", "ccdd", "dcdc"];
    let strings: Strings = words.into_iter().collect();
    let classes = Classes::from_texts(["x", "x", "x", "x", "y", "y", "y", "y"]);
    let texts = ["normalized(spectrum(length=1))", "normalized(spectrum(length=2))", "normalized(spectrum(length=3))"];
    let fit = MultipleKernelSvc::new(simple(&texts), 10.0).fit(&strings, &classes, None, &compute).unwrap();
    assert!(fit.weights().weights()[0] > 0.9, "{:?}", fit.weights().weights());
    let new: Strings = ["aaab", "dddc"].into_iter().collect();
    assert_eq!(fit.predict(&new, &compute).unwrap(), [0, 1]);
    // Powers of one matrix of kernel values.
    let (x, y, _) = data(30, 16);
    let k = x.dot(&x.t());
    let values = ridge(simple(&["precomputed()", "precomputed()^2"]), 1.0);
    let on_values = values.fit(&k, y.view(), None, &compute).unwrap();
    let points = ridge(simple(&["linear()", "linear()^2"]), 1.0);
    let on_points = points.fit(&x, y.view(), None, &compute).unwrap();
    assert_close!(on_values.weights().weights(), on_points.weights().weights(), each = 1e-9);
    assert_close!(on_values.predict(&k, &compute).unwrap(), on_points.predict(&x, &compute).unwrap(), each = 1e-9);
    let mixed = ridge(simple(&["precomputed()", "linear()"]), 1.0);
    assert!(matches!(mixed.fit(&k, y.view(), None, &compute), Err(Error::Precomputed { .. })));
    let skew = array![[1.0, 0.5], [0.0, 1.0]];
    assert!(values.fit(&skew, y.slice(ndarray::s![..2, ..]), None, &compute).is_err());
}

/// `P − D` of the problem over functions and weights together, from a fitted classifier alone: `P` is
/// its objective with the kernel of the fit, `D = Σ|α| − ½ max αᵀK̃ₘα` a bound for all weights.
fn classifier_gap(
    fit: &mercer::learn::multiple::MultipleSvcFit,
    x: &Array2<f64>,
    classes: &Classes,
    c: f64,
    grams: &[Array2<f64>],
) -> (f64, f64) {
    let compute = Compute::new();
    let mut alpha = Array1::zeros(x.nrows());
    fit.svc().support().iter().zip(fit.svc().dual_coefficients().column(0)).for_each(|(&i, v)| alpha[i] = *v);
    let bound = fit.kernel().bind(Pairs::within(x.view()), &compute).unwrap();
    let penalty = 0.5 * alpha.dot(&gram::dense(&bound, &compute).unwrap().dot(&alpha));
    let values = fit.svc().values(x.view(), &compute).unwrap();
    let side = |i: usize| if classes.of()[i] == 0 { 1.0 } else { -1.0 };
    let sign = if alpha.iter().enumerate().all(|(i, a)| a * side(i) >= 0.0) { 1.0 } else { -1.0 };
    let loss: f64 = (0..x.nrows()).map(|i| (1.0 - sign * side(i) * values[[i, 0]]).max(0.0)).sum();
    let primal = penalty + c * loss;
    let largest = forms(grams, &alpha).into_iter().fold(0.0, f64::max);
    (primal, primal - (alpha.iter().map(|a| a.abs()).sum::<f64>() - 0.5 * largest))
}

#[test]
fn the_fitted_model_solves_the_problem_whose_gap_is_told() {
    let (x, y, classes) = data(80, 17);
    let compute = Compute::new();
    for normalize in [Normalization::Trace, Normalization::None] {
        let kernels = MultipleKernels { normalize, tolerance: Some(1e-6), ..simple(&SEVERAL) };
        let grams_of = |found: &KernelWeights| match normalize {
            Normalization::Trace => all_normalized(found, &x, true),
            Normalization::None => found.kernels().iter().map(|k| centered(k, &x)).collect(),
        };
        let exact = DualOptions { tolerance: 1e-9, ..DualOptions::default() };
        let spec = MultipleKernelSvc { solver: exact, ..MultipleKernelSvc::new(kernels.clone(), 3.0) };
        let fit = spec.fit(x.view(), &classes, None, &compute).unwrap();
        let evidence = fit.weights().evidence().unwrap();
        let (objective, gap) = classifier_gap(&fit, &x, &classes, 3.0, &grams_of(fit.weights()));
        assert_close!(objective, evidence.objective, 2e-6);
        assert!(gap <= 2e-6 * objective && gap >= -1e-9, "{gap} {evidence:?}");
        assert_close!(fit.svc().evidence().objective, evidence.objective, 2e-6);
        // The same for ridge regression, with and without intercept.
        for intercept in [true, false] {
            let spec = MultipleKernelRidge { intercept, ..ridge(kernels.clone(), 0.5) };
            let fit = spec.fit(x.view(), y.view(), None, &compute).unwrap();
            let evidence = fit.weights().evidence().unwrap();
            let loss: f64 = fit.ridge().residuals().iter().map(|r| r * r).sum();
            let objective = loss + 0.5 * fit.ridge().norms()[0].powi(2);
            assert_close!(objective, evidence.objective, 1e-8, "{normalize:?} {intercept}");
            let alpha = fit.ridge().dual_coefficients().column(0).to_owned();
            let grams: Vec<Array2<f64>> = match (normalize, intercept) {
                (Normalization::Trace, _) => all_normalized(fit.weights(), &x, intercept),
                (Normalization::None, true) => grams_of(fit.weights()),
                (Normalization::None, false) => fit.weights().kernels().iter().map(|k| values(k, &x)).collect(),
            };
            let largest = forms(&grams, &alpha).into_iter().fold(0.0, f64::max);
            let bound = 0.5 * (2.0 * alpha.dot(&y.column(0)) - 0.5 * alpha.dot(&alpha) - largest);
            assert!(bound <= objective * (1.0 + 1e-9) && bound >= objective * (1.0 - 2e-6), "{bound} {objective}");
        }
    }
}

fn values(kernel: &Kernel, x: &Array2<f64>) -> Array2<f64> {
    let compute = Compute::new();
    gram::dense(&kernel.bind(Pairs::within(x.view()), &compute).unwrap(), &compute).unwrap()
}

fn centered(kernel: &Kernel, x: &Array2<f64>) -> Array2<f64> {
    let h = Array2::<f64>::eye(x.nrows()) - 1.0 / x.nrows() as f64;
    h.dot(&values(kernel, x)).dot(&h)
}

#[test]
fn a_common_factor_of_all_kernels_changes_nothing() {
    let (x, y, classes) = data(70, 18);
    let compute = Compute::new();
    let texts = |factor: f64| SEVERAL.map(|text| format!("{factor}*{text}"));
    for method in [WeightMethod::Simple, WeightMethod::Alignment, WeightMethod::Mean] {
        let run = |factor: f64| {
            let texts = texts(factor);
            let kernels = by(method, &texts.iter().map(String::as_str).collect::<Vec<_>>());
            let ridge = ridge(kernels.clone(), 0.5).fit(x.view(), y.view(), None, &compute).unwrap();
            let svm = MultipleKernelSvc::new(kernels.clone(), 10.0).fit(x.view(), &classes, None, &compute).unwrap();
            let mut outputs = vec![ridge.ridge().fitted().to_owned(), svm.svc().values(x.view(), &compute).unwrap()];
            let mut weights = [ridge.weights().weights().to_vec(), svm.weights().weights().to_vec()].concat();
            if method != WeightMethod::Alignment {
                let one = MultipleKernelOneClass::new(kernels, 0.3).fit(x.view(), None, &compute).unwrap();
                let decisions = one.decisions(x.view(), &compute).unwrap();
                outputs.push(Array2::from_shape_vec((70, 1), decisions).unwrap());
                weights.extend(one.weights().weights());
            }
            (outputs, weights)
        };
        let (outputs, weights) = run(1.0);
        // A power of two changes no digit; others change rounding.
        for (factor, tolerance) in [(1.0 / 1024.0, 1e-12), (1e-3, 2e-2), (1e6, 2e-2)] {
            let (others, other) = run(factor);
            assert_close!(&other, &weights, each = tolerance, "{method:?} {factor}");
            for (a, b) in outputs.iter().zip(&others) {
                assert_close!(a, b, each = tolerance, "{method:?} {factor}");
            }
        }
    }
}

/// A column of two values, one of them so rare that some rows do not show it.
#[test]
fn columns_that_vary_in_few_rows() {
    let ((mut x, _, classes), compute) = (data(160, 8), Compute::new());
    x.column_mut(0).fill(1.0);
    [3, 47, 101].into_iter().for_each(|i| x[[i, 0]] = -40.0);
    let texts = ["on([0], polynomial(degree=3, offset=1))", "on([1], linear())", "on([2], gaussian(lengthscale=12))"];
    for method in [WeightMethod::Simple, WeightMethod::Alignment, WeightMethod::Mean] {
        for some in [&texts[..], &texts[..1]] {
            let svc = MultipleKernelSvc::new(by(method, some), 10.0);
            let fit = svc.fit(x.view(), &classes, None, &compute).unwrap();
            check_weights(fit.weights(), &x, 1.0, true);
        }
    }
}

/// Rows are chosen of the kernel values before the matrix is bound: an error, not a panic.
#[test]
fn kernel_values_that_are_no_square_matrix() {
    let ((x, y, classes), compute) = (data(20, 3), Compute::new());
    let rows = x.slice(s![.., ..2]);
    let svc = MultipleKernelSvc::new(simple(&["precomputed()"]), 1.0);
    let shape = |error: Error| match error {
        Error::Shape { found, .. } => found,
        other => panic!("{other}"),
    };
    assert_eq!(shape(svc.fit(rows, &classes, None, &compute).unwrap_err()), "(20, 2)");
    assert!(ridge(simple(&["precomputed()"]), 1.0).fit(rows, y.view(), None, &compute).is_err());
    let (plain, folds) = (Svc::new("precomputed()".parse().unwrap(), 1.0), vec![0; 20]);
    assert_eq!(shape(plain.validate(rows, &classes, None, &[1.0], &folds, &compute).unwrap_err()), "(20, 2)");
    let logistic = LogisticRegression::new("precomputed()".parse().unwrap(), 1.0);
    let found = logistic_path(&logistic, &[1.0], 4, rows, classes.of(), None, &compute);
    assert_eq!(shape(found.unwrap_err()), "(20, 2)");
}
