//! From arguments to a test of the library.

use mercer::gram::Pairs;
use mercer::hypothesis::{
    ConditionalIndependence, ConditionalMethod, GoodnessOfFit, Independence, IndependenceMethod, Interaction,
    JointIndependence, TestOutcome, TwoSample, TwoSampleMethod,
};
use mercer::measure::{Density, SteinKernel};
use mercer::points::PointKind;
use mercer::{Compute, Error, Kernel, Points, Sample};

use super::read::{Case, Cases};
use crate::arguments::{
    ConditionalWord, FitTestArguments, IndependenceArguments, IndependenceWord, TestCommand, TwoSampleArguments,
    TwoSampleWord,
};
use crate::data;
use crate::failure::Failure;
use crate::session::Session;

/// A test with all its choices.
pub enum Question {
    /// One distribution?
    TwoSample(TwoSample),
    /// Independent?
    Independence(Independence),
    /// Jointly independent?
    Joint(JointIndependence),
    /// Independent given a condition?
    Conditional(ConditionalIndependence),
    /// An interaction?
    Interaction(Interaction),
    /// Of this density?
    Fit {
        /// The test, but for its kernel.
        test: GoodnessOfFit,
        /// The kernel, whose median is that of the sample.
        kernel: Option<Kernel>,
        /// The density.
        density: Density,
        /// Its text.
        text: String,
    },
}

impl Question {
    /// From the words; kernels name the columns of the samples.
    pub fn new(command: &TestCommand, cases: &Cases) -> Result<Self, Failure> {
        let options = command.options();
        let (permutations, level) = (options.permutations, options.level);
        Ok(match command {
            TestCommand::TwoSample(words) => Self::TwoSample(two_sample(words, cases)?),
            TestCommand::Independence(words) => Self::Independence(independence(words, cases)?),
            TestCommand::Joint(words) => {
                let kernels = kernels(&words.kernel, cases)?;
                Self::Joint(JointIndependence { kernels, permutations, level })
            }
            TestCommand::Conditional(words) => Self::Conditional(ConditionalIndependence {
                kernel_x: cases.kernel("--kernel", &words.kernel, 0)?,
                kernel_y: cases.kernel("--kernel", &words.kernel, 1)?,
                method: match words.method {
                    ConditionalWord::Permutation => ConditionalMethod::Permutation,
                    ConditionalWord::Gamma => ConditionalMethod::Gamma,
                },
                permutations,
                level,
                ..ConditionalIndependence::default()
            }),
            TestCommand::Interaction(words) => {
                let kernels = kernels(&words.kernel, cases)?.and_then(|list| list.try_into().ok());
                Self::Interaction(Interaction { kernels, permutations, level })
            }
            TestCommand::Fit(words) => fit(words, cases)?,
        })
    }

    /// The name of the test.
    pub fn title(&self) -> &'static str {
        match self {
            Self::TwoSample(_) => "Two-sample test",
            Self::Independence(_) => "Independence test",
            Self::Joint(_) => "Joint independence test",
            Self::Conditional(_) => "Conditional independence test",
            Self::Interaction(_) => "Interaction test",
            Self::Fit { .. } => "Goodness-of-fit test",
        }
    }

    /// The command, as it is typed.
    pub fn command(&self) -> &'static str {
        match self {
            Self::TwoSample(_) => "test two-sample",
            Self::Independence(_) => "test independence",
            Self::Joint(_) => "test joint",
            Self::Conditional(_) => "test conditional",
            Self::Interaction(_) => "test interaction",
            Self::Fit { .. } => "test fit",
        }
    }

    /// What is tested.
    pub fn hypothesis(&self, cases: &Cases) -> String {
        let name = |i: usize| cases.names[i].join(", ");
        match self {
            Self::TwoSample(_) => "both files have the same distribution".into(),
            Self::Independence(_) => format!("{} and {} are independent", name(0), name(1)),
            Self::Joint(_) => {
                let all: Vec<String> = (0..cases.names.len()).map(name).collect();
                format!("{} are jointly independent", all.join(" | "))
            }
            Self::Conditional(_) => format!("{} and {} are independent given {}", name(0), name(1), name(2)),
            Self::Interaction(_) => {
                format!("one of {} | {} | {} is independent of the other two", name(0), name(1), name(2))
            }
            Self::Fit { text, .. } => format!("{} is a sample of {text}", name(0)),
        }
    }

    /// The answer for one case.
    pub fn run(&self, case: &Case, session: &Session) -> Result<TestOutcome, Failure> {
        self.answer(&case.samples, &session.compute).map_err(|e| in_group(e.into(), case))
    }

    fn answer(&self, samples: &[Sample], compute: &Compute) -> mercer::Result<TestOutcome> {
        let points = || samples.iter().map(Points::from).collect::<Vec<_>>();
        match self {
            Self::TwoSample(test) => test.test(&samples[0], &samples[1], compute),
            Self::Independence(test) => test.test(&samples[0], &samples[1], compute),
            Self::Joint(test) => test.test(&points(), compute),
            Self::Conditional(test) => test.test(&samples[0], &samples[1], &samples[2], compute),
            Self::Interaction(test) => {
                test.test([(&samples[0]).into(), (&samples[1]).into(), (&samples[2]).into()], compute)
            }
            Self::Fit { test, kernel, density, .. } => {
                let x = samples[0].as_points().vectors()?;
                let kernel = match kernel {
                    Some(kernel) => SteinKernel::try_from(kernel.bind(Pairs::within(x), compute)?.kernel())?,
                    None => SteinKernel::default(),
                };
                GoodnessOfFit { kernel, ..*test }.test_density(x, density, compute)
            }
        }
    }
}

/// The kernel of a flag, or none for `auto`.
fn kernel(flag: &str, text: &str, names: &[String], kind: PointKind) -> Result<Option<Kernel>, Failure> {
    if text == "auto" {
        return Ok(None);
    }
    let kernel: Kernel = text.parse().map_err(|e| Failure::request(format!("{flag}: {e}")))?;
    let kernel = data::with_names(&kernel, kind, names).map_err(|e| Failure::request(format!("{flag}: {e}")))?;
    Ok(Some(kernel))
}

impl Cases {
    /// The kernel of a flag for one of the samples, or none for `auto`.
    pub fn kernel(&self, flag: &str, text: &str, sample: usize) -> Result<Option<Kernel>, Failure> {
        kernel(flag, text, &self.names[sample], self.list[0].kind(sample))
    }
}

/// The same kernel for every variable.
fn kernels(text: &str, cases: &Cases) -> Result<Option<Vec<Kernel>>, Failure> {
    (0..cases.names.len()).map(|i| cases.kernel("--kernel", text, i)).collect()
}

fn two_sample(words: &TwoSampleArguments, cases: &Cases) -> Result<TwoSample, Failure> {
    use TwoSampleMethod as Method;
    let kernel = cases.kernel("--kernel", &words.kernel, 0)?;
    let chosen = if kernel.is_none() { TwoSampleWord::Aggregated } else { TwoSampleWord::Permutation };
    let method = match words.method.unwrap_or(chosen) {
        TwoSampleWord::Aggregated => Method::Aggregated { weights: words.weights.into(), wild: words.wild },
        TwoSampleWord::Permutation => Method::Permutation,
        TwoSampleWord::Exact => Method::Exact,
        TwoSampleWord::Paired => Method::Paired,
        TwoSampleWord::Sequential => Method::Sequential,
        TwoSampleWord::Fused => Method::Fused,
        TwoSampleWord::Split => Method::Split,
        TwoSampleWord::Gamma => Method::Gamma,
        TwoSampleWord::Spectral => Method::Spectral,
        TwoSampleWord::Linear => Method::Linear,
        TwoSampleWord::Block => Method::Block(words.block),
        TwoSampleWord::Bound => Method::BiasedBound,
        TwoSampleWord::Features => Method::Features(words.components),
        TwoSampleWord::Betting => {
            return Err(Failure::request("--method betting processes one batch after the other: there is no plan"));
        }
    };
    let (permutations, level) = (words.options.permutations, words.options.level);
    Ok(TwoSample { kernel, method, permutations, level, ..TwoSample::default() })
}

fn independence(words: &IndependenceArguments, cases: &Cases) -> Result<Independence, Failure> {
    let second = words.kernel_y.as_ref().map_or(("--kernel", &words.kernel), |text| ("--kernel-y", text));
    Ok(Independence {
        kernel_x: cases.kernel("--kernel", &words.kernel, 0)?,
        kernel_y: cases.kernel(second.0, second.1, 1)?,
        method: match words.method {
            IndependenceWord::Permutation => IndependenceMethod::Permutation,
            IndependenceWord::Exact => IndependenceMethod::Exact,
            IndependenceWord::Sequential => IndependenceMethod::Sequential,
            IndependenceWord::Gamma => IndependenceMethod::Gamma,
            IndependenceWord::Aggregated => IndependenceMethod::Aggregated { wild: words.wild },
            IndependenceWord::Features => IndependenceMethod::Features(words.components),
        },
        permutations: words.options.permutations,
        level: words.options.level,
        ..Independence::default()
    })
}

fn fit(words: &FitTestArguments, cases: &Cases) -> Result<Question, Failure> {
    let names = &cases.names[0];
    let density = Density::parse(&words.against, names.len());
    let density = density.map_err(|e| Failure::request(format!("--against: {e}")))?;
    let kernel = cases.kernel("--kernel", &words.kernel, 0)?;
    let (permutations, level) = (words.options.permutations, words.options.level);
    let test = GoodnessOfFit { permutations, level, ..GoodnessOfFit::default() };
    Ok(Question::Fit { test, kernel, density, text: words.against.clone() })
}

/// The failure with the group that it is about.
fn in_group(failure: Failure, case: &Case) -> Failure {
    match (&case.group, failure) {
        (Some(group), Failure::Library(error)) if is_about_data(&error) => {
            Failure::request(format!("group {}: {error}", group.name()))
        }
        (_, failure) => failure,
    }
}

/// Whether another group may do where this one does not.
fn is_about_data(error: &Error) -> bool {
    matches!(
        error,
        Error::Shape { .. }
            | Error::TooFew { .. }
            | Error::AllEqual { .. }
            | Error::Undetermined { .. }
            | Error::Overflow { .. }
            | Error::Unsupported { .. }
            | Error::Value { .. }
            | Error::Request(_)
    )
}
