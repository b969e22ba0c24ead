//! Several kernels bound to the same points: their tiles share distances and features.

use std::ops::Range;

use super::bind::Binder;
use super::fill::Tile;
use super::node::Node;
use super::shared::SharedFeatures;
use super::slots::Slots;
use crate::gram::Pairs;
use crate::gram::simd::{Element, Mode};
use crate::{Compute, Kernel, Result};

/// Several kernels on one sample, or on one matrix of kernel values.
#[derive(Debug)]
pub(crate) struct KernelFamily<'a> {
    kernels: Vec<Kernel>,
    size: usize,
    slots: Slots,
    roots: Vec<Node<'a>>,
    fits_single: bool,
}

impl<'a> KernelFamily<'a> {
    /// Binds every kernel to all pairs within a sample.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub(crate) fn new(kernels: &[Kernel], pairs: Pairs<'a>, compute: &Compute) -> Result<Self> {
        let (Pairs::Within(x) | Pairs::Between(x, _)) = pairs;
        let shared = SharedFeatures::new(kernels, x, None, compute)?;
        // Binding one by one makes every check and resolves medians; what is kept is the binder
        // that they share.
        let (mut size, mut fits_single) = (0, true);
        let mut resolved = Vec::with_capacity(kernels.len());
        for kernel in kernels {
            let bound = match pairs {
                Pairs::Within(x) => shared.bind(kernel, x, compute)?,
                Pairs::Between(..) => kernel.bind(pairs, compute)?,
            };
            size = bound.shape.0;
            fits_single &= bound.fits_single;
            resolved.push(bound.kernel);
        }
        let mut binder = Binder::of_points(&x, &shared, compute);
        let roots = resolved.iter().map(|k| binder.root(k)).collect::<Result<_>>()?;
        Ok(Self { kernels: resolved, size, slots: binder.into_slots(), roots, fits_single })
    }

    /// The kernels, with medians resolved.
    pub(crate) fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// Whether values and distances fit into single precision.
    pub(crate) fn fits_single(&self) -> bool {
        self.fits_single
    }

    /// The number of points.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The tiles of all kernels, kernel after kernel.
    pub(crate) fn fill<T: Element>(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [T]) {
        let len = (rows.len() * cols.len()).max(1);
        let mut tile = Tile::new(&self.slots, rows, cols, true);
        for (root, out) in self.roots.iter().zip(out.chunks_exact_mut(len)) {
            tile.put(root, 1.0, Mode::Set, out);
        }
    }
}
