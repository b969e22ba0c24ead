//! Influence, calibration and coverage against their definitions.

use mercer::learner::diagnostics::{calibration_bins, cook_distances, coverage, wilson_interval};
use ndarray::Array1;

const X: [f64; 6] = [0.0, 1.0, 2.0, 3.0, 4.0, 9.0];
const Y: [f64; 6] = [0.3, 0.9, 2.4, 2.7, 4.4, 7.0];

/// The least-squares line through the rows that are kept, at all places.
fn line(kept: impl Fn(usize) -> bool) -> Vec<f64> {
    let rows: Vec<usize> = (0..X.len()).filter(|&i| kept(i)).collect();
    let n = rows.len() as f64;
    let (mx, my) = (rows.iter().map(|&i| X[i]).sum::<f64>() / n, rows.iter().map(|&i| Y[i]).sum::<f64>() / n);
    let sxy: f64 = rows.iter().map(|&i| (X[i] - mx) * (Y[i] - my)).sum();
    let sxx: f64 = rows.iter().map(|&i| (X[i] - mx).powi(2)).sum();
    X.iter().map(|x| my + sxy / sxx * (x - mx)).collect()
}

/// Of a line, Cook's distance is the squared move of all fitted values in units of `2σ²`.
#[test]
fn cook_distances_are_those_of_refits() {
    let (n, all) = (X.len() as f64, line(|_| true));
    let mean = X.iter().sum::<f64>() / n;
    let sxx: f64 = X.iter().map(|x| (x - mean).powi(2)).sum();
    let leverages: Array1<f64> = X.iter().map(|x| 1.0 / n + (x - mean).powi(2) / sxx).collect();
    let residuals: Array1<f64> = Y.iter().zip(&all).map(|(y, f)| y - f).collect();
    let noise = residuals.dot(&residuals) / (n - 2.0);
    let found = cook_distances(residuals.view(), leverages.view(), 2.0, noise).unwrap();
    for i in 0..X.len() {
        let moved: f64 = line(|row| row != i).iter().zip(&all).map(|(a, b)| (a - b).powi(2)).sum();
        assert_close!(found[i], moved / (2.0 * noise), 1e-10);
    }
    assert!(cook_distances(residuals.view(), leverages.view(), 2.0, 0.0).is_err());
    assert!(cook_distances(residuals.view(), Array1::zeros(2).view(), 2.0, 1.0).is_err());
}

/// The ends are the probabilities whose score statistic is at the quantile.
#[test]
fn wilson_intervals_invert_the_score_test() {
    for (share, count) in [(0.3, 20.0), (0.5, 7.0), (0.9, 100.0)] {
        let (lower, upper) = wilson_interval(share, count, 0.9).unwrap();
        for p in [lower, upper] {
            let z = (share - p).abs() / (p * (1.0 - p) / count).sqrt();
            assert_close!(z, 1.6448536269514722, 1e-12);
        }
    }
    assert_eq!(wilson_interval(1.0, 5.0, 0.95).unwrap().1, 1.0);
    for (share, count, level) in [(-0.1, 5.0, 0.9), (0.5, 0.0, 0.9), (0.5, 5.0, 1.0), (f64::NAN, 5.0, 0.9)] {
        assert!(wilson_interval(share, count, level).is_err());
    }
}

#[test]
fn bins_hold_equal_numbers_of_rows_in_their_order() {
    let stated: Vec<f64> = (0..23).map(|i| (i * 7 % 23) as f64 / 23.0).collect();
    let happened: Vec<bool> = stated.iter().map(|p| *p > 0.5).collect();
    let found = calibration_bins(&stated, &happened, 5, 0.95).unwrap();
    assert_eq!(found.iter().map(|bin| bin.rows).collect::<Vec<_>>(), [5, 5, 5, 4, 4]);
    assert!(found.windows(2).all(|pair| pair[0].stated < pair[1].stated));
    assert_close!(found[0].stated, (0.0 + 1.0 + 2.0 + 3.0 + 4.0) / 5.0 / 23.0, abs = 1e-15);
    assert_eq!((found[0].observed, found[4].observed), (0.0, 1.0));
    assert_eq!(calibration_bins(&stated[..2], &happened[..2], 10, 0.95).unwrap().len(), 2);
    assert!(calibration_bins(&[], &[], 5, 0.95).is_err());
    assert!(calibration_bins(&stated, &happened, 0, 0.95).is_err());
    assert!(calibration_bins(&stated, &happened[..3], 5, 0.95).is_err());
}

#[test]
fn coverage_counts_the_errors_within_the_quantile() {
    let scores: Vec<f64> = (0..100).map(|i| (i as f64 - 49.5) / 25.0).collect();
    // |s| ≤ 1.2816 holds for 64 of them.
    let found = coverage(&scores, &[0.8]).unwrap()[0];
    assert_close!(found.0, 0.64, abs = 1e-12);
    assert_close!(found.1, 1.959963984540054 * 0.04, 1e-12);
    assert!(coverage(&[], &[0.5]).is_err());
    assert!(coverage(&scores, &[1.5]).is_err());
}
