//! Features that several kernels on the same objects have in common.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::Bound;
use super::bind::bind_objects;
use crate::gram::Pairs;
use crate::kernel::object::{Blocks, ObjectKernel, ObjectPairs, ObjectTiles};
use crate::kernel::sparse_rows::{BlockTiles, SharedBlocks};
use crate::{Compute, Error, Kernel, Points, Result};

/// The blocks of features of some kernels on one sample, by the name of the kernels.
#[derive(Debug, Default)]
pub(super) struct SharedFeatures {
    blocks: Vec<(&'static str, Arc<SharedBlocks>)>,
    /// Bytes that are needed beside a stored matrix; none are stored where it is `None`.
    beside: Option<u64>,
}

impl SharedFeatures {
    /// The features that at least two of the kernels have in common, in one pass over the points.
    ///
    /// # Errors
    /// [`Error::Canceled`]. Other errors appear when the kernel that they belong to is bound.
    pub(super) fn new<'k>(
        kernels: impl IntoIterator<Item = &'k Kernel>,
        x: Points<'_>,
        beside: Option<u64>,
        compute: &Compute,
    ) -> Result<Self> {
        let mut wanted: Vec<(Blocks, Vec<RangeInclusive<usize>>)> = Vec::new();
        for blocks in kernels.into_iter().flat_map(shared_blocks) {
            match wanted.iter_mut().find(|(first, _)| first.name == blocks.name) {
                Some((_, ranges)) => ranges.push(blocks.range),
                None => wanted.push((blocks.clone(), vec![blocks.range])),
            }
        }
        let mut shared = Self { blocks: Vec::new(), beside };
        for (first, ranges) in wanted.iter().filter(|(_, ranges)| ranges.len() > 1) {
            match (first.count)(x, ranges, compute) {
                Ok(blocks) => {
                    let blocks = SharedBlocks::new(blocks, x.len()).map(Arc::new);
                    shared.blocks.extend(blocks.map(|blocks| (first.name, blocks)));
                }
                Err(Error::Canceled) => return Err(Error::Canceled),
                // Points of another kind, or more features than there may be: perhaps not for the
                // smallest of the kernels.
                Err(_) => {}
            }
        }
        Ok(shared)
    }

    fn of(&self, object: &dyn ObjectKernel) -> Option<(&Arc<SharedBlocks>, RangeInclusive<usize>)> {
        let Blocks { name, range, .. } = object.blocks()?;
        self.blocks.iter().find(|(of, _)| *of == name).map(|(_, blocks)| (blocks, range))
    }

    /// The kernel on these features, where it shares them.
    pub(super) fn tiles(&self, object: &dyn ObjectKernel, compute: &Compute) -> Option<Result<Box<dyn ObjectTiles>>> {
        let (blocks, range) = self.of(object)?;
        let tiles = BlockTiles::new(blocks, &range);
        let fits = |beside: u64| beside.saturating_add(blocks.matrix_bytes()) <= compute.memory();
        Some(match self.beside.is_some_and(fits) {
            true => tiles.stored(compute).map(|tiles| Box::new(tiles) as Box<dyn ObjectTiles>),
            false => Ok(Box::new(tiles)),
        })
    }

    /// Binds a kernel to all pairs within the sample.
    pub(super) fn bind<'a>(&self, kernel: &Kernel, x: Points<'a>, compute: &Compute) -> Result<Bound<'a>> {
        if self.blocks.is_empty() {
            return kernel.bind(Pairs::Within(x), compute);
        }
        x.check_finite("first sample")?;
        bind_objects(kernel, ObjectPairs { rows: x.reborrow(), cols: None }, Some(self), compute)
    }
}

/// The blocks of all kernels inside a kernel that see the points themselves.
fn shared_blocks(kernel: &Kernel) -> Vec<Blocks> {
    match kernel {
        Kernel::Base(base) => base.as_object().and_then(ObjectKernel::blocks).into_iter().collect(),
        Kernel::On(..) | Kernel::Embedded(..) | Kernel::NodePaths(..) => Vec::new(),
        other => other.children().into_iter().flat_map(shared_blocks).collect(),
    }
}

/// Kernels that are bound one after the other to the same points, with all values of each stored
/// afterwards: the depths of Weisfeiler–Lehman or the lengths of substrings, alone or within other
/// kernels.
///
/// # Theory
/// `K_h = K_{h−1} + F_h F_hᵀ` for kernels that are sums over blocks of features: all blocks come
/// from one pass, and each is multiplied once if the kernels are asked for in order. Values have the
/// same bits as those of [`Kernel::bind`], in any order.
///
/// # Cost
/// The blocks and, where the budget has room for it beside what the caller needs, a matrix in double
/// precision; otherwise the products of all blocks of a kernel are computed again.
#[derive(Debug)]
pub(crate) struct KernelList(SharedFeatures);

impl KernelList {
    /// Prepares the kernels; `beside` are the bytes that the caller needs at the same time.
    ///
    /// # Errors
    /// [`Error::Canceled`].
    pub(crate) fn new<'k>(
        kernels: impl IntoIterator<Item = &'k Kernel>,
        x: Points<'_>,
        beside: u64,
        compute: &Compute,
    ) -> Result<Self> {
        SharedFeatures::new(kernels, x, Some(beside), compute).map(Self)
    }

    /// Whether all kernels on objects inside a kernel share features.
    pub(crate) fn takes(&self, kernel: &Kernel) -> bool {
        match kernel {
            Kernel::Base(base) => match base.as_object() {
                Some(object) => self.0.of(object).is_some(),
                None => base.constant().is_some(),
            },
            Kernel::On(..) | Kernel::Embedded(..) | Kernel::NodePaths(..) => false,
            other => other.children().into_iter().all(|kernel| self.takes(kernel)),
        }
    }

    /// A kernel on all pairs within the points that the list was prepared with.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub(crate) fn bind<'a>(&self, kernel: &Kernel, x: Points<'a>, compute: &Compute) -> Result<Bound<'a>> {
        self.0.bind(kernel, x, compute)
    }
}

#[cfg(test)]
mod tests {
    use super::super::KernelFamily;
    use super::*;
    use crate::gram::{Tiles, dense, dense_single};
    use crate::points::{Graph, Graphs, Strings};
    use crate::{Sample, Seed};

    /// Kernels in no order, some of which share features.
    const ON_GRAPHS: [&str; 7] = [
        "normalized(weisfeiler_lehman(depth=3))",
        "weisfeiler_lehman(depth=0)",
        "0.5*weisfeiler_lehman(depth=5) + vertex_histogram()",
        "normalized(weisfeiler_lehman(depth=1))",
        "shortest_path()",
        "weisfeiler_lehman(depth=2) * normalized(weisfeiler_lehman(depth=4))",
        "normalized(weisfeiler_lehman(depth=1))",
    ];
    const ON_STRINGS: [&str; 7] = [
        "normalized(spectrum(length=3))",
        "spectrum(length=5, blended=true)",
        "spectrum(length=100000, blended=true)",
        "words()",
        "exp(0.001*spectrum(length=2, blended=true)) + 3",
        "spectrum(length=90)",
        "normalized(spectrum(length=1)) + spectrum(length=1, blended=true)",
    ];

    fn graphs(count: usize) -> Sample {
        let mut random = Seed(4).stream("graphs", 0);
        let one = |_| {
            let n = random.below(12);
            let edges = (0..2 * n).map(|_| (random.below(n) as u32, random.below(n) as u32)).collect();
            Graph::new(n, edges)
        };
        Sample::Graphs(Graphs::from_graphs((0..count).map(one).collect(), false).unwrap())
    }

    fn strings(count: usize) -> Sample {
        let mut random = Seed(5).stream("strings", 0);
        let text = |_| (0..random.below(40)).map(|_| ['a', 'b', ' ', 'é'][random.below(4)]).collect::<String>();
        Sample::Strings((0..count).map(text).collect::<Strings>())
    }

    fn samples(count: usize) -> [(Sample, Vec<Kernel>); 2] {
        let parsed = |texts: [&str; 7]| texts.iter().map(|text| text.parse().unwrap()).collect();
        [(graphs(count), parsed(ON_GRAPHS)), (strings(count), parsed(ON_STRINGS))]
    }

    fn bits(bound: &Bound<'_>, compute: &Compute) -> (Vec<u64>, Vec<u32>) {
        let (double, single) = (dense(bound, compute).unwrap(), dense_single(bound, compute).unwrap());
        (double.iter().map(|v| v.to_bits()).collect(), single.iter().map(|v| v.to_bits()).collect())
    }

    #[test]
    fn kernels_of_a_list_have_the_bits_of_each_alone() {
        // Two strips of rows; with and without room for a matrix, and with a matrix that is in use.
        for (memory, held) in [(1 << 30, false), (1 << 20, false), (1 << 30, true)] {
            let compute = Compute::new().with_memory(memory);
            for (sample, kernels) in samples(100) {
                let list = KernelList::new(&kernels, sample.as_points(), 1 << 20, &compute).unwrap();
                let mut bounds = Vec::new();
                for kernel in &kernels {
                    let bound = list.bind(kernel, sample.as_points(), &compute).unwrap();
                    let alone = kernel.bind(Pairs::Within(sample.as_points()), &compute).unwrap();
                    assert_eq!(bits(&bound, &compute), bits(&alone, &compute), "{kernel}");
                    assert_eq!(bound.features(), alone.features(), "{kernel}");
                    assert_eq!(
                        (bound.kernel(), bound.diagonal().unwrap()),
                        (alone.kernel(), alone.diagonal().unwrap())
                    );
                    let (mut some, mut same) = (vec![0.0; 3 * 50], vec![0.0; 3 * 50]);
                    bound.fill_rows(&[99, 3, 40], 20..70, &mut some);
                    alone.fill_rows(&[99, 3, 40], 20..70, &mut same);
                    assert_eq!(some, same);
                    bounds.extend(held.then_some(bound));
                }
            }
        }
    }

    #[test]
    fn what_is_shared() {
        let compute = Compute::new();
        for (sample, kernels) in samples(10) {
            let list = KernelList::new(&kernels, sample.as_points(), 0, &compute).unwrap();
            let taken: Vec<bool> = kernels.iter().map(|kernel| list.takes(kernel)).collect();
            let expected = match sample {
                Sample::Graphs(_) => [true, true, false, true, false, true, true],
                _ => [true, true, true, false, true, true, true],
            };
            assert_eq!(taken, expected);
            let one = KernelList::new(&kernels[..1], sample.as_points(), 0, &compute).unwrap();
            assert!(!one.takes(&kernels[0]), "one kernel shares nothing");
        }
        // Another kind of points is refused by the kernel.
        let (sample, kernels) = (strings(3), samples(1)[0].1.clone());
        let list = KernelList::new(&kernels, sample.as_points(), 0, &compute).unwrap();
        let refused = list.bind(&kernels[0], sample.as_points(), &compute).unwrap_err();
        let alone = kernels[0].bind(Pairs::Within(sample.as_points()), &compute).unwrap_err();
        assert_eq!(refused.to_string(), alone.to_string());
    }

    #[test]
    fn tiles_of_a_family_have_the_bits_of_each_alone() {
        let compute = Compute::new();
        for (sample, kernels) in samples(30) {
            let pairs = Pairs::Within(sample.as_points());
            let family = KernelFamily::new(&kernels, pairs, &compute).unwrap();
            let mut all = vec![0.0; kernels.len() * 12 * 20];
            family.fill(4..16, 10..30, &mut all);
            for (kernel, found) in kernels.iter().zip(all.chunks_exact(12 * 20)) {
                let mut alone = vec![0.0; 12 * 20];
                kernel.bind(pairs, &compute).unwrap().fill(4..16, 10..30, &mut alone);
                assert_eq!(found, alone, "{kernel}");
            }
        }
    }
}
