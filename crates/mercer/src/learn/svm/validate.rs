//! Held-out predictions along `C`, all folds and binary SVMs on one kernel matrix.

use std::borrow::Cow;

use ndarray::{Array2, ArrayView1};
use rayon::prelude::*;

use super::classes::Classes;
use super::decide::{argmax, confidences, votes};
use super::method::SvmMethod;
use super::schedule::Scheme;
use super::support::{bind, check, rebind};
use super::svc::{Penalty, Svc};
use super::task::{Task, Tasks};
use crate::gram::{Bound, KernelList};
use crate::solve::KernelRows;
use crate::{Compute, Error, Kernel, Points, Result, Sample};

/// The rows in an order in which every fold of every class is one run.
struct FoldOrder<'a> {
    tasks: Tasks,
    classes: &'a Classes,
    /// The rows of the data in this order.
    order: Vec<usize>,
    /// The fold at each position.
    folds: Vec<usize>,
}

/// One binary SVM without one fold, for every `C` of a list.
struct Held {
    /// The decision values of the rows that are held out.
    values: Vec<Vec<f64>>,
    /// `α` of the rows it was fitted to.
    alpha: Vec<Vec<f64>>,
}

impl Svc {
    /// The class of every row (one row each) by binary SVMs that were fitted without the row's
    /// fold, for every `C` of a list (one column each).
    ///
    /// # Formula
    /// For every fold and SVM a path over `C`, each fit begun at the one before, scaled to its
    /// bound. Rows are sorted by class and fold, so that every training set is a few runs of one
    /// kernel matrix, which is computed once and never copied.
    ///
    /// # Cost
    /// One kernel matrix in single precision (double up to 2048 rows), and folds × binary SVMs ×
    /// `C` solutions, in parallel.
    ///
    /// # Errors
    /// As [`Svc::fit`], [`Error::Unsupported`] or [`Error::EmptyClass`] for a ν-classifier and for
    /// a fold without which a class has no rows, [`Error::Shape`] unless there is one fold per row,
    /// [`Error::Memory`] when the kernel matrix does not fit.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, learn::svm::{Classes, Svc}};
    /// use ndarray::array;
    /// let (x, classes) = (array![[0.0], [1.0], [5.0], [6.0]], Classes::from_texts(["a", "a", "b", "b"]));
    /// let svc = Svc::new("gaussian()".parse()?, 1.0);
    /// let found = svc.validate(x.view(), &classes, None, &[0.1, 10.0], &[0, 1, 0, 1], &Compute::new())?;
    /// assert_eq!(found.column(1).to_vec(), [0, 0, 1, 1]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn validate<'x>(
        &self,
        x: impl Into<Points<'x>>,
        classes: &Classes,
        weights: Option<ArrayView1<f64>>,
        c: &[f64],
        folds: &[usize],
        compute: &Compute,
    ) -> Result<Array2<usize>> {
        let x = self.kernel.points(x);
        let kernels = std::slice::from_ref(&self.kernel);
        let mut found = self.validate_each(kernels, x, classes, weights, c, folds, &compute.silent())?;
        found.pop().ok_or_else(|| Error::parameter("kernels", "an empty list", "at least one"))
    }

    /// [`Svc::validate`] for every kernel of a list instead of the classifier's own. Every fit
    /// begins at that of the `C` before or at that of the kernel before, whichever is better: list
    /// both in order. Depths of Weisfeiler–Lehman and lengths of substrings, alone or within other
    /// kernels, are counted in one pass, and a matrix is made from that of the kernel before.
    ///
    /// # Errors
    /// As [`Svc::validate`].
    #[allow(clippy::too_many_arguments)]
    pub fn validate_each<'x>(
        &self,
        kernels: &[Kernel],
        x: impl Into<Points<'x>>,
        classes: &Classes,
        weights: Option<ArrayView1<f64>>,
        c: &[f64],
        folds: &[usize],
        compute: &Compute,
    ) -> Result<Vec<Array2<usize>>> {
        let x = x.into();
        let specs = self.along(c)?;
        kernels.iter().try_for_each(|kernel| kernel.points(x).check_square())?;
        let plan = FoldOrder::new(self, x, classes, weights, folds)?;
        let silent = compute.silent();
        let (mut before, mut all) = (Vec::new(), Vec::with_capacity(kernels.len()));
        let ordered = Ordered::new(self, kernels, x, &plan.order, &silent)?;
        for (at, kernel) in kernels.iter().enumerate() {
            compute.report("kernels", at as u64, kernels.len() as u64);
            let points = ordered.points(kernel, x);
            let bound = ordered.bind(kernel, x, points.as_points(), &silent)?;
            let largest = plan.tasks.list.iter().map(|task| task.rows.len()).max().unwrap_or(0);
            let whole = match SvmMethod::of(bound.kernel(), points.as_points(), largest) {
                SvmMethod::InteriorPoint { .. } => SvmMethod::features(bound.kernel(), points.as_points(), &silent),
                SvmMethod::WorkingSets => KernelRows::shared(&bound, &silent),
            };
            let whole = whole.map_err(advised)?;
            let held = plan.hold_out_each(&specs, &whole, &before, &silent)?;
            let mut predicted = Array2::zeros((x.len(), specs.len()));
            for (fold, held) in held.chunks_exact(plan.tasks.list.len().max(1)).enumerate() {
                plan.decide(self, fold, held, &mut predicted);
            }
            all.push(predicted);
            before = held;
        }
        compute.report("kernels", kernels.len() as u64, kernels.len() as u64);
        Ok(all)
    }

    /// The same classifier for a list of `C`.
    pub(super) fn along(&self, c: &[f64]) -> Result<Vec<Self>> {
        if matches!(self.penalty, Penalty::Nu(_)) {
            return Err(Error::unsupported("path over C", "a ν-classifier", "", "give a C-classifier"));
        }
        let specs: Vec<Self> = c.iter().map(|&c| Self { penalty: Penalty::C(c), ..self.clone() }).collect();
        specs.iter().try_for_each(Self::check)?;
        Ok(specs)
    }
}

impl<'a> FoldOrder<'a> {
    fn new(
        svc: &Svc,
        x: Points<'_>,
        classes: &'a Classes,
        weights: Option<ArrayView1<f64>>,
        folds: &[usize],
    ) -> Result<Self> {
        let weights = svc.row_weights(x.len(), classes, weights)?;
        if folds.len() != x.len() {
            return Err(Error::shape("folds", format!("one per row ({})", x.len()), folds.len()));
        }
        let mut order: Vec<usize> = (0..x.len()).collect();
        order.sort_by_key(|&row| (classes.of()[row], folds[row]));
        let sorted =
            Classes::from_indices(order.iter().map(|&row| classes.of()[row]).collect(), classes.names().to_vec())?;
        let weights: Vec<f64> = order.iter().map(|&row| weights[row]).collect();
        let tasks = Tasks::new(svc, &sorted, &weights)?;
        let folds = order.iter().map(|&row| folds[row]).collect();
        Ok(Self { tasks, classes, order, folds })
    }

    /// The positions that a fold holds out.
    fn held_out(&self, fold: usize) -> Vec<usize> {
        (0..self.folds.len()).filter(|&at| self.folds[at] == fold).collect()
    }

    /// Every SVM without every fold, fold after fold.
    fn hold_out_each(
        &self,
        specs: &[Svc],
        whole: &KernelRows<'_>,
        before: &[Held],
        compute: &Compute,
    ) -> Result<Vec<Held>> {
        let count = self.folds.iter().max().map_or(0, |last| last + 1);
        let jobs: Vec<(usize, &Task)> =
            (0..count).flat_map(|fold| self.tasks.list.iter().map(move |task| (fold, task))).collect();
        compute.install(|| {
            let one = |(at, &(fold, task)): (usize, &(usize, &Task))| {
                self.hold_out(specs, fold, task, whole, before.get(at), compute)
            };
            jobs.par_iter().enumerate().with_max_len(1).map(one).collect()
        })
    }

    /// One binary SVM without one fold, along the path, at the rows of the fold; `before` is the
    /// same of another kernel.
    fn hold_out(
        &self,
        specs: &[Svc],
        fold: usize,
        task: &Task,
        whole: &KernelRows<'_>,
        before: Option<&Held>,
        compute: &Compute,
    ) -> Result<Held> {
        compute.check_canceled()?;
        let (positions, task) = self.training(fold, task)?;
        let held_out = self.held_out(fold);
        let mut rows = whole.subset(&positions);
        let mut held = Held { values: Vec::with_capacity(specs.len()), alpha: Vec::with_capacity(specs.len()) };
        for (at, spec) in specs.iter().enumerate() {
            let guesses = [held.alpha.last(), before.and_then(|before| before.alpha.get(at))];
            let guesses: Vec<&[f64]> = guesses.into_iter().flatten().map(Vec::as_slice).collect();
            let svm = task.solve(spec, &mut rows, &guesses, compute)?;
            let terms = positions.iter().zip(&svm.coefficients).filter(|(_, c)| **c != 0.0);
            let terms: Vec<(usize, f64)> = terms.map(|(&position, &c)| (position, c)).collect();
            let mut values = whole.combine(&terms, &held_out);
            values.iter_mut().for_each(|v| *v += svm.offset);
            held.values.push(values);
            held.alpha.push(task.alpha(&svm));
        }
        Ok(held)
    }

    /// The positions and the SVM of the rows outside a fold.
    fn training(&self, fold: usize, task: &Task) -> Result<(Vec<usize>, Task)> {
        let kept: Vec<usize> = (0..task.rows.len()).filter(|&i| self.folds[task.rows[i]] != fold).collect();
        let of = |list: &[f64]| kept.iter().map(|&i| list[i]).collect::<Vec<f64>>();
        let positions: Vec<usize> = kept.iter().map(|&i| task.rows[i]).collect();
        let part = Task {
            first: task.first,
            second: task.second,
            rows: (0..kept.len()).collect(),
            signs: of(&task.signs),
            weights: of(&task.weights),
        };
        let carried = |sign: f64| part.signs.iter().zip(&part.weights).any(|(s, w)| *s == sign && *w > 0.0);
        if carried(1.0) && carried(-1.0) {
            return Ok((positions, part));
        }
        let class = if carried(1.0) { task.second } else { Some(task.first) };
        let name = class.map_or("the rest", |class| self.classes.names()[class].as_str());
        Err(Error::EmptyClass { class: name.to_owned(), outside_fold: Some(fold) })
    }

    /// The classes of the rows of a fold from the values of all binary SVMs.
    fn decide(&self, svc: &Svc, fold: usize, held: &[Held], predicted: &mut Array2<usize>) {
        let k = self.classes.count();
        let positions = self.held_out(fold);
        for column in 0..predicted.ncols() {
            let values = Array2::from_shape_fn((positions.len(), held.len()), |(i, svm)| held[svm].values[column][i]);
            let found: Vec<usize> = match svc.scheme {
                Scheme::OneVersusRest if k > 2 => {
                    values.rows().into_iter().map(|row| argmax(row.iter().copied())).collect()
                }
                _ if svc.break_ties && k > 2 => {
                    let all = confidences(values.view(), k);
                    all.rows().into_iter().map(|row| argmax(row.iter().copied())).collect()
                }
                _ => values.rows().into_iter().map(|row| argmax(votes(row, k))).collect(),
            };
            positions.iter().zip(found).for_each(|(&at, class)| predicted[[self.order[at], column]] = class);
        }
    }
}

/// The points of a search in the order of the folds, and what the kernels of a list share on them.
struct Ordered<'a> {
    svc: &'a Svc,
    order: &'a [usize],
    objects: Option<(Sample, KernelList)>,
}

impl<'a> Ordered<'a> {
    fn new(svc: &'a Svc, kernels: &[Kernel], x: Points<'_>, order: &'a [usize], compute: &Compute) -> Result<Self> {
        if kernels.len() < 2 || !x.kind().is_object() {
            return Ok(Self { svc, order, objects: None });
        }
        let (objects, n) = (Sample::select(x, order), order.len());
        // Where explicit features stand for the matrix, none is stored.
        let beside = if KernelRows::is_made_whole(n, compute) { KernelRows::whole_bytes(n) } else { u64::MAX };
        let list = KernelList::new(kernels, objects.as_points(), beside, compute)?;
        Ok(Self { svc, order, objects: Some((objects, list)) })
    }

    /// The points in this order, as a kernel takes them.
    fn points(&self, kernel: &Kernel, x: Points<'_>) -> Cow<'_, Sample> {
        match &self.objects {
            Some((objects, _)) => Cow::Borrowed(objects),
            None => Cow::Owned(Sample::select(kernel.points(x), self.order)),
        }
    }

    /// A kernel on the points in this order.
    fn bind<'p>(&self, kernel: &Kernel, x: Points<'_>, points: Points<'p>, compute: &Compute) -> Result<Bound<'p>> {
        if let Some((_, list)) = self.objects.as_ref().filter(|(_, list)| list.takes(kernel)) {
            check(kernel, x, self.svc.indefinite, compute)?;
            return list.bind(kernel, points, compute);
        }
        let resolved = bind(kernel, kernel.points(x), self.svc.indefinite, compute)?.kernel().clone();
        rebind(&resolved, points, compute)
    }
}

/// The error with what helps where folds share a matrix.
fn advised(error: Error) -> Error {
    match error {
        Error::Memory { purpose, what, needed, limit, .. } => {
            let remedy = "choose on fewer rows (a fit can take all of them), or raise the memory limit".into();
            Error::Memory { purpose, what, needed, limit, remedy }
        }
        other => other,
    }
}
