//! `C` and the kernel of a support vector classifier, by held-out rows.

use ndarray::{Array2, ArrayView1, ArrayView2};

use crate::learn::svm::{Classes, Svc};
use crate::{Compute, Error, Kernel, Result};

/// Held-out accuracies of a classifier on a grid of kernels and `C`.
#[derive(Clone, Debug, PartialEq)]
pub struct SvmGrid {
    /// The kernels, as they were given.
    pub kernels: Vec<Kernel>,
    /// The `C`, as they were given.
    pub c: Vec<f64>,
    /// The (weighted) share of held-out rows whose class is predicted: a row per kernel, a column per `C`.
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

/// Scores every pair of a kernel and a `C` by folds that hold the classes in their shares: the rows of a class go to the folds in turn. The kernel and the
/// penalty of `spec` itself are not used.
///
/// # Formula
/// [`Svc::validate`] for every kernel: one kernel matrix serves all folds, machines and `C`, and every fit begins at that of the `C` before. List them
/// ascending.
///
/// # Cost
/// One kernel matrix and folds × machines paths per kernel.
///
/// # Errors
/// [`Error::Parameter`] for empty lists and unless `2 ≤ folds ≤ rows`; as [`Svc::validate`], for instance when a fold takes the only row of a class.
///
/// # Example
/// ```
/// use mercer::{Compute, learn::svm::{Classes, Svc}, select::svm_grid};
/// use ndarray::Array2;
/// // Two classes in turn along a line: a wide kernel cannot tell them apart.
/// let x = Array2::from_shape_fn((40, 1), |(i, _)| i as f64);
/// let classes = Classes::from_indices((0..40).map(|i| i / 5 % 2).collect(), vec!["a".into(), "b".into()])?;
/// let spec = Svc::new("gaussian()".parse()?, 1.0);
/// let kernels = ["gaussian(lengthscale=1)".parse()?, "gaussian(lengthscale=100)".parse()?];
/// let grid = svm_grid(&spec, &kernels, &[0.1, 1.0, 10.0], 4, x.view(), &classes, None, &Compute::new())?;
/// assert_eq!(grid.accuracy.dim(), (2, 3));
/// assert_eq!(grid.best().map(|(kernel, _)| kernel), Some(&kernels[0]));
/// # Ok::<(), mercer::Error>(())
/// ```
#[allow(clippy::too_many_arguments)]
pub fn svm_grid(
    spec: &Svc,
    kernels: &[Kernel],
    c: &[f64],
    folds: usize,
    x: ArrayView2<f64>,
    classes: &Classes,
    weights: Option<ArrayView1<f64>>,
    compute: &Compute,
) -> Result<SvmGrid> {
    if kernels.is_empty() || c.is_empty() {
        return Err(Error::parameter("C and kernels", "an empty list", "at least one of each"));
    }
    if folds < 2 || folds > x.nrows() {
        return Err(Error::parameter("folds", folds, &format!("from 2 to the number of rows, {}", x.nrows())));
    }
    let fold_of = in_turn(classes, folds);
    let mut accuracy = Array2::zeros((kernels.len(), c.len()));
    for (at, kernel) in kernels.iter().enumerate() {
        compute.report("kernels", at as u64, kernels.len() as u64);
        let svc = Svc { kernel: kernel.clone(), ..spec.clone() };
        let predicted = svc.validate(x, classes, weights, c, &fold_of, &compute.silent())?;
        for (column, target) in predicted.columns().into_iter().zip(accuracy.row_mut(at)) {
            *target = share(column, classes.of(), weights);
        }
    }
    compute.report("kernels", kernels.len() as u64, kernels.len() as u64);
    Ok(SvmGrid { kernels: kernels.to_vec(), c: c.to_vec(), accuracy })
}

/// The fold of every row: the rows of each class go to the folds in turn.
fn in_turn(classes: &Classes, folds: usize) -> Vec<usize> {
    let mut next = vec![0; classes.count()];
    let mut one = |&class: &usize| {
        let fold = next[class] % folds;
        next[class] += 1;
        fold
    };
    classes.of().iter().map(&mut one).collect()
}

/// The (weighted) share of rows whose class was predicted.
fn share(predicted: ArrayView1<usize>, classes: &[usize], weights: Option<ArrayView1<f64>>) -> f64 {
    let (mut right, mut total) = (0.0, 0.0);
    for (row, (found, class)) in predicted.iter().zip(classes).enumerate() {
        let weight = weights.map_or(1.0, |w| w[row]);
        total += weight;
        right += if found == class { weight } else { 0.0 };
    }
    right / total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
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
        let (c, fold_of) = ([0.3, 3.0], in_turn(&classes, 3));
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
    fn the_same_numbers_for_any_number_of_threads() {
        let (x, classes) = clouds(120);
        let svc = Svc::new("gaussian()".parse().unwrap(), 1.0);
        let kernels = [0.3, 1.0].map(|l| format!("gaussian(lengthscale={l})").parse().unwrap());
        let run = |threads: usize| {
            let compute = Compute::new().with_threads(threads).unwrap();
            svm_grid(&svc, &kernels, &[0.1, 10.0], 5, x.view(), &classes, None, &compute).unwrap()
        };
        assert_eq!(run(1), run(2));
    }

    #[test]
    fn wrong_requests_are_refused() {
        let (x, classes) = clouds(12);
        let svc = Svc::new("gaussian()".parse().unwrap(), 1.0);
        let grid = |svc: &Svc, c: &[f64], folds: usize| {
            svm_grid(svc, std::slice::from_ref(&svc.kernel), c, folds, x.view(), &classes, None, &Compute::new())
        };
        assert!(grid(&svc, &[1.0], 2).is_ok());
        assert!(grid(&svc, &[], 2).is_err());
        assert!(grid(&svc, &[0.0], 2).is_err());
        assert!(grid(&svc, &[1.0], 1).is_err());
        assert!(grid(&svc, &[1.0], 13).is_err());
        assert!(grid(&Svc::nu(svc.kernel.clone(), 0.2), &[1.0], 2).is_err());
        let lonely = Classes::from_indices([vec![0; 11], vec![1]].concat(), vec!["a".into(), "b".into()]).unwrap();
        let refused = svc.validate(x.view(), &lonely, None, &[1.0], &in_turn(&lonely, 3), &Compute::new());
        assert!(refused.unwrap_err().to_string().contains("class b"));
    }
}
