//! Gradients of functions, by dual numbers.

use ndarray::{Array2, ArrayView2};

use super::Expansion;
use crate::error::Requirement;
use crate::gram::Pairs;
use crate::real::{Dual, Real};
use crate::wording::list_text;
use crate::{Compute, Error, Result};

impl Expansion {
    /// `∇f(x) = Σ αᵢ ∇ₓk(x, xᵢ)` for every row of `x`.
    ///
    /// # Theory
    /// For a kernel with continuous gradient `∂f/∂xⱼ = ⟨f, ∂ⱼk(x, ·)⟩`: derivatives are evaluations
    /// too. The derivative of the formula itself is taken (dual numbers), not a difference
    /// quotient. A kernel with a kink at its centers, such as the Laplacian, has a gradient
    /// everywhere else.
    ///
    /// # Cost
    /// `O(d)` kernel values in dual numbers for each pair of row and center.
    ///
    /// # Errors
    /// [`Error::Unsupported`] at a point where the kernel has a kink or a jump, with its center;
    /// [`Error::Value`] where a slope leaves the range of the numbers; as [`crate::Kernel::bind`].
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, Expansion, Kernel};
    /// use ndarray::array;
    /// let k: Kernel = "polynomial(degree=2, offset=0)".parse()?;
    /// let f = Expansion::new(&k, array![[1.0, 2.0]].view(), array![1.0].view(), &Compute::new())?;
    /// // f(x) = (x₁ + 2x₂)²
    /// assert_eq!(f.gradient(array![[1.0, 1.0]].view(), &Compute::new())?, array![[6.0, 12.0]]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn gradient(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let centers = self.centers().vectors()?;
        self.kernel().refuse_custom("a gradient", "its author gives values alone")?;
        self.kernel().bind(Pairs::between(x, centers.view()), compute)?;
        let slopes = compute.try_map_tasks(x.nrows(), |i| {
            compute.check_canceled()?;
            let point = x.row(i).to_vec();
            self.check_smooth(i, &point, centers)?;
            Ok(self.slopes(&point, centers))
        })?;
        let slopes = Array2::from_shape_fn(x.dim(), |(i, j)| slopes[i][j]);
        match slopes.indexed_iter().find(|(_, slope)| !slope.is_finite()) {
            Some((place, _)) => {
                let (what, entry) = (self.kernel().to_string(), format!("{:e}", x[place]));
                Err(Error::value(what, place, entry, Requirement::Representable))
            }
            None => Ok(slopes),
        }
    }

    /// An error where the kernel of a center that takes part has a kink.
    fn check_smooth(&self, row: usize, point: &[f64], centers: ArrayView2<'_, f64>) -> Result<()> {
        let takes_part = |i: usize| self.coefficients()[i] != 0.0;
        match self.kernel().first_kink(point, centers, takes_part) {
            None => Ok(()),
            Some(center) => Err(Error::unsupported(
                format!("gradient at row {row}, {}", list_text(point)),
                "f",
                format!(
                    "{} has a kink there, with center {center}, {}",
                    self.kernel(),
                    list_text(&centers.row(center).to_vec())
                ),
                "it has one elsewhere",
            )),
        }
    }

    /// `∇f` at one point.
    fn slopes(&self, point: &[f64], centers: ArrayView2<'_, f64>) -> Vec<f64> {
        let p = self.kernel().parameter_values::<Dual<f64>>();
        let lift = |v: &[f64]| v.iter().map(|&v| Dual::<f64>::from_f64(v)).collect::<Vec<_>>();
        let centers: Vec<_> = centers.rows().into_iter().map(|r| lift(&r.to_vec())).collect();
        let slope = |j: usize| {
            let mut x = lift(point);
            x[j].derivative = 1.0;
            let terms = centers.iter().zip(self.coefficients());
            terms.map(|(center, &a)| a * self.kernel().value(&p, &x, center).derivative).sum()
        };
        (0..point.len()).map(slope).collect()
    }
}
