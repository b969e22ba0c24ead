//! Kernel independent component analysis: golden contrasts and separations, exact gradients by
//! their effect, wrong input.

use crate::common::golden::{Golden, matrix, number, numbers};
use crate::common::models::{bits, round_trip};
use crate::common::{assert_all_close, assert_arrays_close};
use mercer::learner::{FactValue, FitInput, Learner};
use mercer::model::{Inputs, Model};
use mercer::points::Strings;
use mercer::settings::Settings;
use mercer::solve::symmetric_eigen;
use mercer::view::ica::{
    Contrast, ENTRY, IcaFit, KernelIca, amari_distance, hsic_contrast, kcc_contrast, kgv_contrast, negentropy_contrast,
};
use mercer::{Cancel, Compute, Error, Seed};
use ndarray::{Array2, ArrayView2, Axis, array, s};

fn contrast(kind: Contrast, y: ArrayView2<f64>, lengthscale: f64, kappa: f64) -> f64 {
    let compute = Compute::new();
    match kind {
        Contrast::Kgv => kgv_contrast(y, lengthscale, kappa, &compute),
        Contrast::Kcc => kcc_contrast(y, lengthscale, kappa, &compute),
        Contrast::Hsic => hsic_contrast(y, lengthscale, &compute),
        Contrast::Negentropy => negentropy_contrast(y, lengthscale),
    }
    .unwrap()
}

/// `(x − μ)C^{−1/2}`, and `C^{−1/2}`.
fn whitened(x: &Array2<f64>) -> (Array2<f64>, Array2<f64>) {
    let centered = x - &x.mean_axis(Axis(0)).unwrap();
    let covariance = centered.t().dot(&centered) / x.nrows() as f64;
    let root = symmetric_eigen(covariance.view(), &Compute::new()).unwrap().map(|v| 1.0 / v.sqrt());
    (centered.dot(&root), root)
}

/// Mixed sources of three kinds.
fn mixture(n: usize, m: usize, seed: u64) -> (Array2<f64>, Array2<f64>) {
    let mut stream = Seed(seed).stream("sources", n as u64);
    let s = Array2::from_shape_fn((n, m), |(_, j)| match j % 3 {
        0 => stream.uniform(),
        1 => -(1.0 - stream.uniform()).ln(),
        _ => 0.2 * stream.normal() + if stream.uniform() < 0.5 { -0.5 } else { 0.5 },
    });
    let a = Array2::from_shape_fn((m, m), |(i, j)| stream.normal() + if i == j { 2.0 } else { 0.0 });
    (s.dot(&a.t()), a)
}

const ALL: [Contrast; 4] = [Contrast::Negentropy, Contrast::Kgv, Contrast::Kcc, Contrast::Hsic];

#[test]
fn golden_contrasts() {
    let golden = Golden::load("c10_kernel_ica_contrasts");
    let (sigma, kappa) = (number(golden.input("sigma")), number(golden.input("kappa")));
    for (key, expected) in golden.expected() {
        let (data, columns) = key.split_once("_first_").unwrap();
        let y = matrix(golden.input(data));
        let y = y.slice(s![.., ..columns.parse::<usize>().unwrap()]);
        for (kind, name) in
            [(Contrast::Kcc, "kcc_contrast"), (Contrast::Kgv, "kgv_contrast"), (Contrast::Hsic, "hsic_contrast")]
        {
            golden.check(key, name, contrast(kind, y, sigma, kappa), number(&expected[name]));
        }
    }
}

#[test]
fn golden_rotations() {
    let golden = Golden::load("c10_kernel_ica_rotation_scan");
    let (s, a) = (matrix(golden.input("S")), matrix(golden.input("A")));
    let x = s.dot(&a.t());
    let (z, whitening) = whitened(&x);
    let (sigma, kappa) = (number(golden.input("sigma")), number(golden.input("kappa")));
    let expected = golden.expected();
    for kind in [Contrast::Kcc, Contrast::Kgv, Contrast::Hsic] {
        let turned = |angle: f64| z.dot(&array![[angle.cos(), -angle.sin()], [angle.sin(), angle.cos()]]);
        let found: Vec<f64> =
            numbers(&expected["theta"]).into_iter().map(|t| contrast(kind, turned(t).view(), sigma, kappa)).collect();
        golden.check_all(kind.name(), "scan", &found, &numbers(&expected[kind.name()]));

        let spec = KernelIca { contrast: kind, lengthscale: Some(sigma), kappa: Some(kappa), ..KernelIca::default() };
        let fit = spec.fit(&x, &Compute::new()).unwrap();
        let optimum = &expected["optimum"][kind.name()];
        golden.check("optimum", "contrast", fit.contrast(), number(&optimum["contrast"]));
        let amari = amari_distance(fit.components(), a.view()).unwrap();
        golden.check("optimum", "amari", amari, number(&optimum["amari"]));
        assert!(amari < number(&expected["amari_threshold_for_a_good_method"]));
        // W = R(θ)C^{−1/2} up to a quarter turn and signs.
        let rotation =
            fit.components().dot(&symmetric_eigen(whitening.view(), &Compute::new()).unwrap().map(|v| 1.0 / v));
        let theta = rotation[[0, 1]].atan2(rotation[[0, 0]]).rem_euclid(std::f64::consts::FRAC_PI_2);
        golden.check("optimum", "theta_opt", theta, number(&optimum["theta_opt"]));
        assert!(fit.evidence().converged && fit.evidence().sweeps == [1]);
    }
}

#[test]
fn golden_separation() {
    let golden = Golden::load("c10_ica_separation_threshold");
    let (s, a) = (matrix(golden.input("S")), matrix(golden.input("A")));
    let threshold = number(&golden.expected()["threshold"]);
    for kind in ALL {
        let fit = KernelIca { contrast: kind, ..KernelIca::default() }.fit(&s.dot(&a.t()), &Compute::new()).unwrap();
        let amari = amari_distance(fit.components(), a.view()).unwrap();
        assert!(amari < threshold, "{kind:?}: {amari}");
        let key = format!("{}_jacobi", kind.name());
        if let Some(reference) = golden.expected()["reference_amari"].get(&key) {
            golden.check("reference_amari", &key, amari, number(reference));
        }
    }
    let matrices = golden.input("amari_example_matrices").as_array().unwrap();
    let found: Vec<f64> = matrices
        .iter()
        .map(|example| {
            let p = matrix(example);
            amari_distance(Array2::eye(p.nrows()).view(), p.view()).unwrap()
        })
        .collect();
    golden.check_all("amari_examples", "examples", &found, &numbers(&golden.expected()["amari_examples"]));
}

/// The definition, term by term.
#[test]
fn negentropies_are_sums_over_all_pairs() {
    let (x, _) = mixture(120, 3, 11);
    let y = whitened(&x).0;
    for lengthscale in [0.05, 0.4, 0.9_f64] {
        let shrink = (1.0 - lengthscale * lengthscale).sqrt();
        let scale = lengthscale * (2.0 * std::f64::consts::PI).sqrt();
        let mut expected = 0.0;
        for column in y.columns() {
            let density = |t: f64| {
                let kernel = |v: &f64| (-0.5 * ((t - shrink * v) / lengthscale).powi(2)).exp() / scale;
                column.iter().map(kernel).sum::<f64>() / 120.0
            };
            let entropy = 0.5 * (2.0 * std::f64::consts::PI * std::f64::consts::E).ln();
            let negentropy = entropy + column.iter().map(|&t| density(t).ln()).sum::<f64>() / 120.0;
            let excess = column.iter().map(|t| t.cosh().ln()).sum::<f64>() / 120.0 - 0.374_567_207;
            expected -= negentropy + 2.0 * excess * excess / (2.0 * 0.006_327_867);
        }
        assert_close!(negentropy_contrast(y.view(), lengthscale).unwrap(), expected, abs = 1e-4, "{lengthscale}");
    }
    // Units and places do not matter, however large.
    let found = negentropy_contrast(y.view(), 0.4).unwrap();
    assert_close!(negentropy_contrast((&y * 1e200 + 1e190).view(), 0.4).unwrap(), found, 1e-9);
    assert_close!(negentropy_contrast((&y * 1e-200).view(), 0.4).unwrap(), found, 1e-9);
}

/// A Gaussian variable and independent ones of three kinds, and one value that is far from the others.
#[test]
fn negentropy_separates_near_gaussian_and_heavy_tails() {
    let compute = Compute::new();
    let mut stream = Seed(12).stream("sources", 0);
    let laplace = |u: f64| if u < 0.5 { (2.0 * u).ln() } else { -(2.0 - 2.0 * u).ln() };
    let mut s = Array2::from_shape_fn((1000, 4), |(_, j)| match j {
        0 => stream.normal(),
        1 => laplace(stream.uniform()),
        2 => 0.5 * stream.normal() + if stream.uniform() < 0.5 { -0.5 } else { 0.5 },
        _ => 0.15 * stream.normal() + if stream.uniform() < 0.25 { -0.5 } else { 0.5 },
    });
    let a = array![[1.0, 0.3, 0.2, -0.4], [-0.5, 1.0, 0.1, 0.2], [0.2, -0.3, 1.0, 0.3], [0.1, 0.2, -0.6, 1.0]];
    let fit = KernelIca::default().fit(&s.dot(&a.t()), &compute).unwrap();
    let amari = amari_distance(fit.components(), a.view()).unwrap();
    assert!(fit.evidence().converged && amari < 0.35, "{amari} {:?}", fit.evidence());
    s[[0, 1]] = 1e6;
    let fit = KernelIca::default().fit(&s.dot(&a.t()), &compute).unwrap();
    assert!(fit.contrast().is_finite() && fit.components().iter().all(|v| v.is_finite()));
}

/// Nothing near the fit is better: the gradient steps end at a minimum of the exact contrast.
#[test]
fn fits_are_minima_of_the_contrast() {
    let (x, _) = mixture(150, 3, 1);
    for kind in ALL {
        let spec = KernelIca { contrast: kind, tolerance: 1e-7, ..KernelIca::default() };
        let fit = spec.fit(&x, &Compute::new()).unwrap();
        let y = fit.transform(&x).unwrap();
        let at = contrast(kind, y.view(), fit.lengthscale(), fit.kappa());
        assert_close!(fit.contrast(), at, abs = 1e-5 * at.abs(), "{kind:?}");
        // The smallest eigenvalue has kinks where two meet, and its minima lie there.
        assert!(fit.evidence().converged || kind == Contrast::Kcc, "{kind:?}: {:?}", fit.evidence());
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            let turned = |angle: f64| {
                let mut turned = y.clone();
                turned.column_mut(i).assign(&(&y.column(i) * angle.cos() + &y.column(j) * angle.sin()));
                turned.column_mut(j).assign(&(&y.column(j) * angle.cos() - &y.column(i) * angle.sin()));
                contrast(kind, turned.view(), fit.lengthscale(), fit.kappa())
            };
            assert!(turned(0.02).min(turned(-0.02)) > at - 1e-3 * at.abs(), "{kind:?}");
            if kind == Contrast::Kcc {
                continue;
            }
            // Central differences: the slope is far smaller than the curvature.
            let (low, high, h) = (turned(-1e-3), turned(1e-3), 1e-3);
            let (slope, curvature) = ((high - low) / (2.0 * h), (high + low - 2.0 * at) / (h * h));
            assert!(curvature > 0.0 && slope.abs() < 1e-4 * curvature, "{kind:?}: {slope:e} {curvature:e}");
        }
    }
}

#[test]
fn components_are_a_linear_map_and_back() {
    let (x, a) = mixture(300, 4, 2);
    let fit = KernelIca::default().fit(&x, &Compute::new()).unwrap();
    let y = fit.transform(&x).unwrap();
    let mean = x.mean_axis(Axis(0)).unwrap();
    assert_arrays_close(&y, &(&x - &mean).dot(&fit.components().t()), 1e-12, "W(x − μ)");
    assert_arrays_close(&fit.inverse_transform(y.view()).unwrap(), &x, 1e-10, "back");
    assert_arrays_close(&fit.components().dot(&fit.mixing()), &Array2::eye(4), 1e-10, "WA");
    assert_arrays_close(&(y.t().dot(&y) / 300.0), &Array2::eye(4), 1e-10, "whitened");
    assert_all_close(&y.mean_axis(Axis(0)).unwrap(), &[0.0; 4], 1e-12, "centered");
    assert!(amari_distance(fit.components(), a.view()).unwrap() < 0.3);
    // In the order of the variance that they explain, the largest coefficient of a row positive.
    let explained: Vec<f64> = fit.mixing().columns().into_iter().map(|c| c.dot(&c)).collect();
    assert!(explained.windows(2).all(|pair| pair[0] >= pair[1]));
    let largest =
        |row: ndarray::ArrayView1<f64>| row.iter().fold(0.0_f64, |m, v| if v.abs() > m.abs() { *v } else { m });
    assert!(fit.components().rows().into_iter().all(|row| largest(row) > 0.0));
}

/// Units of the columns do not matter.
#[test]
fn scaled_columns_have_the_same_components() {
    let (x, _) = mixture(200, 2, 3);
    let scales = array![1e-6, 1e9];
    let fit = KernelIca::default().fit(&x, &Compute::new()).unwrap();
    let scaled = KernelIca::default().fit(&(&x * &scales), &Compute::new()).unwrap();
    assert_close!(fit.contrast(), scaled.contrast(), 1e-9);
    let (y, z) = (fit.transform(&x).unwrap(), scaled.transform(&(&x * &scales)).unwrap());
    let cross = y.t().dot(&z).mapv(|v| v.abs() / 200.0);
    assert_close!(cross[[0, 0]].max(cross[[0, 1]]), 1.0, 1e-6);
}

#[test]
fn fewer_components_are_principal_ones() {
    let (sources, a) = mixture(250, 2, 4);
    let mut stream = Seed(5).stream("noise", 0);
    let wide = array![[1.0, 0.3], [0.2, 1.0], [-0.7, 0.6], [0.0, 0.0]];
    let noise = Array2::from_shape_simple_fn((250, 4), || 1e-3 * stream.normal());
    let mut x = sources.dot(&wide.t()) + &noise;
    x.column_mut(3).fill(7.0);
    let spec = KernelIca { components: Some(2), ..KernelIca::default() };
    let fit = spec.fit(&x, &Compute::new()).unwrap();
    assert_eq!((fit.components().dim(), fit.mixing().dim()), ((2, 4), (4, 2)));
    let y = fit.transform(&x).unwrap();
    assert_arrays_close(&fit.inverse_transform(y.view()).unwrap(), &x, 1e-2, "up to the noise");
    let back = fit.transform(&fit.inverse_transform(y.view()).unwrap()).unwrap();
    assert_arrays_close(&back, &y, 1e-9, "a projection");
    let amari = amari_distance(fit.components(), wide.dot(&a).view()).unwrap();
    assert!(amari < 0.15, "{amari}");
    // All four do not exist.
    let error = KernelIca::default().fit(&x, &Compute::new()).unwrap_err();
    assert!(matches!(error, Error::AllEqual { .. }) && error.to_string().contains("column 3"), "{error}");
    let error = KernelIca { components: Some(4), ..spec.clone() }.fit(&x, &Compute::new()).unwrap_err();
    assert!(error.to_string().contains("column 3"), "{error}");
    let doubled = Array2::from_shape_fn((250, 3), |(i, j)| sources[[i, j % 2]] * (1 + j) as f64);
    let error = KernelIca::default().fit(&doubled, &Compute::new()).unwrap_err();
    assert!(matches!(error, Error::Singular { .. }), "{error}");
    assert!(error.to_string().contains("at most 2 components"), "{error}");
    assert!(spec.fit(&doubled, &Compute::new()).is_ok());
    let three = KernelIca { components: Some(3), ..spec }.fit(&x.slice(s![..3, ..]).to_owned(), &Compute::new());
    assert!(matches!(three, Err(Error::Singular { .. })));
}

#[test]
fn many_rows_have_smaller_defaults() {
    let (x, a) = mixture(1000, 2, 6);
    let kgv = KernelIca { contrast: Contrast::Kgv, ..KernelIca::default() };
    let fit = kgv.fit(&x, &Compute::new()).unwrap();
    assert_eq!((fit.lengthscale(), fit.kappa()), (0.5, 0.002));
    assert!(amari_distance(fit.components(), a.view()).unwrap() < 0.05);
    let fit = kgv.fit(&x.slice(s![..999, ..]).to_owned(), &Compute::new()).unwrap();
    assert_eq!((fit.lengthscale(), fit.kappa()), (1.0, 0.02));
    let fit = KernelIca::default().fit(&x, &Compute::new()).unwrap();
    assert_eq!(fit.lengthscale(), 0.4);
    // 32^{1/5} = 2.
    let fit = KernelIca::default().fit(&mixture(32_000, 2, 6).0, &Compute::new()).unwrap();
    assert_close!(fit.lengthscale(), 0.2, 1e-15);
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let (x, _) = mixture(400, 3, 7);
    for kind in [Contrast::Negentropy, Contrast::Kgv, Contrast::Hsic] {
        let run = |threads: usize| {
            let compute = Compute::new().with_threads(threads).unwrap();
            KernelIca { contrast: kind, ..KernelIca::default() }.fit(&x, &compute).unwrap()
        };
        let one = run(1);
        assert_eq!(one, run(2));
        assert_eq!(one, run(5));
    }
}

#[test]
fn one_component_few_rows_and_equal_columns() {
    let compute = Compute::new();
    let x = array![[1.0], [3.0], [8.0]];
    let kgv = KernelIca { contrast: Contrast::Kgv, ..KernelIca::default() };
    assert_eq!(kgv.fit(&x, &compute).unwrap().contrast(), 0.0);
    let fit = KernelIca::default().fit(&x, &compute).unwrap();
    assert_close!(fit.contrast(), negentropy_contrast(x.view(), 0.4).unwrap(), 1e-9);
    let y = fit.transform(&x).unwrap();
    assert_close!(y.iter().map(|v| v * v).sum::<f64>(), 3.0, 1e-12);
    // Two points have one direction.
    let two = array![[0.0, 1.0], [1.0, 0.0]];
    assert!(matches!(KernelIca::default().fit(&two, &compute), Err(Error::Singular { .. })));
    let fit = KernelIca { components: Some(1), ..KernelIca::default() }.fit(&two, &compute).unwrap();
    assert_arrays_close(&fit.inverse_transform(fit.transform(&two).unwrap().view()).unwrap(), &two, 1e-12, "two");
    // Contrasts of a component with itself, and with a constant.
    let same = array![[0.0, 0.0], [1.0, 1.0], [3.0, 3.0], [4.0, 4.0]];
    let constant = array![[0.0, 2.0], [1.0, 2.0], [3.0, 2.0], [4.0, 2.0]];
    for kind in [Contrast::Kgv, Contrast::Kcc, Contrast::Hsic] {
        assert!(contrast(kind, same.view(), 1.0, 0.02) > 0.1);
        assert_close!(contrast(kind, constant.view(), 1.0, 0.02), 0.0, abs = 1e-12);
        assert_eq!(contrast(kind, same.slice(s![..1, ..]), 1.0, 0.02), 0.0);
        assert_close!(contrast(kind, same.slice(s![.., ..1]), 1.0, 0.02), 0.0, abs = 1e-12);
        let tiny = contrast(kind, same.view(), 1.0, 1e-9);
        assert!(tiny.is_finite() && tiny > 0.0, "{kind:?}: {tiny}");
    }
}

#[test]
fn wrong_input_is_refused_by_name() {
    let compute = Compute::new();
    let (x, _) = mixture(20, 2, 8);
    let reason = |spec: KernelIca, x: &Array2<f64>| spec.fit(x, &compute).unwrap_err().to_string();
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(reason(KernelIca { kappa: Some(wrong), ..KernelIca::default() }, &x).contains("kappa"));
        assert!(reason(KernelIca { lengthscale: Some(wrong), ..KernelIca::default() }, &x).contains("lengthscale"));
        assert!(reason(KernelIca { tolerance: wrong, ..KernelIca::default() }, &x).contains("tolerance"));
        assert!(kgv_contrast(x.view(), 1.0, wrong, &compute).is_err());
        assert!(kcc_contrast(x.view(), wrong, 0.1, &compute).is_err());
        assert!(hsic_contrast(x.view(), wrong, &compute).is_err());
        assert!(negentropy_contrast(x.view(), wrong).is_err());
    }
    // A grid for it would not fit into any memory.
    assert!(negentropy_contrast(x.view(), 1e-12).is_err());
    assert!(reason(KernelIca { starts: 0, ..KernelIca::default() }, &x).contains("starts = 0"));
    for count in [0, 3] {
        let spec = KernelIca { components: Some(count), ..KernelIca::default() };
        assert!(reason(spec, &x).contains("at least 1 and at most 2"));
    }
    let bad = array![[1.0, 2.0], [f64::NAN, 1.0]];
    assert!(reason(KernelIca::default(), &bad).contains("row 1, column 0 holds NaN"));
    assert!(kgv_contrast(bad.view(), 1.0, 0.1, &compute).unwrap_err().to_string().contains("row 1"));
    for shape in [(0, 2), (1, 2), (5, 0)] {
        assert!(reason(KernelIca::default(), &Array2::zeros(shape)).contains("at least"));
    }
    assert!(hsic_contrast(Array2::zeros((0, 2)).view(), 1.0, &compute).is_err());
    assert!(hsic_contrast(Array2::zeros((2, 0)).view(), 1.0, &compute).is_err());
    let wide = KernelIca { lengthscale: Some(1.0), ..KernelIca::default() };
    assert!(reason(wide, &x).contains("between 0 and 1"));
    assert!(negentropy_contrast(Array2::zeros((0, 2)).view(), 0.4).is_err());
    assert!(negentropy_contrast(Array2::zeros((2, 0)).view(), 0.4).is_err());
    assert!(negentropy_contrast(bad.view(), 0.4).unwrap_err().to_string().contains("row 1"));
    let constant = negentropy_contrast(array![[1.0, 3.0], [2.0, 3.0]].view(), 0.4).unwrap_err();
    assert!(matches!(constant, Error::AllEqual { .. }) && constant.to_string().contains("column 1"), "{constant}");
    let huge = array![[1e200, 1.0], [-1e200, 2.0], [0.0, 1.0]];
    assert!(matches!(KernelIca::default().fit(&huge, &compute), Err(Error::Overflow { .. })));
    let strings: Strings = ["a", "b"].into_iter().collect();
    assert!(matches!(KernelIca::default().fit(&strings, &compute), Err(Error::WrongPoints { .. })));
    let fit = KernelIca::default().fit(&x, &compute).unwrap();
    assert!(
        fit.transform(&array![[1.0]]).unwrap_err().to_string().contains("columns of the data: expected 2, found 1")
    );
    assert!(fit.transform(&bad).is_err());
    assert!(fit.inverse_transform(array![[1.0]].view()).unwrap_err().to_string().contains("components"));
    let canceled = Compute::new().with_cancel(Cancel::when(|| true));
    assert!(matches!(KernelIca::default().fit(&x, &canceled), Err(Error::Canceled)));
    let eye = Array2::<f64>::eye(2);
    assert!(amari_distance(eye.view(), Array2::eye(3).view()).is_err());
    assert!(matches!(amari_distance(eye.view(), Array2::zeros((2, 2)).view()), Err(Error::Singular { .. })));
    assert!(amari_distance(Array2::zeros((0, 2)).view(), Array2::zeros((2, 0)).view()).is_err());
    assert!(amari_distance(bad.view(), eye.view()).is_err());
    assert_eq!(amari_distance(array![[2.0]].view(), array![[-3.0]].view()).unwrap(), 0.0);
}

#[test]
fn the_catalogue_builds_fits_and_loads() {
    let (x, _) = mixture(60, 3, 9);
    let settings = Settings::new().with("contrast", "hsic").with("components", 2.0).with("starts", 1.0);
    let learner = ENTRY.build(&settings).unwrap();
    let fit = learner.fit(&FitInput::points(&x), &Compute::new().with_seed(Seed(3))).unwrap();
    let typed: &IcaFit = fit.downcast_ref().unwrap();
    assert_eq!(fit.facts().get("contrast"), Some(&FactValue::Number(typed.contrast())));
    assert_eq!((fit.dimension(0), fit.outputs(), fit.targets()), (3, 2, 0));
    let again = ENTRY.build(fit.settings()).unwrap();
    assert_eq!(again.settings(), learner.settings());
    let full = KernelIca { lengthscale: Some(0.7), kappa: Some(0.1), contrast: Contrast::Kcc, ..KernelIca::default() };
    assert_eq!(ENTRY.build(&full.settings()).unwrap().settings(), Learner::settings(&full));
    assert!(ENTRY.build(&Settings::new().with("contrast", "jade")).is_err());
    let loaded = round_trip(&Model::new(typed.clone(), Inputs::vectors(3, 0)).unwrap());
    let again: &IcaFit = loaded.fit().unwrap();
    assert_eq!(again, typed);
    assert_eq!(bits(&again.transform(&x).unwrap()), bits(&typed.transform(&x).unwrap()));
    assert!(full.plan(1000, 4, &Compute::new()).unwrap().flops > 1e8);
}
