//! What the rules prove must hold on random points; what they may never prove stays open.

use crate::common::{centered_half, examples, many_kernels, naive_gram, points_for};
use mercer::Compute;
use mercer::kernel::{Property, Verdict};
use mercer::solve::eigenvalues;
use mercer::{Kernel, Seed, Stream};
use ndarray::Array2;

const PSD: Property = Property::PositiveSemidefinite;
const NSD: Property = Property::NegativeSemidefinite;

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn verdict(text: &str, property: Property) -> Option<bool> {
    kernel(text).property(property).as_option()
}

fn size(a: &Array2<f64>) -> f64 {
    a.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// `λ_min ≥ −10⁻⁹ ‖A‖`, which leaves room for the rounding of the values themselves.
fn assert_psd(a: &Array2<f64>, what: &str) {
    let lowest = eigenvalues(a.view(), &Compute::new()).unwrap().first().copied().unwrap_or(0.0);
    assert!(lowest >= -1e-9 * size(a), "{what}: λ = {lowest:e} against ‖A‖ = {:e}", size(a));
}

/// Two distinct points have features that are not parallel.
fn assert_not_parallel(gram: &Array2<f64>, what: &str) {
    for i in 0..gram.nrows() {
        for j in 0..i {
            let scale = (gram[[i, i]] * gram[[j, j]]).sqrt();
            let fits = scale > 1e-100 && scale < 1e100;
            assert!(!fits || gram[[i, j]].abs() < scale * (1.0 - 1e-13), "{what}: rows {i}, {j} are parallel");
        }
    }
}

/// The points with reflections, doubles and shifts by a period, as far as the kernel takes them.
fn special_points(k: &Kernel, x: &Array2<f64>) -> Array2<f64> {
    let first = x.row(0).to_vec();
    let shapes: [fn(f64) -> f64; 5] = [|_| 0.0, |v| -v, |v| 2.0 * v, |v| v + 7.0, |v| v + 0.5];
    let mut rows = vec![first.clone()];
    for shape in shapes {
        let row: Vec<f64> = first.iter().map(|&v| shape(v)).collect();
        if k.evaluate(&row, &first).is_ok_and(f64::is_finite) && !rows.contains(&row) {
            rows.push(row);
        }
    }
    Array2::from_shape_fn((rows.len(), first.len()), |(i, j)| rows[i][j])
}

fn check_proven(k: &Kernel, stream: &mut Stream) -> bool {
    let Some(x) = points_for(k, 12, stream) else { return false };
    let gram = naive_gram(k, &x).unwrap();
    for (property, verdict) in k.properties() {
        let what = format!("{k} {}", property.name());
        match (property, &verdict) {
            (Property::PositiveSemidefinite, Verdict::Proven(_)) => assert_psd(&gram, &what),
            (Property::NegativeSemidefinite, Verdict::Proven(_)) => {
                let half = centered_half(&gram);
                let lowest = eigenvalues(half.view(), &Compute::new()).unwrap()[0];
                assert!(lowest >= -1e-9 * size(&gram), "{what}: {lowest:e}");
            }
            (Property::StrictlyPositiveDefinite, Verdict::Proven(_)) => {
                let special = special_points(k, &x);
                if let Some(gram) = naive_gram(k, &special) {
                    assert_not_parallel(&gram, &what);
                }
            }
            (Property::Bounded, Verdict::Proven(_)) if k.property(PSD).is_proven() => {
                let bound = k.bound().unwrap_or(f64::INFINITY);
                assert!(gram.iter().all(|v| v.abs() <= bound * (1.0 + 1e-9) + 1e-12), "{what}: above {bound}");
            }
            (Property::ShiftInvariant, Verdict::Proven(_)) => assert_shift(k, &x, &gram, &what),
            _ => {}
        }
    }
    if let Some(bound) = k.bound() {
        assert!(gram.diag().iter().all(|&v| v <= bound + 1e-9 * bound.abs() + 1e-12), "{k}: diagonal above {bound}");
    }
    true
}

fn assert_shift(k: &Kernel, x: &Array2<f64>, gram: &Array2<f64>, what: &str) {
    if let Some(moved) = naive_gram(k, &(x + 0.375)) {
        let gap = size(&(&moved - gram));
        assert!(gap <= 1e-9 * size(gram).max(1.0), "{what}: values change by {gap:e} when the points move");
    }
}

#[test]
fn what_is_proven_holds_on_random_points() {
    let kernels = many_kernels(4000);
    let mut evaluated = 0;
    for (i, k) in kernels.iter().enumerate() {
        evaluated += usize::from(check_proven(k, &mut Seed(5).stream("points", i as u64)));
    }
    assert!(evaluated > 2500, "only {evaluated} of {} expressions could be evaluated", kernels.len());
}

#[test]
fn refuted_shift_invariance_and_negative_definiteness_show_on_random_points() {
    for (i, k) in many_kernels(crate::common::effort(1500, 20_000)).iter().enumerate() {
        let mut stream = Seed(6).stream("points", i as u64);
        let Some(x) = points_for(k, 12, &mut stream) else { continue };
        let gram = naive_gram(k, &x).unwrap();
        if k.property(Property::ShiftInvariant).is_refuted()
            && let Some(moved) = naive_gram(k, &(&x + 0.375))
        {
            assert!(moved != gram, "{k}: said to change under shifts");
        }
        if k.property(NSD).is_refuted() && gram.iter().all(|v| v.abs() < 1e100) {
            let lowest = eigenvalues(centered_half(&gram).view(), &Compute::new()).unwrap()[0];
            assert!(lowest < 1e-14, "{k}: said not to be NSD, but −½JKJ has λ ≥ {lowest:e}");
        }
    }
}

#[test]
fn some_things_are_never_proven() {
    let open = [
        "tanh()",
        "tanh(scale=0.5, offset=0.1)",
        "ball(radius=0.5)",
        "minus(gaussian(), 0.1*gaussian())",
        "minus(2*gaussian(), gaussian())",
        "distance(power=3)",
        "schoenberg(distance(power=2.5))",
        "schoenberg(gaussian())",
        "based(gaussian(), at=[0])",
        "based(distance(power=2.01), at=[0])",
        "series(geometric, linear())",
        "series(geometric, gaussian())",
        "series(logarithm, 2*gaussian())",
        "exp(minus(gaussian(), linear()))",
        "tanh()*tanh()",
        "tanh()^2",
        "minus(gaussian(), linear())^2",
        "normalized(tanh())",
        "series([1, 1], ball())",
        "sqdist()",
        "sqdist()*sqdist()",
        "log_distance() + gaussian()",
        "transformed(ball(), by=square())",
        "on([0], tanh())",
        "conformal(tanh(), by=quadratic())",
        "2*precomputed()",
    ];
    for text in open {
        assert_ne!(verdict(text, PSD), Some(true), "{text}");
        assert_ne!(verdict(text, Property::StrictlyPositiveDefinite), Some(true), "{text}");
    }
    for text in [
        "distance(power=2.5)",
        "tanh()",
        "ball()",
        "gaussian()",
        "minus(gaussian(), constant())",
        "minus(sqdist(), sqdist())",
    ] {
        assert_ne!(verdict(text, NSD), Some(true), "{text}");
    }
}

#[test]
fn schoenberg_and_base_points_prove_at_any_nesting() {
    let proven = [
        "schoenberg(sqdist())",
        "schoenberg(2*distance(power=1.5) + log_distance() + 3)",
        "schoenberg(minus(1, gaussian()))",
        "schoenberg(minus(sqdist(), schoenberg(distance())))",
        "based(minus(2, schoenberg(distance(power=0.5))), at=[0, 0])",
        "schoenberg(minus(constant(value=4), based(distance(), at=[0])), t=3)",
        "based(minus(1, schoenberg(minus(1, schoenberg(minus(1, schoenberg(sqdist()))))) ), at=[1])",
        "exp(based(sqdist(), at=[0])) * schoenberg(on([0], distance()))",
        "induced(tanh(), at=[[0, 1]])",
    ];
    for text in proven {
        assert_eq!(verdict(text, PSD), Some(true), "{text}");
    }
    assert_eq!(verdict("schoenberg(distance() + on([0], sqdist()))", Property::Universal), Some(true));
    assert_eq!(verdict("schoenberg(on([0], sqdist()))", Property::StrictlyPositiveDefinite), None);
    assert_eq!(verdict("based(distance(power=3), at=[0])", PSD), Some(false));
    assert_eq!(verdict("based(distance(), at=[0])", Property::Characteristic), Some(true));
    assert_ne!(verdict("based(sqdist(), at=[0])", Property::Characteristic), Some(true));
}

#[test]
fn refutations_stop_where_the_domain_shrinks() {
    let bounded = Property::Bounded;
    let strict = Property::StrictlyPositiveDefinite;
    assert_eq!(verdict("linear()", bounded), Some(false));
    assert_eq!(verdict("linear() + gaussian()", bounded), Some(false));
    assert_eq!(verdict("linear() + bridge()", bounded), None);
    assert_eq!(verdict("periodic()", strict), Some(false));
    assert_eq!(verdict("periodic() + gaussian()", strict), Some(true));
    assert_eq!(verdict("linear()*linear() + polynomial(degree=5)", strict), Some(false));
    assert_eq!(verdict("gaussian() + linear()", Property::ShiftInvariant), Some(false));
    assert_eq!(verdict("normalized(exponential())", Property::ShiftInvariant), None);
    assert_eq!(verdict("on([0], gaussian())", strict), None);
    assert_eq!(verdict("on([0], linear())", strict), Some(false));
    assert_eq!(verdict("transformed(gaussian(), by=square())", strict), Some(false));
    assert_eq!(verdict("transformed(gaussian(), by=log1p())", strict), Some(true));
    assert_eq!(verdict("tanh(scale=0, offset=1)", PSD), Some(true));
    assert_eq!(verdict("tanh(scale=0, offset=-1)", PSD), Some(false));
}

#[test]
fn universality_and_characteristicness_travel_by_rule() {
    let (universal, characteristic) = (Property::Universal, Property::Characteristic);
    for text in [
        "exp(linear())",
        "gaussian()*matern()",
        "gaussian() + linear()",
        "normalized(exponential())",
        "gaussian()*(linear() + 1)",
        "series(geometric, 0.5*gaussian())",
    ] {
        assert_eq!(verdict(text, universal), Some(true), "{text}");
    }
    for text in
        ["gaussian()*periodic()", "gaussian()^3", "exp(gaussian())", "wiener() + linear()", "sinc()*laplacian()"]
    {
        assert_eq!(verdict(text, characteristic), Some(true), "{text}");
    }
    for text in ["linear()", "polynomial(degree=9) * linear()", "0*gaussian()", "induced(gaussian(), at=[[0]])"] {
        assert_eq!(verdict(text, universal), Some(false), "{text}");
        assert_eq!(verdict(text, characteristic), Some(false), "{text}");
    }
    assert_eq!(verdict("sinc()^2", characteristic), None);
    assert_eq!(verdict("gaussian() + delta()", universal), None);
    assert_eq!(verdict("gaussian()*linear()", universal), None);
}

#[test]
fn bounds_and_smoothness_are_derived() {
    let close = |text: &str, expected: f64| {
        let found = kernel(text).bound().unwrap();
        assert_close!(found, expected, abs = 1e-14 * expected.abs().max(1.0), "{text}: {found}");
    };
    close("2*gaussian() + 1", 3.0);
    close("exp(2*sinc())", 2.0_f64.exp());
    close("series(geometric, 0.5*gaussian())", 2.0);
    close("normalized(polynomial())", 1.0);
    close("schoenberg(sqdist())", 1.0);
    close("sqdist()", 0.0);
    assert_eq!(kernel("linear()").bound(), Some(f64::INFINITY));
    assert_eq!(kernel("linear()*bridge()").bound(), None);
    assert!(kernel("gaussian()*matern(nu=5/2)").is_differentiable());
    assert!(!kernel("gaussian() + laplacian()").is_differentiable());
    assert!(!kernel("transformed(gaussian(), by=unit())").is_continuous());
    assert!(!kernel("normalized(linear())").is_continuous());
    assert!(kernel("normalized(linear() + 1)").is_continuous());
}

#[test]
fn proof_trees_read_well() {
    let Verdict::Proven(proof) = kernel("2*gaussian(lengthscale=0.5) + linear()").property(PSD) else { panic!() };
    let expected = "\
2*gaussian(lengthscale=0.5) + linear() is PSD: a sum of PSD kernels
├─ 2*gaussian(lengthscale=0.5) is PSD: a positive multiple of a PSD kernel
│  └─ gaussian(lengthscale=0.5) is PSD: Schoenberg on squared distance: exp(−tκ) with κ = ‖x−y‖² negative definite
└─ linear() is PSD: its Gram matrix is XXᵀ";
    assert_eq!(proof.to_string(), expected);
    assert_eq!(proof.size(), 4);

    let Verdict::Proven(proof) = kernel("schoenberg(minus(constant(value=1), linear()), t=2)").property(PSD) else {
        panic!()
    };
    let expected = "\
schoenberg(minus(constant(value=1), linear()), t=2) is PSD: Schoenberg: exp(−tκ) with κ NSD
└─ minus(constant(value=1), linear()) is NSD: an NSD kernel minus a PSD one
   ├─ constant(value=1) is NSD: Σ cᵢ = 0 makes cᵀKc = 0
   └─ linear() is PSD: its Gram matrix is XXᵀ";
    assert_eq!(proof.to_string(), expected);

    let text = kernel("tanh(scale=1, offset=0)").proof();
    assert!(text.starts_with("tanh(scale=1, offset=0) is PSD? Unknown: tanh has negative coefficients"), "{text}");
    assert_eq!(text.lines().count(), 7, "{text}");
}

#[test]
fn every_example_has_a_verdict_on_every_property() {
    for text in examples() {
        let properties = kernel(text).properties();
        assert_eq!(properties.len(), Property::ALL.len());
        for (property, verdict) in properties {
            if let Verdict::Unknown(missing) = verdict {
                assert!(!missing.is_empty(), "{text}: {}", property.name());
            }
        }
    }
}
