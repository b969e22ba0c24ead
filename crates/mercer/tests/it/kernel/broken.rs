//! The conformance suite can fail: a Gaussian kernel with one fault at a time is reported with the law that it violates.

use mercer::conformance::{Law, Options, Outcome, SingleTile, TestedKernel, check};
use mercer::kernel::Property;
use mercer::{Compute, Kernel, Result, Seed};
use ndarray::{Array1, Array2, ArrayView2};

/// A Gaussian kernel of the language, right in everything but one law.
struct Broken {
    gaussian: Kernel,
    fault: Option<Law>,
}

impl Broken {
    fn new(fault: Option<Law>) -> Self {
        Self { gaussian: "gaussian(lengthscale=0.8)".parse().unwrap(), fault }
    }

    fn has(&self, law: Law) -> bool {
        self.fault == Some(law)
    }
}

impl TestedKernel for Broken {
    fn name(&self) -> String {
        "broken".into()
    }

    fn value(&self, x: &[f64], y: &[f64]) -> Result<f64> {
        let k = self.gaussian.evaluate(x, y)?;
        Ok(match self.fault {
            Some(Law::FiniteValues) if x == y => f64::NAN,
            Some(Law::Symmetric) if x[0] > y[0] => k + 1e-6,
            Some(Law::PositiveSemidefinite) => -k,
            Some(Law::ShiftInvariant) => k * (1.0 + x[0] * y[0]),
            _ => k,
        })
    }

    fn matrix(&self, x: ArrayView2<f64>, y: Option<ArrayView2<f64>>, compute: &Compute) -> Result<Option<Array2<f64>>> {
        let columns = y.unwrap_or(x);
        let mut k = Array2::zeros((x.nrows(), columns.nrows()));
        for ((i, j), value) in k.indexed_iter_mut() {
            *value = self.value(&x.row(i).to_vec(), &columns.row(j).to_vec())?;
        }
        if self.has(Law::SmallSamples) && x.nrows() == 0 {
            return Ok(Some(Array2::zeros((1, 1))));
        }
        let wrong = (self.has(Law::Tiles) && y.is_none())
            || (self.has(Law::CrossTiles) && y.is_some())
            || (self.has(Law::Threads) && compute.threads() == 3);
        if wrong && !k.is_empty() {
            k[[0, 0]] += 1e-9;
        }
        Ok(Some(k))
    }

    fn diagonal(&self, x: ArrayView2<f64>, _: &Compute) -> Result<Option<Array1<f64>>> {
        let shift = if self.has(Law::Diagonal) { 1e-9 } else { 0.0 };
        let value = |row: ndarray::ArrayView1<f64>| self.value(&row.to_vec(), &row.to_vec());
        let diagonal: Result<Vec<f64>> = x.rows().into_iter().map(value).collect();
        Ok(Some(Array1::from(diagonal?) + shift))
    }

    fn single(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Option<SingleTile>> {
        let values = self.matrix(x, None, compute)?.unwrap().mapv(|v| v as f32);
        Ok(Some(SingleTile { values, error: if self.has(Law::SinglePrecision) { 1e-9 } else { 1e-6 } }))
    }

    fn parameters(&self) -> Vec<f64> {
        TestedKernel::parameters(&self.gaussian)
    }

    fn derivative(&self, parameter: usize, x: ArrayView2<f64>, compute: &Compute) -> Result<Option<Array2<f64>>> {
        let factor = if self.has(Law::Derivatives) { 1.001 } else { 1.0 };
        let right = TestedKernel::derivative(&self.gaussian, parameter, x, compute)?;
        Ok(right.map(|derivative| derivative * factor))
    }

    fn contracted(&self, g: ArrayView2<f64>, x: ArrayView2<f64>, compute: &Compute) -> Result<Option<Vec<f64>>> {
        let factor = match self.fault {
            Some(Law::ContractedDerivatives | Law::Derivatives) => 1.001,
            _ => 1.0,
        };
        let right = TestedKernel::contracted(&self.gaussian, g, x, compute)?;
        Ok(right.map(|sums| sums.into_iter().map(|v| v * factor).collect()))
    }

    fn difference(&self, parameter: usize, h: f64, x: &[f64], y: &[f64]) -> Result<Option<f64>> {
        TestedKernel::difference(&self.gaussian, parameter, h, x, y)
    }

    fn keeps_its_text(&self) -> Option<bool> {
        Some(!self.has(Law::TextRoundTrip))
    }

    fn claims(&self, property: Property, _: usize) -> bool {
        match property {
            Property::PositiveSemidefinite => {
                // Kernels with these faults do not say that they are.
                !matches!(self.fault, Some(Law::FiniteValues | Law::Symmetric | Law::NegativeSemidefinite))
            }
            Property::NegativeSemidefinite => self.has(Law::NegativeSemidefinite),
            Property::ShiftInvariant => {
                !matches!(self.fault, Some(Law::FiniteValues | Law::Symmetric | Law::PositiveSemidefinite))
            }
            _ => false,
        }
    }

    fn bound(&self) -> Option<f64> {
        match self.fault {
            Some(Law::Bounded) => Some(0.5),
            Some(Law::ShiftInvariant) => None,
            _ => Some(1.0),
        }
    }
}

fn points() -> Array2<f64> {
    let mut stream = Seed(2).stream("broken kernels", 0);
    Array2::from_shape_fn((12, 2), |_| stream.uniform())
}

#[test]
fn a_kernel_without_a_fault_passes() {
    let report = check(&Broken::new(None), points().view(), &Options::default(), &Compute::new());
    assert!(report.passed(), "{report}");
    let not_applicable = report.outcomes.iter().filter(|(_, outcome)| *outcome == Outcome::NotApplicable).count();
    assert_eq!(not_applicable, 1, "a Gaussian kernel is not negative semi-definite, and has every other law");
}

#[test]
fn every_fault_is_found_by_its_law() {
    for law in Law::ALL {
        let report = check(&Broken::new(Some(law)), points().view(), &Options::default(), &Compute::new());
        assert!(matches!(report.outcome(law), Outcome::Violated(_)), "{} is not found: {report}", law.name());
        let message = report.clone().into_result().unwrap_err().to_string();
        assert!(message.contains("broken") && message.contains(law.name()), "{message}");
        // A fault in the values themselves may show in several laws, a fault in one method shows in its own alone.
        // Values that are no numbers are reported alone.
        let in_values = matches!(law, Law::Symmetric | Law::PositiveSemidefinite);
        if !in_values {
            let others = report.violations().filter(|(other, _)| *other != law);
            let tolerated = |other: Law| law == Law::Tiles && other == Law::SmallSamples;
            assert!(others.map(|(other, _)| other).all(tolerated), "{}: {report}", law.name());
        }
    }
}

/// The claims of the language are tested too: the wrong claim of a kernel beyond its dimension would be found.
#[test]
fn a_wrong_claim_is_found_on_a_kernel_of_the_language() {
    struct Claiming(Kernel);
    impl TestedKernel for Claiming {
        fn name(&self) -> String {
            format!("{} as if it were PSD", self.0)
        }
        fn value(&self, x: &[f64], y: &[f64]) -> Result<f64> {
            self.0.evaluate(x, y)
        }
        fn claims(&self, property: Property, _: usize) -> bool {
            property == Property::PositiveSemidefinite
        }
    }
    let line = Array2::from_shape_fn((3, 1), |(i, _)| i as f64);
    let report = check(&Claiming("ball(radius=1)".parse().unwrap()), line.view(), &Options::default(), &Compute::new());
    let violated: Vec<Law> = report.violations().map(|(law, _)| law).collect();
    assert_eq!(violated, [Law::PositiveSemidefinite], "{report}");
}
