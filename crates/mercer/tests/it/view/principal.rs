//! Principal axes: eigenvectors of the covariance from either side, degenerate samples, refusals.

use mercer::view::PrincipalAxes;
use mercer::{Compute, Error, Seed};
use ndarray::{Array2, Axis};

fn normal(n: usize, d: usize) -> Array2<f64> {
    let mut stream = Seed(5).stream("points", (n * d) as u64);
    Array2::from_shape_fn((n, d), |(_, j)| (1.0 + j as f64) * stream.normal() + 100.0)
}

/// `Cv = λv` for the covariance `C`, whatever side the decomposition was made on.
#[test]
fn axes_are_eigenvectors_of_the_covariance() {
    for (n, d) in [(40, 6), (6, 40), (9, 9)] {
        let x = normal(n, d);
        let axes = PrincipalAxes::new(x.view(), 3, &Compute::new()).unwrap();
        let centered = &x - &x.mean_axis(Axis(0)).unwrap();
        let covariance = centered.t().dot(&centered) / n as f64;
        let trace = covariance.diag().sum();
        for (direction, share) in axes.directions.rows().into_iter().zip(&axes.shares) {
            assert_close!(direction.dot(&direction), 1.0, abs = 1e-12);
            let image = covariance.dot(&direction);
            let missed = &image - &(&direction * (share * trace));
            assert_close!(missed.dot(&missed).sqrt() / trace, 0.0, abs = 1e-12);
        }
        assert!(axes.shares[0] >= axes.shares[1] && axes.shares[1] >= axes.shares[2]);
        // A point of the space of the axes comes back from its coordinates.
        let at = axes.project(x.view());
        let again = axes.project(axes.points(at.view()).view());
        at.iter().zip(&again).for_each(|(a, b)| assert_close!(*a, *b, abs = 1e-9));
    }
}

#[test]
fn samples_without_spread_have_zero_axes() {
    let axes = PrincipalAxes::new(Array2::from_elem((5, 3), 7.0).view(), 2, &Compute::new()).unwrap();
    assert_eq!(axes.shares, [0.0, 0.0]);
    assert!(axes.directions.iter().all(|v| *v == 0.0));
    let one = PrincipalAxes::new(normal(1, 4).view(), 2, &Compute::new()).unwrap();
    assert_eq!((one.shares, one.directions.dim()), (vec![0.0, 0.0], (2, 4)));
}

#[test]
fn what_is_refused() {
    let compute = Compute::new();
    let new = |x: Array2<f64>| PrincipalAxes::new(x.view(), 2, &compute);
    assert!(matches!(new(Array2::zeros((0, 3))), Err(Error::TooFew { .. })));
    assert!(matches!(new(Array2::zeros((3, 0))), Err(Error::TooFew { .. })));
    assert!(matches!(new(Array2::from_elem((3, 3), f64::NAN)), Err(Error::Value { .. })));
    let little = Compute::new().with_memory(1000);
    assert!(matches!(PrincipalAxes::new(normal(50, 50).view(), 2, &little), Err(Error::Memory { .. })));
}
