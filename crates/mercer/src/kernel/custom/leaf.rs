//! A kernel of a program as a base kernel of the algebra.

use std::sync::Arc;

use super::CustomKernel;
use super::tiles::{CustomTiles, one_value};
use crate::kernel::Property;
use crate::kernel::object::{ObjectKernel, ObjectPairs, ObjectTiles};
use crate::kernel::prelude::*;
use crate::points::PointKind;
use crate::wording::quoted;
use crate::{Compute, Points};

/// A [`CustomKernel`] in the algebra. Two are equal if they are clones of the same one.
#[derive(Clone, Debug)]
pub struct Custom(Arc<dyn CustomKernel>);

impl PartialEq for Custom {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Custom {
    pub(super) fn new(kernel: Arc<dyn CustomKernel>) -> Self {
        Self(kernel)
    }

    /// Its name.
    pub fn name(&self) -> String {
        self.0.name()
    }

    /// The points that it takes.
    pub fn point_kind(&self) -> PointKind {
        self.0.point_kind()
    }

    /// `k(x, y)` of two vectors; NaN where the kernel fails.
    pub(crate) fn value(&self, x: &[f64], y: &[f64]) -> f64 {
        let row = |v: &'_ [f64]| ndarray::Array2::from_shape_fn((1, v.len()), |(_, j)| v[j]);
        let (x, y) = (row(x), row(y));
        one_value(&*self.0, Points::from(&x), Points::from(&y)).unwrap_or(f64::NAN)
    }

    fn fact(&self, property: Property) -> Fact {
        match self.0.declared(property) {
            Some(true) => Fact::Yes("declared by its author"),
            Some(false) => Fact::No("declared by its author"),
            None => Fact::Open("nothing is declared by its author"),
        }
    }

    /// A positive semi-definite kernel is often declared to be something stronger.
    fn psd(&self) -> Fact {
        let strong = [Property::StrictlyPositiveDefinite, Property::Universal, Property::Characteristic];
        match self.fact(Property::PositiveSemidefinite) {
            Fact::Open(_) if strong.into_iter().any(|p| self.0.declared(p) == Some(true)) => {
                Fact::Yes("declared by its author")
            }
            fact => fact,
        }
    }
}

impl Leaf for Custom {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        vec![("", quoted(&self.name()))]
    }

    fn facts(&self) -> Facts {
        Facts {
            psd: self.psd(),
            strictly_pd: self.fact(Property::StrictlyPositiveDefinite),
            nsd: self.fact(Property::NegativeSemidefinite),
            universal: self.fact(Property::Universal),
            characteristic: self.fact(Property::Characteristic),
            shift_invariant: self.fact(Property::ShiftInvariant),
            bound: self.0.bound(),
            differentiable: false,
            continuous: self.0.declared(Property::Universal) == Some(true),
            positive: false,
            separates: false,
            strong_negative: false,
        }
    }

    fn domain(&self) -> Domain {
        match self.point_kind() {
            PointKind::Strings => Domain::Strings,
            PointKind::Graphs => Domain::Graphs,
            PointKind::Bags => Domain::Bags,
            PointKind::Diagrams => Domain::Diagrams,
            PointKind::Vectors | PointKind::Sparse | PointKind::Mixed | PointKind::Precomputed => Domain::Vectors,
        }
    }

    /// No derivative is known anywhere.
    fn has_kink(&self, _x: &[f64], _y: &[f64]) -> bool {
        true
    }

    fn has_kink_on_diagonal(&self, _x: &[f64]) -> bool {
        true
    }
}

impl ObjectKernel for Custom {
    fn bind(&self, pairs: ObjectPairs<'_>, compute: &Compute) -> Result<Box<dyn ObjectTiles>> {
        let text = Kernel::from(self.clone()).to_string();
        Ok(Box::new(CustomTiles::new(self.0.clone(), text, pairs, compute)?))
    }
}

/// What the algebra needs to know of it. It is no entry of the catalogue: no text makes it.
pub(crate) const ENTRY: Entry = Entry {
    name: "custom",
    family: Family::Elementary,
    formula: "that of the program",
    domain: Domain::Anything,
    parameters: &[],
    theory: "Nothing is known of it but what its author declares.",
    cost: "that of the program",
    examples: &[],
    build: |arguments| Err(arguments.refuse("a program made this kernel; no text can")),
};
