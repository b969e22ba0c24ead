//! Wendland's kernels: values as exact fractions, smoothness, and definiteness up to a dimension.

use mercer::definiteness::{CheckOptions, check, require_psd_on};
use mercer::features::SpectralMeasure;
use mercer::gram::{self, Pairs};
use mercer::kernel::Property;
use mercer::real::Real;
use mercer::solve::symmetric_eigen;
use mercer::{Compute, Expansion, Kernel, Points, Seed};
use ndarray::{Array2, array};

const PSD: Property = Property::PositiveSemidefinite;

fn wendland(smoothness: u32, dimension: usize, radius: f64) -> Kernel {
    format!("wendland(smoothness={smoothness}, dimension={dimension}, radius={radius:?})").parse().unwrap()
}

fn sample(n: usize, d: usize, seed: u64) -> Array2<f64> {
    let mut stream = Seed(seed).stream("wendland", d as u64);
    Array2::from_shape_fn((n, d), |_| stream.uniform())
}

/// Smoothness, dimension, `r` and the value as fractions: `(1 − r)`, `(1 − r)³(3r + 1)`, `(1 − r)⁵(8r² + 5r + 1)` on the line,
/// `(1 − r)²`, `(1 − r)⁴(4r + 1)`, `(1 − r)⁶(35r² + 18r + 3)/3` for three columns, `(1 − r)³`, `(1 − r)⁵(5r + 1)`,
/// `(1 − r)⁷(16r² + 7r + 1)` for five [Wendland 2005, table 9.1].
#[test]
fn values_are_the_fractions_of_the_table() {
    let table = [
        (0, 1, 0.25, 3.0 / 4.0),
        (1, 1, 0.25, 189.0 / 256.0),
        (2, 1, 0.25, 2673.0 / 4096.0),
        (0, 3, 0.5, 1.0 / 4.0),
        (1, 3, 0.5, 3.0 / 16.0),
        (2, 3, 0.5, 83.0 / 768.0),
        (0, 5, 0.5, 1.0 / 8.0),
        (1, 5, 0.2, 2048.0 / 3125.0),
        (2, 5, 0.5, 17.0 / 256.0),
        // The exponent depends on ⌊d/2⌋ alone.
        (1, 2, 0.5, 3.0 / 16.0),
    ];
    for (smoothness, dimension, r, expected) in table {
        for radius in [1.0, 0.25, 8.0] {
            let k = wendland(smoothness, dimension, radius);
            let found = k.evaluate(&[1.0], &[1.0 + r * radius]).unwrap();
            assert_close!(found, expected, 1e-15);
            assert_eq!(k.evaluate(&[1.0], &[1.0]).unwrap(), 1.0);
            for beyond in [1.0, 1.5, 1e6] {
                assert_eq!(k.evaluate(&[0.0], &[beyond * radius]).unwrap(), 0.0, "{k}");
            }
        }
    }
}

#[test]
fn the_radius_is_a_parameter_and_the_other_two_are_choices_of_form() {
    let k = wendland(2, 3, 1.5);
    let parameters = k.parameters();
    assert_eq!(parameters.len(), 1);
    assert_eq!(
        (parameters[0].name.as_str(), parameters[0].value, parameters[0].positive),
        ("wendland.radius", 1.5, true)
    );
    assert_eq!(k.with_parameters(&[4.0]).unwrap(), wendland(2, 3, 4.0));
    for wrong in ["wendland(smoothness=3)", "wendland(smoothness=0.5)", "wendland(dimension=0)", "wendland(radius=0)"] {
        assert!(wrong.parse::<Kernel>().is_err(), "{wrong}");
    }
}

/// `φ(|t|)` is `2s` times continuously differentiable at 0: its odd derivatives from the right vanish up to order `2s − 1`,
/// and the next does not.
#[test]
fn smoothness_at_the_center() {
    let h = 1e-5;
    for dimension in [1, 3, 4] {
        for smoothness in 0..=2 {
            let k = wendland(smoothness, dimension, 1.0);
            let at = |i: i32| k.evaluate_precisely(&[0.0], &[f64::from(i) * h]).unwrap();
            // Forward differences with 31 digits: Δʲφ(0)/hʲ is the jth derivative up to O(h).
            let derivative = |order: i32| {
                let mut values: Vec<_> = (0..=order).map(at).collect();
                while values.len() > 1 {
                    values = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
                }
                values[0].value() / h.powi(order)
            };
            for order in [1, 3, 5].into_iter().filter(|order| *order < 2 * smoothness as i32) {
                assert!(derivative(order).abs() < 0.5, "{k}: derivative {order} is {}", derivative(order));
            }
            let first = derivative(2 * smoothness as i32 + 1);
            assert!(first.abs() > 0.9, "{k}: derivative {} is {first}", 2 * smoothness + 1);
        }
    }
}

/// Eigenvalues in every dimension up to its own, which is `2⌊d/2⌋ + 1` in truth.
#[test]
fn gram_matrices_are_positive_definite_up_to_its_dimension() {
    let compute = Compute::new();
    for smoothness in 0..=2 {
        for dimension in [1, 2, 3, 5] {
            for columns in 1..=2 * (dimension / 2) + 1 {
                let (k, x) = (wendland(smoothness, dimension, 1.2), sample(60, columns, 7));
                let matrix = gram::dense(&k.bind(Pairs::within(x.view()), &compute).unwrap(), &compute).unwrap();
                let lowest = symmetric_eigen(matrix.view(), &Compute::new()).unwrap().values[0];
                assert!(lowest > -60.0 * f64::EPSILON * 60.0, "{k} on {columns} columns: {lowest}");
                assert!(smoothness > 0 || lowest > 1e-6, "{k} on {columns} columns: {lowest}");
                assert!(k.property_on(PSD, columns).is_proven());
            }
            let above = wendland(smoothness, dimension, 1.2).property_on(PSD, 2 * (dimension / 2) + 2);
            assert!(above.is_refuted(), "{smoothness} {dimension}");
        }
    }
}

#[test]
fn proven_with_the_reference_and_refuted_above() {
    let k = wendland(1, 3, 1.0);
    assert!(k.property(PSD).is_proven());
    assert!(k.proof().contains("Wendland 1995"), "{}", k.proof());
    // The algebra hands the number of columns on.
    let product = "wendland(smoothness=0, dimension=1) * gaussian() + 1".parse::<Kernel>().unwrap();
    assert!(product.property_on(PSD, 1).is_proven() && !product.property_on(PSD, 2).is_proven());
    let chosen = "on([0, 1], wendland(smoothness=0, dimension=1))".parse::<Kernel>().unwrap();
    assert!(chosen.property(PSD).is_refuted());
    let one = "on([2], wendland(smoothness=0, dimension=1))".parse::<Kernel>().unwrap();
    assert!(one.property_on(PSD, 7).is_proven());
}

/// A counterexample is found, certified, and what learners give as their reason.
#[test]
fn counterexamples_above_its_dimension() {
    let compute = Compute::new();
    for (columns, radius) in [(2, 2.0), (2, 0.3), (3, 5.0), (5, 1.0), (9, 0.3)] {
        let (k, x) = (wendland(0, 1, radius), sample(10, columns, 3));
        let found = check(&k, Some(Points::Vectors(x.view())), &CheckOptions::default(), &compute).unwrap();
        assert_eq!(found.as_option(), Some(false), "{k} on {columns} columns");
        let counterexample = found.counterexample().unwrap_or_else(|| panic!("{k} on {columns} columns: none found"));
        assert!(counterexample.value < 0.0 && counterexample.points.ncols() == columns);
        let refusal = require_psd_on(&k, columns, &compute).unwrap_err().to_string();
        assert!(refusal.contains("cᵀKc = -"), "{refusal}");
        assert!(require_psd_on(&k, 1, &compute).is_ok());
    }
    // Where the search finds nothing, the rule refutes.
    let (k, x) = (wendland(2, 7, 1.0), sample(10, 8, 3));
    let found = check(&k, Some(Points::Vectors(x.view())), &CheckOptions::default(), &compute).unwrap();
    assert_eq!((found.as_option(), found.rules.is_refuted()), (Some(false), true));
    let refusal = require_psd_on(&k, 8, &compute).unwrap_err().to_string();
    assert!(refusal.contains("only for n ≤ 2⌊dimension/2⌋ + 1") || refusal.contains("cᵀKc"), "{refusal}");
}

#[test]
fn gradients_exist_but_at_the_kinks_of_smoothness_zero() {
    let compute = Compute::new();
    let gradient = |k: Kernel, x: f64| {
        let f = Expansion::new(&k, array![[0.0]].view(), array![1.0].view(), &compute).unwrap();
        f.gradient(array![[x]].view(), &compute).map(|g| g[[0, 0]])
    };
    assert!(gradient(wendland(0, 1, 1.0), 0.0).is_err());
    assert!(gradient(wendland(0, 1, 1.0), 1.0).is_err());
    assert_eq!(gradient(wendland(0, 3, 1.0), 1.0).unwrap(), 0.0);
    assert_eq!(gradient(wendland(1, 3, 1.0), 0.0).unwrap(), 0.0);
    // d/dr (1 − r)⁴(4r + 1) = −20r(1 − r)³.
    assert_close!(gradient(wendland(1, 3, 1.0), 0.5).unwrap(), -1.25, 1e-14);
}

/// `E‖ω‖² = −dφ″(0)`, infinite for smoothness 0; features are tested with those of the other kernels.
#[test]
fn spectral_measures_have_their_second_moments() {
    let moment = |smoothness, radius| SpectralMeasure::of(&wendland(smoothness, 3, radius), 3).unwrap().second_moment();
    assert!(moment(0, 1.0).is_infinite());
    for (smoothness, expected) in [(1, 60.0), (2, 56.0)] {
        assert_close!(moment(smoothness, 1.0), expected, 5e-3);
        assert_close!(moment(smoothness, 2.0), 0.25 * expected, 5e-3);
    }
    let refusal = SpectralMeasure::of(&wendland(1, 3, 1.0), 4).unwrap_err().to_string();
    assert!(refusal.contains("not positive semi-definite on 4 columns"), "{refusal}");
    let refusal = SpectralMeasure::of(&wendland(1, 20, 1.0), 20).unwrap_err().to_string();
    assert!(refusal.contains("use Nyström features"), "{refusal}");
}
