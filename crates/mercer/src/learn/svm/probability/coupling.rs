//! Probabilities of many classes from probabilities of pairs.

/// Pairwise probabilities are clipped to this distance from 0 and 1, as in LIBSVM.
const LEAST: f64 = 1e-7;

/// The probabilities `p` with the least `Σᵢ Σⱼ (rⱼᵢpᵢ − rᵢⱼpⱼ)²`, where `r(i, j)` is the
/// probability of `i` among `i` and `j` for `i < j`: the second method of Wu, Lin and Weng (2004),
/// by their fixed point iteration.
pub(in super::super) fn couple(classes: usize, r: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let of = |i: usize, j: usize| {
        let p = if i < j { r(i, j) } else { 1.0 - r(j, i) };
        p.clamp(LEAST, 1.0 - LEAST)
    };
    let q = |i: usize, j: usize| {
        if i != j {
            return -of(j, i) * of(i, j);
        }
        (0..classes).filter(|&k| k != i).map(|k| of(k, i) * of(k, i)).sum()
    };
    let matrix: Vec<Vec<f64>> = (0..classes).map(|i| (0..classes).map(|j| q(i, j)).collect()).collect();
    let mut p = vec![1.0 / classes as f64; classes];
    for _ in 0..classes.max(100) {
        let image: Vec<f64> = matrix.iter().map(|row| row.iter().zip(&p).map(|(q, p)| q * p).sum()).collect();
        let form: f64 = image.iter().zip(&p).map(|(a, b)| a * b).sum();
        if image.iter().all(|v| (v - form).abs() < 0.005 / classes as f64) {
            break;
        }
        sweep(&matrix, &mut p, image, form);
    }
    p
}

/// One coordinate after the other, normalized after each.
fn sweep(matrix: &[Vec<f64>], p: &mut [f64], mut image: Vec<f64>, mut form: f64) {
    for t in 0..p.len() {
        let change = (form - image[t]) / matrix[t][t];
        p[t] += change;
        let scale = 1.0 + change;
        form = (form + change * (change * matrix[t][t] + 2.0 * image[t])) / (scale * scale);
        for j in 0..p.len() {
            image[j] = (image[j] + change * matrix[t][j]) / scale;
            p[j] /= scale;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::couple;

    #[test]
    fn probabilities_that_fit_together_are_found_again() {
        let p = [0.5, 0.2, 0.25, 0.05];
        let found = couple(4, |i, j| p[i] / (p[i] + p[j]));
        assert_close!(found.iter(), p, each = 0.01, "{found:?}");
        assert_close!(found.iter().sum::<f64>(), 1.0, abs = 1e-12);
    }
}
