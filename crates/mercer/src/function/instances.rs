//! The scores of the instances of bags under a function on bags.

use ndarray::{Array1, Array2, Axis, s};

use super::Expansion;
use crate::points::{Bags, PointKind};
use crate::{Compute, Error, Kernel, Points, Result};

/// The score of every instance of the bags: `f({x})`, the value of the function on the bag with that
/// instance alone. One matrix per bag, a row per instance and a column per output.
///
/// `f` gives the values on bags: the prediction or the decision values of a fit.
///
/// # Theory
/// A function with the kernel `mean_embedding(k)` is `f(B) = Σᵢ αᵢ mean_{z∈Bᵢ, x∈B} k(z, x) + b`: the
/// mean of the scores of its instances (by the weights of the bag, where it has some). With any other
/// kernel on bags (`gaussian_embedding`, `normalized`, products) the value of a bag is no sum over
/// its instances, and a score says what the function makes of the instance by itself.
///
/// # Cost
/// The values of `f` on as many bags as there are instances.
///
/// # Errors
/// [`Error::WrongPoints`] for a kernel that is not on bags, and those of `f`.
///
/// # Example
/// ```
/// use mercer::function::instance_scores;
/// use mercer::learn::Ridge;
/// use mercer::points::Bags;
/// use mercer::{Compute, Kernel};
/// use ndarray::array;
/// let bags = Bags::new(&[array![[0.0], [3.0]].view(), array![[0.1], [0.2]].view(), array![[2.9]].view()])?;
/// let (kernel, compute): (Kernel, _) = ("mean_embedding(gaussian())".parse()?, Compute::new());
/// let fit = Ridge::new(kernel, 0.1).fit(&bags, array![[1.0], [0.0], [2.0]].view(), None, &compute)?;
/// let scores = instance_scores(fit.kernel(), &bags, |alone| fit.predict(alone, &compute))?;
/// // The instance at 3 is what makes the first bag different from the second.
/// assert!(scores[0][[1, 0]] > scores[0][[0, 0]]);
/// let mean = scores[0].mean_axis(ndarray::Axis(0)).unwrap();
/// mercer::assert_close!(mean[0], fit.predict(&bags, &compute)?[[0, 0]], abs = 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn instance_scores(
    kernel: &Kernel,
    bags: &Bags,
    f: impl FnOnce(&Bags) -> Result<Array2<f64>>,
) -> Result<Vec<Array2<f64>>> {
    match kernel.point_kind() {
        Some(PointKind::Bags) => {}
        takes => {
            let takes = takes.map_or_else(|| "any points".to_string(), |kind| kind.to_string());
            return Err(Error::wrong_points(kernel, takes, PointKind::Bags));
        }
    }
    let values = f(&bags.singles())?;
    Ok((0..bags.len()).map(|bag| values.slice(s![bags.range(bag), ..]).to_owned()).collect())
}

impl Expansion {
    /// The score `f({x})` of every instance `x` of every bag: see [`instance_scores`].
    ///
    /// # Errors
    /// As [`instance_scores`].
    pub fn instance_scores(&self, bags: &Bags, compute: &Compute) -> Result<Vec<Array1<f64>>> {
        let column = |alone: &Bags| Ok(self.evaluate(Points::from(alone), compute)?.insert_axis(Axis(1)));
        let scores = instance_scores(self.kernel(), bags, column)?;
        Ok(scores.into_iter().map(|of_bag| of_bag.index_axis_move(Axis(1), 0)).collect())
    }
}
