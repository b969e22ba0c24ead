//! `C` and the kernel of a support vector classifier, by held-out rows.

use ndarray::{Array2, ArrayView1};

use crate::learn::svm::{Classes, Svc};
use crate::{Compute, Error, Kernel, Points, Result};

/// Held-out accuracies of a classifier on a grid of kernels and `C`.
#[derive(Clone, Debug, PartialEq)]
pub struct SvmGrid {
    /// The kernels, as they were given.
    pub kernels: Vec<Kernel>,
    /// The `C`, as they were given.
    pub c: Vec<f64>,
    /// The (weighted) share of the rows of a fold whose class is predicted, in the mean over the
    /// folds: a row per kernel, a column per `C`.
    pub accuracy: Array2<f64>,
}

impl SvmGrid {
    /// The kernel and the `C` of the largest accuracy, the first of equals.
    pub fn best(&self) -> Option<(&Kernel, f64)> {
        let mut best: Option<((usize, usize), f64)> = None;
        for (at, &accuracy) in self.accuracy.indexed_iter() {
            if best.is_none_or(|(_, largest)| accuracy > largest) {
                best = Some((at, accuracy));
            }
        }
        best.map(|((kernel, c), _)| (&self.kernels[kernel], self.c[c]))
    }
}

/// Scores every pair of a kernel and a `C` by folds, such as those of
/// [`stratified_folds`](super::stratified_folds). The kernel and the penalty of `spec` itself are
/// not used.
///
/// # Formula
/// [`Svc::validate_each`]: the matrix of a kernel serves all folds, binary SVMs and `C`, and every
/// fit begins at that of the `C` before or of the kernel before, whichever is better. List both
/// ascending.
///
/// # Cost
/// One kernel matrix and folds × binary SVMs paths per kernel.
///
/// # Errors
/// [`Error::Parameter`] for empty lists, [`Error::Request`] unless every row is in one fold; as
/// [`Svc::validate`], for instance when a fold takes the only row of a class.
///
/// # Example
/// ```
/// use mercer::{Compute, learn::svm::{Classes, Svc}, select::{stratified_folds, svm_grid}};
/// use ndarray::Array2;
/// // Two classes in turn along a line: a wide kernel cannot describe them apart.
/// let x = Array2::from_shape_fn((40, 1), |(i, _)| i as f64);
/// let classes = Classes::from_indices((0..40).map(|i| i / 5 % 2).collect(), vec!["a".into(), "b".into()])?;
/// let spec = Svc::new("gaussian()".parse()?, 1.0);
/// let kernels = ["gaussian(lengthscale=1)".parse()?, "gaussian(lengthscale=100)".parse()?];
/// let folds = stratified_folds(classes.of(), 4, &Compute::new())?;
/// let grid = svm_grid(&spec, &kernels, &[0.1, 1.0, 10.0], &folds, x.view(), &classes, None, &Compute::new())?;
/// assert_eq!(grid.accuracy.dim(), (2, 3));
/// assert_eq!(grid.best().map(|(kernel, _)| kernel), Some(&kernels[0]));
/// # Ok::<(), mercer::Error>(())
/// ```
#[allow(clippy::too_many_arguments)]
pub fn svm_grid<'x>(
    spec: &Svc,
    kernels: &[Kernel],
    c: &[f64],
    folds: &[Vec<usize>],
    x: impl Into<Points<'x>>,
    classes: &Classes,
    weights: Option<ArrayView1<f64>>,
    compute: &Compute,
) -> Result<SvmGrid> {
    let x = x.into();
    if kernels.is_empty() || c.is_empty() {
        return Err(Error::parameter("C and kernels", "an empty list", "at least one of each"));
    }
    let fold_of = fold_of(folds, x.len())?;
    let predicted = spec.validate_each(kernels, x, classes, weights, c, &fold_of, compute)?;
    let score = |(kernel, c): (usize, usize)| {
        let column = predicted[kernel].column(c);
        let shares: Vec<f64> = folds.iter().filter_map(|rows| share(column, rows, classes.of(), weights)).collect();
        shares.iter().sum::<f64>() / shares.len() as f64
    };
    let accuracy = Array2::from_shape_fn((kernels.len(), c.len()), score);
    Ok(SvmGrid { kernels: kernels.to_vec(), c: c.to_vec(), accuracy })
}

/// The fold of every row.
fn fold_of(folds: &[Vec<usize>], rows: usize) -> Result<Vec<usize>> {
    let wrong = |row: usize, what: &str| Error::request(format!("row {row} is {what}: every row belongs to one fold"));
    let mut of = vec![None; rows];
    for (fold, list) in folds.iter().enumerate() {
        for &row in list {
            let position = of.get_mut(row).ok_or_else(|| wrong(row, "in a fold and not in the data"))?;
            if position.replace(fold).is_some() {
                return Err(wrong(row, "listed twice"));
            }
        }
    }
    of.into_iter().enumerate().map(|(row, fold)| fold.ok_or_else(|| wrong(row, "in no fold"))).collect()
}

/// The (weighted) share of some rows whose class was predicted; none where they have no weight.
fn share(
    predicted: ArrayView1<usize>,
    rows: &[usize],
    classes: &[usize],
    weights: Option<ArrayView1<f64>>,
) -> Option<f64> {
    let (mut right, mut total) = (0.0, 0.0);
    for &row in rows {
        let weight = weights.map_or(1.0, |w| w[row]);
        total += weight;
        right += if predicted[row] == classes[row] { weight } else { 0.0 };
    }
    (total > 0.0).then(|| right / total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::select::stratified_folds;
    use crate::solve::DualOptions;
    use ndarray::Axis;

    /// Overlapping clouds of three classes.
    fn clouds(n: usize) -> (Array2<f64>, Classes) {
        let mut stream = Seed(3).stream("clouds", 0);
        let of: Vec<usize> = (0..n).map(|i| i * 7 % 11 % 3).collect();
        let x = Array2::from_shape_fn((n, 2), |(i, j)| stream.normal() + if j == 0 { of[i] as f64 } else { 0.0 });
        (x, Classes::from_indices(of, vec!["a".into(), "b".into(), "c".into()]).unwrap())
    }

    #[test]
    fn held_out_rows_are_predicted_as_by_fits_without_them() {
        let (x, classes) = clouds(90);
        let compute = Compute::new();
        let solver = DualOptions { tolerance: 1e-8, ..Default::default() };
        let (c, folds) = ([0.3, 3.0], stratified_folds(classes.of(), 3, &compute).unwrap());
        let fold_of = fold_of(&folds, 90).unwrap();
        for scheme in [crate::learn::svm::Scheme::OneVersusOne, crate::learn::svm::Scheme::OneVersusRest] {
            let svc = Svc { solver, scheme, ..Svc::new("gaussian(lengthscale=0.8)".parse().unwrap(), 1.0) };
            let found = svc.validate(x.view(), &classes, None, &c, &fold_of, &compute).unwrap();
            for (column, &c) in c.iter().enumerate() {
                for fold in 0..3 {
                    let (train, test): (Vec<usize>, Vec<usize>) = (0..90).partition(|&i| fold_of[i] != fold);
                    let of = train.iter().map(|&i| classes.of()[i]).collect();
                    let part = Classes::from_indices(of, classes.names().to_vec()).unwrap();
                    let spec = Svc { penalty: crate::learn::svm::Penalty::C(c), ..svc.clone() };
                    let fit = spec.fit(x.select(Axis(0), &train).view(), &part, None, &compute).unwrap();
                    let expected = fit.predict(x.select(Axis(0), &test).view(), &compute).unwrap();
                    let predicted: Vec<usize> = test.iter().map(|&i| found[[i, column]]).collect();
                    assert_eq!(predicted, expected, "{scheme:?} {c} {fold}");
                }
            }
        }
    }

    #[test]
    fn fits_begun_at_other_kernels_predict_the_same() {
        let (x, classes) = clouds(150);
        let compute = Compute::new();
        let solver = DualOptions { tolerance: 1e-8, ..Default::default() };
        let svc = Svc { solver, ..Svc::new("gaussian()".parse().unwrap(), 1.0) };
        let kernels = [0.4, 0.8, 1.6].map(|l| format!("gaussian(lengthscale={l})").parse::<Kernel>().unwrap());
        let folds: Vec<usize> = (0..150).map(|row| row % 5).collect();
        let all = svc.validate_each(&kernels, x.view(), &classes, None, &[0.3, 3.0, 30.0], &folds, &compute).unwrap();
        for (kernel, found) in kernels.iter().zip(&all) {
            let alone = Svc { kernel: kernel.clone(), ..svc.clone() };
            assert_eq!(alone.validate(x.view(), &classes, None, &[0.3, 3.0, 30.0], &folds, &compute).unwrap(), *found);
        }
    }

    #[test]
    fn lengths_together_predict_as_each_alone() {
        let mut random = Seed(8).stream("strings", 0);
        let texts =
            (0..60).map(|i| (0..30).map(|_| ["abc", "abb"][i % 2].as_bytes()[random.below(3)] as char).collect());
        let strings: crate::points::Strings = texts.collect::<Vec<String>>().into_iter().collect();
        let classes = Classes::from_indices((0..60).map(|i| i % 2).collect(), vec!["a".into(), "b".into()]).unwrap();
        let solver = DualOptions { tolerance: 1e-8, ..Default::default() };
        let svc = Svc { solver, ..Svc::new("spectrum()".parse().unwrap(), 1.0) };
        let kernels =
            ["spectrum(length=3)", "mismatch(length=2)", "spectrum(length=2, blended=true)", "spectrum(length=1)"]
                .map(|text| format!("normalized({text})").parse::<Kernel>().unwrap());
        let folds: Vec<usize> = (0..60).map(|row| row / 2 % 5).collect();
        for memory in [1 << 30, 8 * 60 * 60] {
            let compute = Compute::new().with_memory(memory);
            let all = svc.validate_each(&kernels, &strings, &classes, None, &[0.1, 10.0], &folds, &compute).unwrap();
            for (kernel, found) in kernels.iter().zip(&all) {
                let alone = Svc { kernel: kernel.clone(), ..svc.clone() };
                let expected = alone.validate(&strings, &classes, None, &[0.1, 10.0], &folds, &compute).unwrap();
                assert_eq!(expected, *found, "{kernel}");
            }
        }
    }

    #[test]
    fn the_same_numbers_for_any_number_of_threads() {
        let (x, classes) = clouds(120);
        let svc = Svc::new("gaussian()".parse().unwrap(), 1.0);
        let kernels = [0.3, 1.0].map(|l| format!("gaussian(lengthscale={l})").parse().unwrap());
        let run = |threads: usize| {
            let compute = Compute::new().with_threads(threads).unwrap();
            let folds = stratified_folds(classes.of(), 5, &compute).unwrap();
            svm_grid(&svc, &kernels, &[0.1, 10.0], &folds, x.view(), &classes, None, &compute).unwrap()
        };
        assert_eq!(run(1), run(2));
    }

    #[test]
    fn wrong_requests_are_refused() {
        let (x, classes) = clouds(12);
        let svc = Svc::new("gaussian()".parse().unwrap(), 1.0);
        let grid = |svc: &Svc, c: &[f64], folds: &[Vec<usize>]| {
            svm_grid(svc, std::slice::from_ref(&svc.kernel), c, folds, x.view(), &classes, None, &Compute::new())
        };
        let halves = stratified_folds(classes.of(), 2, &Compute::new()).unwrap();
        assert!(grid(&svc, &[1.0], &halves).is_ok());
        assert!(grid(&svc, &[], &halves).is_err());
        assert!(grid(&svc, &[0.0], &halves).is_err());
        assert!(grid(&svc, &[1.0], &[]).unwrap_err().to_string().contains("row 0 is in no fold"));
        let doubled = [halves.clone(), vec![vec![3]]].concat();
        assert!(grid(&svc, &[1.0], &doubled).unwrap_err().to_string().contains("row 3 is listed twice"));
        assert!(grid(&svc, &[1.0], &[(0..13).collect()]).unwrap_err().to_string().contains("row 12"));
        assert!(grid(&Svc::nu(svc.kernel.clone(), 0.2), &[1.0], &halves).is_err());
        let little = Compute::new().with_memory(500);
        let refused = svc.validate(x.view(), &classes, None, &[1.0], &[0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1], &little);
        assert!(refused.unwrap_err().to_string().contains("choose on fewer rows"));
        let lonely = Classes::from_indices([vec![0; 11], vec![1]].concat(), vec!["a".into(), "b".into()]).unwrap();
        let thirds: Vec<usize> = (0..12).map(|row| row % 3).collect();
        let refused = svc.validate(x.view(), &lonely, None, &[1.0], &thirds, &Compute::new());
        assert!(refused.unwrap_err().to_string().contains("class b"));
    }
}
