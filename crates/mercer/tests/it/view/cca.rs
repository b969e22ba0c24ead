//! Kernel canonical correlation: golden numbers, the dense problem, low rank, permutations, wrong
//! input.

use crate::common::golden::{Golden, matrix, number, numbers};
use crate::common::models::{bits, round_trip};
use crate::common::{assert_all_close, assert_arrays_close};
use mercer::gram::{self, Pairs};
use mercer::learner::{FactValue, FitInput, Learner};
use mercer::model::{Inputs, Model};
use mercer::points::Strings;
use mercer::settings::Settings;
use mercer::solve::symmetric_eigen;
use mercer::view::cca::{CcaFit, CcaForm, Criterion, ENTRY, KappaSearch, KernelCca, Rank};
use mercer::{Cancel, Compute, Error, Kernel, Points, Seed};
use ndarray::{Array1, Array2, Axis, array, concatenate, s};

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

/// Views with something in common: the angle of points on circles, and noise.
fn views(n: usize, count: usize, seed: u64) -> Vec<Array2<f64>> {
    let mut stream = Seed(seed).stream("views", n as u64);
    let angles: Vec<f64> = (0..n).map(|_| stream.uniform() * std::f64::consts::TAU).collect();
    (0..count)
        .map(|v| {
            Array2::from_shape_fn((n, 2), |(i, j)| {
                (angles[i] * (v + 1) as f64 + 1.6 * j as f64).sin() + 0.3 * stream.normal()
            })
        })
        .collect()
}

fn points(views: &[Array2<f64>]) -> Vec<Points<'_>> {
    views.iter().map(Points::from).collect()
}

/// `HKH`, by its definition.
fn centered(kernel: &Kernel, x: &Array2<f64>) -> Array2<f64> {
    let compute = Compute::new();
    let k = gram::dense(&kernel.bind(Pairs::within(x.view()), &compute).unwrap(), &compute).unwrap();
    let n = k.nrows();
    let h = Array2::<f64>::eye(n) - 1.0 / n as f64;
    h.dot(&k).dot(&h)
}

/// All eigenvalues of the generalized problem `𝒦a = λ𝒟a` of the definition, ascending.
fn generalized_eigenvalues(grams: &[Array2<f64>], form: CcaForm, kappa: f64) -> Vec<f64> {
    let (n, m) = (grams[0].nrows(), grams.len());
    let mut whitening = Vec::new();
    for k in grams {
        let eigen = symmetric_eigen(k.view(), &Compute::new()).unwrap();
        // 𝒟^{−1/2} of the block, and 0 in directions of which the form of Fukumizu has none.
        whitening.push(eigen.map(|value| match form {
            CcaForm::BachJordan => 1.0 / (value + 0.5 * n as f64 * kappa),
            CcaForm::Fukumizu if value > 1e-10 => 1.0 / (value * (value + n as f64 * kappa)).sqrt(),
            CcaForm::Fukumizu => 0.0,
        }));
    }
    let mut all = Array2::<f64>::eye(n * m);
    for i in 0..m {
        for j in (0..m).filter(|j| *j != i) {
            let block = whitening[i].dot(&grams[i]).dot(&grams[j]).dot(&whitening[j]);
            all.slice_mut(s![i * n..(i + 1) * n, j * n..(j + 1) * n]).assign(&block);
        }
    }
    symmetric_eigen(all.view(), &Compute::new()).unwrap().values
}

#[test]
fn golden_numbers() {
    let golden = Golden::load("c10_kernel_cca");
    let (x, y) = (matrix(golden.input("X")), matrix(golden.input("Y")));
    let gaussian = |key: &str| Kernel::gaussian(number(golden.input(key))).unwrap();
    let kernels = vec![gaussian("lx"), gaussian("ly")];
    let expected = golden.expected();
    let compute = Compute::new();
    let views = [Points::from(&x), Points::from(&y)];
    for rank in [Rank::Auto, Rank::Exact, Rank::Tolerance(1e-13)] {
        let base = KernelCca { kernels: kernels.clone(), rank, ..KernelCca::new(kernels[0].clone(), 6, 0.1) };
        let spec = KernelCca { kappa: number(golden.input("kappa")), ..base.clone() };
        let (fit, wanted) = (spec.fit(&views, &compute).unwrap(), &expected["bach_jordan"]);
        let check = |what: &str, found: &[f64]| golden.check_all("bach_jordan", what, found, &numbers(&wanted[what]));
        check("rho", fit.correlations());
        check("first_pair_dual_a", &fit.dual_coefficients(0).unwrap().column(0).to_vec());
        check("first_pair_dual_b", &fit.dual_coefficients(1).unwrap().column(0).to_vec());
        let first = |view: usize| fit.transform(view, views[view], &compute).unwrap().column(0).to_vec();
        check("first_canonical_variates_x", &first(0));
        check("first_canonical_variates_y", &first(1));

        let spec = KernelCca { kappa: number(golden.input("eps")), form: CcaForm::Fukumizu, components: 29, ..base };
        let (fit, wanted) = (spec.fit(&views, &compute).unwrap(), &expected["fukumizu"]);
        golden.check_all("fukumizu", "rho", &fit.correlations()[..6], &numbers(&wanted["rho"]));
        let nocco = fit.correlations().iter().map(|rho| rho * rho).sum();
        golden.check("fukumizu", "nocco", nocco, number(&wanted["nocco"]));
    }
}

/// The eigenvalue problem of the definition for two and more views, both forms, both criteria.
#[test]
fn correlations_are_those_of_the_definition() {
    for (count, form) in
        [(2, CcaForm::BachJordan), (3, CcaForm::BachJordan), (3, CcaForm::Fukumizu), (4, CcaForm::BachJordan)]
    {
        let data = views(40, count, 1);
        let k = kernel("gaussian(lengthscale=0.8)");
        let grams: Vec<Array2<f64>> = data.iter().map(|x| centered(&k, x)).collect();
        let expected = generalized_eigenvalues(&grams, form, 0.05);
        let spec = KernelCca { form, ..KernelCca::new(k, 4, 0.05) };
        let found = spec.fit(&points(&data), &Compute::new()).unwrap();
        let smallest: Vec<f64> = expected.iter().take(4).map(|lambda| 1.0 - lambda).collect();
        assert_all_close(found.correlations(), &smallest, 1e-9, "smallest");
        let spec = KernelCca { criterion: Criterion::LargestEigenvalue, ..spec };
        let found = spec.fit(&points(&data), &Compute::new()).unwrap();
        let largest: Vec<f64> = expected.iter().rev().take(4).map(|l| (l - 1.0) / (count as f64 - 1.0)).collect();
        assert_all_close(found.correlations(), &largest, 1e-9, "largest");
    }
}

/// Coefficients satisfy the generalized problem, with their norms and signs.
#[test]
fn coefficients_are_normalized_and_solve_the_problem() {
    let k = kernel("gaussian(lengthscale=0.9)");
    for (count, form) in [(2, CcaForm::BachJordan), (2, CcaForm::Fukumizu), (3, CcaForm::BachJordan)] {
        let data = views(50, count, 2);
        let (n, kappa) = (50.0, 0.1);
        let spec = KernelCca {
            form,
            criterion: Criterion::LargestEigenvalue,
            rank: Rank::Exact,
            ..KernelCca::new(k.clone(), 3, kappa)
        };
        let fit = spec.fit(&points(&data), &Compute::new()).unwrap();
        let grams: Vec<Array2<f64>> = data.iter().map(|x| centered(&k, x)).collect();
        let eye = Array2::<f64>::eye(50);
        let right = |g: &Array2<f64>| match form {
            CcaForm::BachJordan => (g + &eye * (n * kappa / 2.0)).dot(&(g + &eye * (n * kappa / 2.0))),
            CcaForm::Fukumizu => g.dot(g) + g * (n * kappa),
        };
        for component in 0..3 {
            let a: Vec<_> =
                (0..count).map(|v| fit.dual_coefficients(v).unwrap().column(component).to_owned()).collect();
            let norms: Vec<f64> = (0..count).map(|v| a[v].dot(&right(&grams[v]).dot(&a[v]))).collect();
            assert_close!(norms.iter().sum::<f64>(), count as f64, 1e-8, "{form:?}");
            if count == 2 {
                assert_close!(norms[0], 1.0, 1e-8);
            }
            assert!(a[0].iter().fold(0.0_f64, |m, v| if v.abs() > m.abs() { *v } else { m }) > 0.0);
            // Signs do not disturb the equation where all views correlate positively.
            for v in 0..count {
                let others = (0..count).filter(|j| *j != v).map(|j| grams[v].dot(&grams[j].dot(&a[j])));
                let left = others.fold(Array1::<f64>::zeros(50), |sum, part| sum + part);
                let mu = fit.correlations()[component] * (count as f64 - 1.0);
                assert_all_close(&left, &(right(&grams[v]).dot(&a[v]) * mu), 1e-7, "equation");
            }
        }
    }
}

/// `1 − λ` of three equal views is that of two equal ones, and the criterion of common functions too.
#[test]
fn equal_views_have_the_squared_share_of_their_eigenvalues() {
    let data = views(60, 1, 3);
    let (x, k) = (&data[0], kernel("gaussian()"));
    let eigen = symmetric_eigen(centered(&k, x).view(), &Compute::new()).unwrap();
    let share = |value: f64| (value / (value + 3.0)).powi(2);
    let expected: Vec<f64> = eigen.values.iter().rev().take(3).map(|v| share(*v)).collect();
    let spec = KernelCca::new(k, 3, 0.1);
    let two = spec.fit(&[x.into(), x.into()], &Compute::new()).unwrap();
    assert_all_close(two.correlations(), &expected, 1e-12, "two");
    let common = KernelCca { criterion: Criterion::LargestEigenvalue, ..spec.clone() };
    let three = common.fit(&[x.into(), x.into(), x.into()], &Compute::new()).unwrap();
    assert_all_close(three.correlations(), &expected, 1e-12, "common");
    // The smallest eigenvalues stand twice each.
    let doubled = KernelCca { components: 4, ..spec }.fit(&[x.into(), x.into(), x.into()], &Compute::new()).unwrap();
    assert_all_close(doubled.correlations(), &[expected[0], expected[0], expected[1], expected[1]], 1e-12, "doubled");
    assert_close!(three.score(&[x.into(), x.into(), x.into()], &Compute::new()).unwrap(), 1.0, 1e-12);
}

#[test]
fn low_rank_is_the_dense_problem() {
    let data = views(400, 2, 4);
    for form in [CcaForm::BachJordan, CcaForm::Fukumizu] {
        let spec = KernelCca { form, ..KernelCca::new(kernel("gaussian(lengthscale=median)"), 3, 0.02) };
        let compute = Compute::new();
        let low = spec.fit(&points(&data), &compute).unwrap();
        let exact = KernelCca { rank: Rank::Exact, ..spec.clone() }.fit(&points(&data), &compute).unwrap();
        assert!(low.evidence().ranks.iter().all(|r| *r < 200), "{:?}", low.evidence());
        assert!(low.evidence().error_bound <= 1e-6 && low.evidence().error_bound > 0.0);
        assert!(exact.evidence().error_bound == 0.0 && exact.evidence().exact == [true, true]);
        let bound = low.evidence().error_bound;
        for (a, b) in low.correlations().iter().zip(exact.correlations()) {
            let (a, b) = if form == CcaForm::Fukumizu { (a * a, b * b) } else { (*a, *b) };
            assert_close!(a, b, abs = bound, "{form:?}");
        }
        let of = |fit: &CcaFit| fit.transform(1, &data[1], &compute).unwrap().column(0).to_owned();
        assert_all_close(&of(&low), &of(&exact), 1e-4, "variates");
    }
    // A rough kernel has no low rank: the whole matrix.
    let rough = KernelCca::new(kernel("laplacian(lengthscale=0.05)"), 2, 0.02);
    let fit = rough.fit(&points(&data), &Compute::new()).unwrap();
    assert!(fit.evidence().exact == [true, true], "{:?}", fit.evidence());
    // So many directions that eigenvectors come from products.
    let few = rough.fit(&points(&views(350, 2, 4)), &Compute::new()).unwrap();
    let grams: Vec<Array2<f64>> = views(350, 2, 4).iter().map(|x| centered(&rough.kernels[0], x)).collect();
    let expected = generalized_eigenvalues(&grams, CcaForm::BachJordan, 0.02);
    assert_close!(few.correlations()[0], 1.0 - expected[0], 1e-9);
    assert_close!(few.correlations()[1], 1.0 - expected[1], 1e-9);
}

/// `f(x) = Σ aᵢ k̃(x, xᵢ)` with values centered as those of the fit, and mean 0 on its points.
#[test]
fn transforms_are_projections_of_centered_values() {
    let (data, new) = (views(80, 2, 5), views(15, 2, 6));
    let spec = KernelCca::new(kernel("2*gaussian(lengthscale=0.7) + linear()"), 2, 0.1);
    let compute = Compute::new();
    let fit = spec.fit(&points(&data), &compute).unwrap();
    for v in 0..2 {
        let k = fit.kernel(v).unwrap();
        let values = |x: &Array2<f64>| {
            gram::dense(&k.bind(Pairs::between(x.view(), data[v].view()), &compute).unwrap(), &compute).unwrap()
        };
        let (own, between) = (values(&data[v]), values(&new[v]));
        let means = own.mean_axis(Axis(0)).unwrap();
        let row_means = between.mean_axis(Axis(1)).unwrap().insert_axis(Axis(1));
        let centered_values = &between - &row_means - &means + means.mean().unwrap();
        let a = fit.dual_coefficients(v).unwrap();
        assert_arrays_close(&fit.transform(v, &new[v], &compute).unwrap(), &centered_values.dot(&a), 1e-10, "new");
        let on_own = fit.transform(v, &data[v], &compute).unwrap();
        assert_arrays_close(&on_own, &centered(k, &data[v]).dot(&a), 1e-10, "own");
        assert_all_close(&on_own.mean_axis(Axis(0)).unwrap(), &[0.0, 0.0], 1e-12, "means");
    }
    let correlations = fit.correlations_of(&points(&new), &compute).unwrap();
    assert_close!(fit.score(&points(&new), &compute).unwrap(), correlations.iter().sum::<f64>() / 2.0, 1e-15);
    assert!(fit.score(&points(&data), &compute).unwrap() > correlations[0].min(0.3));
}

#[test]
fn precomputed_values_are_the_same_fit() {
    let (data, new, compute) = (views(60, 2, 7), views(9, 2, 8), Compute::new());
    let k = kernel("gaussian(lengthscale=0.8)");
    let values = |x: &Array2<f64>, y: &Array2<f64>| {
        gram::dense(&k.bind(Pairs::between(x.view(), y.view()), &compute).unwrap(), &compute).unwrap()
    };
    let fit = KernelCca::new(k.clone(), 2, 0.05).fit(&points(&data), &compute).unwrap();
    let grams = [values(&data[0], &data[0]), values(&data[1], &data[1])];
    let given = KernelCca::new(kernel("precomputed()"), 2, 0.05).fit(&points(&grams), &compute).unwrap();
    assert_all_close(given.correlations(), fit.correlations(), 1e-10, "correlations");
    let found = given.transform(1, &values(&new[1], &data[1]), &compute).unwrap();
    assert_arrays_close(&found, &fit.transform(1, &new[1], &compute).unwrap(), 1e-9, "new points");
    // One view of values beside one of points.
    let spec = KernelCca { kernels: vec![kernel("precomputed()"), k], ..KernelCca::new(kernel("linear()"), 2, 0.05) };
    let mixed = spec.fit(&[(&grams[0]).into(), (&data[1]).into()], &compute).unwrap();
    assert_all_close(mixed.correlations(), fit.correlations(), 1e-10, "mixed");
    let indefinite = -&grams[0];
    let error = given_spec().fit(&[(&indefinite).into(), (&grams[1]).into()], &compute).unwrap_err();
    assert!(matches!(error, Error::NotPositiveDefinite { .. }), "{error}");
}

fn given_spec() -> KernelCca {
    KernelCca::new(kernel("precomputed()"), 2, 0.05)
}

#[test]
fn strings_against_numbers() {
    let mut stream = Seed(9).stream("texts", 0);
    let mut texts = Vec::new();
    let numbers = Array2::from_shape_fn((90, 1), |_| {
        let kind = stream.below(3);
        texts.push(["abab", "bcbc", "caca"][kind].repeat(1 + stream.below(3)));
        kind as f64 + 0.1 * stream.normal()
    });
    let strings: Strings = texts.iter().map(String::as_str).collect();
    let spec = KernelCca {
        kernels: vec![kernel("normalized(spectrum(length=2))"), kernel("gaussian(lengthscale=0.5)")],
        permutations: 99,
        ..KernelCca::new(kernel("linear()"), 3, 0.02)
    };
    let compute = Compute::new();
    let fit = spec.fit(&[(&strings).into(), (&numbers).into()], &compute).unwrap();
    // Three kinds are two directions.
    let rho = fit.correlations();
    assert!(rho[1] > 0.7 && rho[2] < 0.5, "{rho:?}");
    assert_eq!(fit.p_values().unwrap()[..2], [0.01, 0.01]);
    let new: Strings = ["ababab", "bcbcbc"].into_iter().collect();
    let at = fit.transform(0, &new, &compute).unwrap();
    let expected = fit.transform(1, &array![[0.0], [1.0]], &compute).unwrap();
    for j in 0..2 {
        assert!(at[[0, j]] * expected[[0, j]] > 0.0 || expected[[0, j]].abs() < 0.05, "{at} {expected}");
    }
    let error = fit.transform(0, &numbers, &compute).unwrap_err();
    assert!(error.to_string().contains("strings"), "{error}");
}

/// Under independence the p-value is at most 0.2 in a fifth of all samples: 40 samples, four
/// binomial standard deviations, once in 16 000 choices of the seeds.
#[test]
fn p_values_of_unrelated_views_have_their_level() {
    let rejected = (0..40)
        .filter(|&seed| {
            let mut stream = Seed(seed).stream("unrelated", 0);
            let data: Vec<Array2<f64>> =
                (0..2).map(|_| Array2::from_shape_simple_fn((30, 1), || stream.normal())).collect();
            let compute = Compute::new().with_seed(Seed(seed));
            KernelCca::new(kernel("gaussian()"), 1, 0.1).p_values(&points(&data), 39, &compute).unwrap()[0] <= 0.2
        })
        .count() as f64;
    let band = 4.0 * (40.0_f64 * 0.2 * 0.8).sqrt();
    assert!((rejected - 8.0).abs() <= band, "{rejected}");
}

#[test]
fn permutation_tests_count_what_they_permute() {
    let data = views(50, 3, 10);
    for count in [2, 3] {
        let spec = KernelCca::new(kernel("gaussian(lengthscale=0.5)"), 2, 0.1);
        let fit = spec.fit(&points(&data[..count]), &Compute::new()).unwrap();
        let found = spec.permutation_test(&points(&data[..count]), 49, &Compute::new()).unwrap();
        assert_all_close(&found.correlations, fit.correlations(), 1e-8, "observed");
        assert_eq!(found.null.dim(), (49, 2));
        for j in 0..2 {
            let above = found.null.column(j).iter().filter(|v| **v >= found.correlations[j]).count();
            assert_close!(found.p_values[j], (1 + above) as f64 / 50.0, 1e-15);
        }
        let fitted = KernelCca { permutations: 49, ..spec }.fit(&points(&data[..count]), &Compute::new()).unwrap();
        assert_eq!(fitted.p_values().unwrap(), found.p_values);
    }
}

/// So many directions that the matrix between views is known by its products alone.
#[test]
fn permutations_of_rough_kernels_are_products() {
    let data = views(640, 2, 16);
    let spec = KernelCca::new(kernel("laplacian(lengthscale=0.01)"), 2, 0.02);
    let fit = spec.fit(&points(&data), &Compute::new()).unwrap();
    assert!(fit.evidence().ranks.iter().sum::<usize>() > 1200);
    let found = spec.permutation_test(&points(&data), 2, &Compute::new()).unwrap();
    assert_all_close(&found.correlations, fit.correlations(), 1e-8, "observed");
    assert!(found.null.iter().all(|rho| *rho > 0.0 && *rho < 1.0));
}

#[test]
fn kappa_is_chosen_where_permutations_are_exceeded_most() {
    let data = views(100, 2, 11);
    let spec = KernelCca::new(kernel("gaussian(lengthscale=median)"), 1, 1.0);
    let compute = Compute::new();
    let choice = spec.choose_kappa(&points(&data), &KappaSearch::default(), &compute).unwrap();
    assert_eq!(choice.candidates.len(), 9);
    assert_close!(choice.candidates[0], 1e-4, 1e-15);
    let best = choice.candidates.iter().position(|c| *c == choice.kappa).unwrap();
    assert!(choice.gains.iter().all(|gain| *gain <= choice.gains[best]) && choice.gains[best] > 3.0);
    // Both the smallest and the largest regularization lose.
    assert!(best > 0 && choice.correlations.windows(2).all(|pair| pair[0] >= pair[1]));
    for (at, kappa) in [(0, 1e-4), (best, choice.kappa)] {
        let fit = KernelCca { kappa, ..spec.clone() }.fit(&points(&data), &compute).unwrap();
        assert_close!(fit.correlations()[0], choice.correlations[at], 1e-6);
    }
    let chosen = KernelCca { kappa_search: Some(KappaSearch::default()), ..spec.clone() };
    let fit = chosen.fit(&points(&data), &compute).unwrap();
    assert_eq!((fit.kappa(), fit.kappa_choice()), (choice.kappa, Some(&choice)));
    // Values on another scale have other candidates.
    let scaled = KernelCca::new(kernel("100*gaussian(lengthscale=median)"), 1, 1.0);
    let scaled = scaled.choose_kappa(&points(&data), &KappaSearch::default(), &compute).unwrap();
    assert_close!(scaled.kappa, 100.0 * choice.kappa, 1e-9);
    let same = array![[1.0], [1.0], [1.0]];
    let error =
        spec_on("gaussian()").choose_kappa(&[(&same).into(), (&same).into()], &KappaSearch::default(), &compute);
    assert!(matches!(error, Err(Error::Undetermined { .. })));
    for (candidates, permutations) in [(Some(vec![0.0]), 9), (Some(vec![]), 9), (None, 1)] {
        assert!(spec.choose_kappa(&points(&data), &KappaSearch { candidates, permutations }, &compute).is_err());
    }
}

fn spec_on(text: &str) -> KernelCca {
    KernelCca::new(kernel(text), 1, 0.02)
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let data = views(700, 3, 12);
    for (rank, count, text) in
        [(Rank::Auto, 3, "gaussian(lengthscale=0.8)"), (Rank::Auto, 2, "laplacian(lengthscale=0.3)")]
    {
        let rows = if text.starts_with('l') { 330 } else { 700 };
        let data: Vec<Array2<f64>> = data[..count].iter().map(|x| x.slice(s![..rows, ..]).to_owned()).collect();
        let run = |threads: usize| {
            let compute = Compute::new().with_threads(threads).unwrap();
            let spec = KernelCca { rank, permutations: 3, ..KernelCca::new(kernel(text), 3, 0.05) };
            let fit = spec.fit(&points(&data), &compute).unwrap();
            let at = fit.transform(1, &data[1], &compute).unwrap();
            (fit, at)
        };
        let one = run(1);
        assert_eq!(one, run(2));
        assert_eq!(one, run(5));
    }
}

#[test]
fn few_rows_constant_views_and_many_components() {
    let compute = Compute::new();
    let (x, y) = (array![[0.0], [1.0]], array![[5.0], [3.0]]);
    let fit = spec_on("gaussian()").fit(&[(&x).into(), (&y).into()], &compute).unwrap();
    let value = |d: f64| 1.0 - (-d * d / 2.0_f64).exp();
    let share = |d: f64| value(d) / (value(d) + 0.02);
    assert_close!(fit.correlations()[0], share(1.0) * share(2.0), 1e-12);
    let many = KernelCca { components: 5, permutations: 9, ..spec_on("gaussian()") };
    let fit = many.fit(&[(&x).into(), (&y).into()], &compute).unwrap();
    assert_eq!((fit.evidence().determined, &fit.correlations()[1..]), (1, &[0.0; 4][..]));
    assert!(fit.dual_coefficients(0).unwrap().slice(s![.., 1..]).iter().all(|a| *a == 0.0));
    assert_eq!(fit.p_values().unwrap(), [1.0; 5]);
    // A constant view has no direction at all, among a few rows and among many.
    for n in [10, 600] {
        let constant = Array2::from_elem((n, 2), 3.0);
        let other = Array2::from_shape_fn((n, 2), |(i, j)| ((i * 3 + j) as f64).sin());
        for form in [CcaForm::BachJordan, CcaForm::Fukumizu] {
            for views in [vec![&constant, &other], vec![&other, &constant], vec![&constant, &constant]] {
                let views: Vec<Points<'_>> = views.into_iter().map(Points::from).collect();
                let spec = KernelCca { components: 2, form, ..spec_on("gaussian()") };
                let fit = spec.fit(&views, &compute).unwrap();
                assert_eq!((fit.correlations(), fit.evidence().determined), (&[0.0, 0.0][..], 0));
                assert!(fit.transform(0, views[0], &compute).unwrap().iter().all(|z| *z == 0.0));
                assert_eq!(fit.score(&views, &compute).unwrap(), 0.0);
            }
            let three = [Points::from(&other), Points::from(&constant), Points::from(&other)];
            let fit = KernelCca { form, ..spec_on("gaussian()") }.fit(&three, &compute).unwrap();
            assert!(fit.correlations()[0] > 0.5 && fit.dual_coefficients(1).unwrap().iter().all(|a| *a == 0.0));
        }
    }
    // Duplicates are no hindrance.
    let twice = concatenate![Axis(0), x, x, x];
    let fit = spec_on("gaussian()").fit(&[(&twice).into(), (&twice).into()], &compute).unwrap();
    assert!(fit.correlations()[0] > 0.9 && fit.evidence().ranks == [1, 1]);
}

#[test]
fn wrong_input_is_refused_by_name() {
    let (compute, x) = (Compute::new(), Array2::from_shape_fn((6, 1), |(i, _)| i as f64));
    let short = x.slice(s![..5, ..]).to_owned();
    let spec = spec_on("gaussian()");
    let reason = |spec: &KernelCca, views: &[Points<'_>]| spec.fit(views, &compute).unwrap_err().to_string();
    let two = [Points::from(&x), Points::from(&x)];
    assert_eq!(
        reason(&spec, &[(&x).into(), (&x).into(), (&short).into()]),
        "rows of view 2: expected as many as view 0 has (6), found 5"
    );
    for kappa in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let wrong = KernelCca { kappa, ..spec.clone() };
        assert!(matches!(wrong.fit(&two, &compute), Err(Error::Parameter { name, .. }) if name == "kappa"));
        assert!(wrong.permutation_test(&two, 9, &compute).is_err());
    }
    assert!(reason(&spec, &[(&x).into()]).contains("views for canonical correlations: expected at least 2"));
    assert!(reason(&spec, &[]).contains("at least 2"));
    for rows in [0, 1] {
        let few = x.slice(s![..rows, ..]).to_owned();
        assert!(reason(&spec, &[(&few).into(), (&few).into()]).contains("at least 2, found"));
    }
    assert!(reason(&KernelCca { components: 0, ..spec.clone() }, &two).contains("components = 0"));
    assert!(reason(&KernelCca { kernels: vec![], ..spec.clone() }, &two).contains("kernels"));
    let three = KernelCca { kernels: vec![kernel("linear()"); 3], ..spec.clone() };
    assert!(reason(&three, &two).contains("kernels: expected one, or one per view (2), found 3"));
    for tolerance in [0.0, 1.0, f64::NAN] {
        assert!(reason(&KernelCca { rank: Rank::Tolerance(tolerance), ..spec.clone() }, &two).contains("rank"));
    }
    let bad = array![[1.0], [f64::NAN], [0.0], [0.0], [0.0], [0.0]];
    assert!(reason(&spec, &[(&x).into(), (&bad).into()]).contains("row 1, column 0 holds NaN"));
    assert!(matches!(spec_on("tanh()").fit(&two, &compute), Err(Error::NotPositiveDefinite { .. })));
    assert!(spec.permutation_test(&two, 0, &compute).is_err());
    let fit = spec.fit(&two, &compute).unwrap();
    assert!(fit.transform(2, &x, &compute).unwrap_err().to_string().contains("view = 2"));
    assert!(fit.transform(0, &array![[1.0, 2.0]], &compute).is_err());
    assert!(fit.score(&[(&x).into()], &compute).unwrap_err().to_string().contains("views: expected 2, found 1"));
    assert!(fit.score(&[(&x).into(), (&short).into()], &compute).unwrap_err().to_string().contains("view 1"));
    assert!(fit.dual_coefficients(2).is_err() && fit.kernel(7).is_err() && fit.points(2).is_err());
    let canceled = Compute::new().with_cancel(Cancel::when(|| true));
    assert!(matches!(spec.fit(&two, &canceled), Err(Error::Canceled)));
}

#[test]
fn the_memory_limit_is_kept() {
    let data = views(2000, 2, 13);
    let compute = Compute::new().with_memory(8 << 20);
    let rough = KernelCca::new(kernel("laplacian(lengthscale=0.01)"), 1, 0.02);
    assert!(
        matches!(rough.fit(&points(&data), &compute), Err(Error::Memory { needed, .. }) if needed == 32 * 2000 * 2000)
    );
    // A smooth kernel fits into it.
    let smooth = KernelCca::new(kernel("gaussian(lengthscale=1.5)"), 1, 0.02).fit(&points(&data), &compute).unwrap();
    assert!(smooth.evidence().ranks.iter().all(|r| *r < 130), "{:?}", smooth.evidence());
    let exact = KernelCca { rank: Rank::Exact, ..rough };
    assert!(exact.plan(2000, 2, &compute).is_err() && exact.plan(2000, 2, &Compute::new()).is_ok());
}

#[test]
fn the_catalogue_builds_and_fits() {
    let kernels = ["gaussian(lengthscale=0.5)".to_owned(), "linear()".to_owned()];
    let settings = Settings::new().with("kernels", &kernels[..]).with("components", 1.0).with("kappa", 0.1);
    let learner = ENTRY.build(&settings).unwrap();
    let data = views(40, 2, 14);
    let fit = learner.fit(&FitInput::views(points(&data)), &Compute::new()).unwrap();
    let typed: &CcaFit = fit.downcast_ref().unwrap();
    let FactValue::Array(correlations) = fit.facts().get("correlations").unwrap().clone() else { panic!() };
    assert_eq!(correlations.as_slice().unwrap(), typed.correlations());
    assert_eq!((fit.views(), fit.outputs(), fit.targets()), (2, 1, 0));
    assert_eq!(
        fit.transform(1, Points::from(&data[1]), &Compute::new()).unwrap(),
        typed.transform(1, &data[1], &Compute::new()).unwrap()
    );
    // What a fit was made with makes the same learner again.
    let again = ENTRY.build(fit.settings()).unwrap();
    assert_eq!(again.settings(), learner.settings());
    for rank in [Rank::Auto, Rank::Exact, Rank::Tolerance(0.25)] {
        let spec = KernelCca {
            rank,
            kappa_search: Some(KappaSearch::default()),
            form: CcaForm::Fukumizu,
            ..spec_on("linear()")
        };
        assert_eq!(ENTRY.build(&spec.settings()).unwrap().settings(), Learner::settings(&spec));
    }
    assert!(ENTRY.build(&Settings::new().with("kappa", 0.0)).is_err());
}

/// Files hold the whole fit, of any kind of points.
#[test]
fn files_come_back_with_the_same_bytes() {
    let data = views(30, 2, 15);
    let strings: Strings = (0..30).map(|i| ["aab", "abb", "bba"][i % 3]).collect();
    let compute = Compute::new();
    let gaussian = kernel("gaussian()");
    let gram = gram::dense(&gaussian.bind(Pairs::within(data[1].view()), &compute).unwrap(), &compute).unwrap();
    for (kernels, second, new) in [
        (vec!["gaussian()", "linear()"], Points::from(&data[1]), Points::from(&data[1])),
        (vec!["gaussian()", "spectrum(length=2)"], Points::from(&strings), Points::from(&strings)),
        (vec!["gaussian()", "precomputed()"], Points::from(&gram), Points::from(&gram)),
    ] {
        let spec = KernelCca {
            kernels: kernels.into_iter().map(kernel).collect(),
            permutations: 9,
            kappa_search: Some(KappaSearch { candidates: Some(vec![0.01, 0.1]), permutations: 5 }),
            ..spec_on("linear()")
        };
        let fit = spec.fit(&[(&data[0]).into(), second], &compute).unwrap();
        let inputs = vec![Inputs::of_view(&fit, 0), Inputs::of_view(&fit, 1)];
        let loaded = round_trip(&Model::of_views(fit.clone(), inputs).unwrap());
        let again: &CcaFit = loaded.fit().unwrap();
        assert_eq!(again, &fit);
        assert_eq!(bits(&again.transform(1, new, &compute).unwrap()), bits(&fit.transform(1, new, &compute).unwrap()));
    }
}
