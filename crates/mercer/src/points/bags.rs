//! Bags: points that are sets of vectors.

use std::collections::HashMap;

use ndarray::{Array2, ArrayView2, Axis};

use super::ragged::Ragged;
use crate::error::{RecordProblem, Requirement};
use crate::{Error, Result};

/// A sample of bags. A bag is a set of vectors, its instances, and stands for the distribution that
/// they were drawn from.
///
/// # Example
/// ```
/// use mercer::points::Bags;
/// use ndarray::array;
/// let bags = Bags::new(&[array![[0.0, 1.0], [2.0, 3.0]].view(), array![[4.0, 5.0]].view()])?;
/// assert_eq!((bags.len(), bags.instances().nrows()), (2, 3));
/// assert_eq!(bags.bag(1), array![[4.0, 5.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Bags {
    instances: Ragged,
    weights: Option<Vec<f64>>,
}

impl Bags {
    /// Bags given one by one, a row per instance.
    ///
    /// # Errors
    /// [`Error::TooFew`] for an empty bag, [`Error::Shape`] when the numbers of columns differ,
    /// [`Error::Value`] for NaN and infinities.
    pub fn new(bags: &[ArrayView2<'_, f64>]) -> Result<Self> {
        if let Some(at) = bags.iter().position(|bag| bag.nrows() == 0) {
            return Err(Error::too_few("a mean embedding", format!("instances of bag {at}"), 1, 0));
        }
        let instances = Ragged::new(bags, "bag")?;
        for (at, bag) in bags.iter().enumerate() {
            super::check_finite(*bag, &format!("bag {at}"))?;
        }
        Ok(Self { instances, weights: None })
    }

    /// Bags in a long table: the rows of one group are a bag. Bags come in the order in which their
    /// groups appear first.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is a group for each row, [`Error::Value`] for NaN and
    /// infinities.
    ///
    /// # Example
    /// ```
    /// use mercer::points::Bags;
    /// use ndarray::array;
    /// let bags = Bags::from_table(array![[1.0], [2.0], [3.0]].view(), &["b", "a", "b"])?;
    /// assert_eq!(bags.bag(0), array![[1.0], [3.0]]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn from_table<G: AsRef<str>>(x: ArrayView2<'_, f64>, groups: &[G]) -> Result<Self> {
        if groups.len() != x.nrows() {
            return Err(Error::shape("groups", format!("one per row ({})", x.nrows()), groups.len()));
        }
        let members = rows_of_groups(groups);
        let bags: Vec<Array2<f64>> = members.iter().map(|rows| x.select(Axis(0), rows)).collect();
        Self::new(&bags.iter().map(|bag| bag.view()).collect::<Vec<_>>())
    }

    /// The same bags with a weight for every instance, in the order of [`Bags::instances`]. Weights
    /// of a bag are divided by their sum.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is one weight per instance, [`Error::Value`] for a weight that
    /// is negative or not finite, [`Error::AllZero`] for a bag whose weights are all 0.
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Self> {
        let count = self.instances.rows().nrows();
        if weights.len() != count {
            return Err(Error::shape("weights of instances", format!("one per instance ({count})"), weights.len()));
        }
        if let Some((row, value)) = weights.iter().enumerate().find(|(_, w)| !w.is_finite() || **w < 0.0) {
            return Err(Error::value(
                "weights of instances",
                (row, 0),
                value,
                Requirement::from("it must be at least 0 and finite"),
            ));
        }
        for bag in 0..self.len() {
            let sum: f64 = weights[self.instances.range(bag)].iter().sum();
            if sum <= 0.0 || !sum.is_finite() {
                return Err(Error::all_zero(format!("weights of bag {bag}"), "give one instance a weight above 0"));
            }
        }
        self.weights = Some(weights);
        Ok(self)
    }

    /// The number of bags.
    pub fn len(&self) -> usize {
        self.instances.len()
    }

    /// Whether there is no bag.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The instances of a bag, one per row.
    ///
    /// # Panics
    /// When there is no such bag.
    pub fn bag(&self, bag: usize) -> ArrayView2<'_, f64> {
        self.instances.group(bag)
    }

    /// The instances of all bags, one after the other.
    pub fn instances(&self) -> ArrayView2<'_, f64> {
        self.instances.rows()
    }

    /// The numbers of the instances of a bag among [`Bags::instances`].
    ///
    /// # Panics
    /// When there is no such bag.
    pub fn range(&self, bag: usize) -> std::ops::Range<usize> {
        self.instances.range(bag)
    }

    /// Every instance as a bag of its own, in the order of [`Bags::instances`].
    pub fn singles(&self) -> Self {
        Self { instances: self.instances.singles(), weights: None }
    }

    /// The weights of instances, if they are not equal.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The weight of every instance in the embedding of its bag: the weights of a bag sum to 1.
    pub(crate) fn shares(&self) -> Vec<f64> {
        let mut shares = Vec::with_capacity(self.instances.rows().nrows());
        for bag in 0..self.len() {
            let range = self.range(bag);
            match &self.weights {
                Some(weights) => {
                    let sum: f64 = weights[range.clone()].iter().sum();
                    shares.extend(weights[range].iter().map(|w| w / sum));
                }
                None => shares.extend(range.clone().map(|_| 1.0 / range.len() as f64)),
            }
        }
        shares
    }

    /// The bits of the weights of a bag.
    pub(super) fn weight_bits(&self, bag: usize) -> Option<Vec<u64>> {
        self.weights.as_ref().map(|weights| weights[self.range(bag)].iter().map(|w| (w + 0.0).to_bits()).collect())
    }

    /// Some of the bags, in this order.
    pub(crate) fn select(&self, bags: &[usize]) -> Self {
        let of = |weights: &Vec<f64>| self.instances.row_numbers(bags).into_iter().map(|row| weights[row]).collect();
        Self { weights: self.weights.as_ref().map(of), instances: self.instances.select(bags) }
    }

    /// The bags of both.
    pub(crate) fn pooled(&self, other: &Self) -> Result<Self> {
        let weights = match (&self.weights, &other.weights) {
            (None, None) => None,
            _ => Some([self.shares(), other.shares()].concat()),
        };
        Ok(Self { instances: self.instances.pooled(&other.instances, "bags")?, weights })
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.instances.bytes() + 8 * self.weights.as_ref().map_or(0, Vec::len) as u64
    }

    /// Instances, ends of the bags, and weights, for a file.
    pub(crate) fn parts(&self) -> (ArrayView2<'_, f64>, &[usize], Option<&[f64]>) {
        (self.instances.rows(), self.instances.ends(), self.weights.as_deref())
    }

    /// Bags from a file.
    pub(crate) fn from_parts(rows: Array2<f64>, ends: Vec<usize>, weights: Option<Vec<f64>>) -> Result<Self> {
        let instances = Ragged::from_parts(rows, ends, "bags")?;
        if (0..instances.len()).any(|bag| instances.range(bag).is_empty()) {
            return Err(Error::record("bags", RecordProblem::Damaged("the ends of its groups do not fit".into())));
        }
        super::check_finite(instances.rows(), "bags")?;
        let bags = Self { instances, weights: None };
        weights.map_or(Ok(bags.clone()), |weights| bags.with_weights(weights))
    }
}

/// The rows of each group, in the order in which groups appear first.
fn rows_of_groups<G: AsRef<str>>(groups: &[G]) -> Vec<Vec<usize>> {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut members: Vec<Vec<usize>> = Vec::new();
    for (row, group) in groups.iter().enumerate() {
        let at = *numbers.entry(group.as_ref()).or_insert(members.len());
        if at == members.len() {
            members.push(Vec::new());
        }
        members[at].push(row);
    }
    members
}
