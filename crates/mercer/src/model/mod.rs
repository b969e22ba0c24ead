//! A fitted model as one value: the fit with the encoding of its data.
//!
//! A [`Model`] is what a model file holds. It stores the columns of its table, their encoding, and
//! how its predictions become values of the targets; so that the same predictions come out of Rust,
//! the command line and Python.

mod catalogue;
mod classes;
mod conformal;
mod fitted;
mod inputs;
mod predict;
mod record;
mod table_points;

use std::collections::BTreeMap;

pub use catalogue::{LEARNERS, learner};
pub use fitted::AnyFit;
pub use inputs::{Features, Inputs, Target};
pub use predict::TablePrediction;
pub use table_points::TablePoints;

use crate::conformal::ConformalFit;
use crate::learner::Fitted;
use crate::points::PointKind;
use crate::{Error, Kernel, Result};

/// For every view the columns of the other views count as columns that it does not use.
fn leave_out_columns_of_others(views: &mut [Inputs]) {
    let names = |inputs: &Inputs| -> Vec<String> {
        inputs.column_names().unwrap_or_default().into_iter().map(str::to_owned).collect()
    };
    let all: Vec<Vec<String>> = views.iter().map(names).collect();
    for (inputs, own) in views.iter_mut().zip(&all) {
        for name in all.iter().flatten() {
            if !own.is_empty() && !own.contains(name) && !inputs.unused.contains(name) {
                inputs.unused.push(name.clone());
            }
        }
    }
}

/// Whether these inputs are what was fitted as this view.
fn check_inputs(inputs: &Inputs, fitted: &dyn Fitted, view: usize) -> Result<()> {
    let kind = fitted.point_kind(view);
    let found = match &inputs.features {
        Features::Columns(encoding) if encoding.objects().next().is_some() => {
            // Rows of a table, or its only column.
            let only = encoding.objects().next().filter(|_| encoding.columns().len() == 1);
            only.map(|(_, kind)| kind).filter(|found| *found == kind).unwrap_or(PointKind::Mixed)
        }
        Features::Objects(kind) => *kind,
        Features::Columns(_) | Features::Vectors { .. } => PointKind::Vectors,
    };
    match kind {
        PointKind::Vectors | PointKind::Sparse | PointKind::Precomputed if found == PointKind::Vectors => {
            let (expected, found) = (fitted.dimension(view), inputs.dimension());
            if found == expected { Ok(()) } else { Err(Error::shape("coordinates of the inputs", expected, found)) }
        }
        kind if kind == found => Ok(()),
        kind => Err(Error::wrong_points("the fit", kind, found)),
    }
}

/// A fitted thing, with what it expects of new data.
///
/// # Example
/// ```
/// use mercer::model::{Inputs, Model};
/// use mercer::{Compute, io, learn::Ridge};
/// use ndarray::array;
/// let compute = Compute::new();
/// let (x, y) = (array![[1.0], [2.0], [1.0]], array![[1.0], [4.0], [3.0]]);
/// let fit = Ridge::new("linear()".parse()?, 2.0).fit(x.view(), y.view(), None, &compute)?;
/// let model = Model::new(fit, Inputs::vectors(1, 1))?;
/// let path = std::env::temp_dir().join("mercer-doctest-model.safetensors");
/// io::save_model(&path, &model)?;
/// let loaded = io::load_model(&path, &compute)?;
/// // f(x) = 12x/8.
/// mercer::assert_close!(loaded.predict(array![[2.0]].view(), &compute)?[[0, 0]], 3.0, abs = 1e-14);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Model {
    fitted: AnyFit,
    /// Of every view; the first has the targets.
    inputs: Vec<Inputs>,
    classes: Option<Vec<String>>,
    notes: BTreeMap<String, String>,
    conformal: Option<ConformalFit>,
}

impl Model {
    /// A model of a fit and what goes in.
    ///
    /// # Errors
    /// [`Error::Shape`] when the inputs have another dimension than the points of the fit, or
    /// another number of targets, or the fit has several views; [`Error::WrongPoints`] for inputs of
    /// another kind; [`Error::Column`] for two columns of one name, [`Error::Parameter`] for a
    /// target's scale that is 0 or not finite.
    pub fn new(fitted: impl Into<AnyFit>, inputs: Inputs) -> Result<Self> {
        Self::of_views(fitted, vec![inputs])
    }

    /// A model of a fit on several views, and what goes in as each of them. A new table may have
    /// the columns of several views.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of views; as [`Model::new`].
    pub fn of_views(fitted: impl Into<AnyFit>, mut inputs: Vec<Inputs>) -> Result<Self> {
        let fitted = fitted.into();
        leave_out_columns_of_others(&mut inputs);
        if inputs.len() != fitted.views() {
            return Err(Error::shape("views of the inputs", fitted.views(), inputs.len()));
        }
        for (view, inputs) in inputs.iter().enumerate() {
            inputs.check()?;
            check_inputs(inputs, &*fitted, view)?;
            let expected = if view == 0 { fitted.targets() } else { 0 };
            if inputs.targets.len() != expected {
                return Err(Error::shape("targets of the inputs", expected, inputs.targets.len()));
            }
        }
        let classes = fitted.class_names();
        Ok(Self { fitted, inputs, classes, notes: BTreeMap::new(), conformal: None })
    }

    /// The same model with a text that travels with it, under a name: settings of the caller. A
    /// second text of the name replaces the first.
    pub fn with_note(mut self, name: &str, text: impl Into<String>) -> Self {
        self.notes.insert(name.into(), text.into());
        self
    }

    /// The texts that travel with the model.
    pub fn notes(&self) -> &BTreeMap<String, String> {
        &self.notes
    }

    /// What was fitted.
    pub fn fitted(&self) -> &dyn Fitted {
        &*self.fitted
    }

    /// What was fitted, without a copy.
    pub fn into_fitted(self) -> AnyFit {
        self.fitted
    }

    /// The typed fit, if it is of this type.
    pub fn fit<T: Fitted>(&self) -> Option<&T> {
        self.fitted.downcast_ref()
    }

    /// What goes in; for several views as the first.
    pub fn inputs(&self) -> &Inputs {
        &self.inputs[0]
    }

    /// What goes in as every view.
    pub fn views(&self) -> &[Inputs] {
        &self.inputs
    }

    /// The kernel, where there is one.
    pub fn kernel(&self) -> Option<&Kernel> {
        self.fitted.kernel()
    }
}
