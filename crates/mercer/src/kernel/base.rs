//! The base kernels as one enum, and the dispatch to their three ways of computing.

use super::catalogue::Entry;
use super::closed_forms::{
    Circles, FormulaVisitor, Growth, LineForm, MarkovProcess, PowerSeries, SpectralLaw, SteinForm,
};
use super::domain::Domain;
use super::facts::Facts;
use super::leaf::{Columnwise, Leaf, MetricKind, Profile, Shape, shape_array};
use super::object::ObjectKernel;
use super::{Kernel, Lengthscale};
use crate::Result;
use crate::real::Real;

/// Receives the profile of a base kernel with its own type, so that loops over tiles are compiled
/// for each formula.
pub(crate) trait ProfileVisitor {
    type Output;
    fn visit<P: Profile>(self, profile: &P) -> Self::Output;
}

/// Receives a columnwise base kernel with its own type.
pub(crate) trait ColumnwiseVisitor {
    type Output;
    fn visit<C: Columnwise>(self, kernel: &C) -> Self::Output;
}

/// How a base kernel computes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    /// A profile of a metric.
    Profile(MetricKind),
    /// One pass over the columns.
    Columnwise,
    /// The same number for every pair.
    Constant(f64),
    /// `½(‖x‖^2H + ‖y‖^2H − ‖x−y‖^2H)`.
    Brownian,
    /// Read off a matrix.
    Matrix,
    /// Rectangles of its own, on points that are not vectors.
    Object,
    /// Gaussian kernels on the intervals of persistence diagrams and their mirror images.
    Diagram,
}

macro_rules! bases {
    (
        profile { $($profile_family:ident::$profile_file:ident::$profile:ident),* $(,)? }
        columnwise { $($columnwise_family:ident::$columnwise_file:ident::$columnwise:ident),* $(,)? }
        object { $($object_family:ident::$object_file:ident::$object:ident),* $(,)? }
        special { $($special_family:ident::$special_file:ident::$special:ident => $form:expr),* $(,)? }
    ) => {
        $(use super::$profile_family::$profile_file::$profile;)*
        $(use super::$columnwise_family::$columnwise_file::$columnwise;)*
        $(use super::$object_family::$object_file::$object;)*
        $(use super::$special_family::$special_file::$special;)*

        /// A base kernel. Each variant holds a page of the formulary.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        #[allow(missing_docs)]
        pub enum Base {
            $($profile($profile),)*
            $($columnwise($columnwise),)*
            $($object($object),)*
            $($special($special),)*
        }

        macro_rules! each {
            ($base:expr, $kernel:ident => $body:expr) => {
                match $base {
                    $(Base::$profile($kernel) => $body,)*
                    $(Base::$columnwise($kernel) => $body,)*
                    $(Base::$object($kernel) => $body,)*
                    $(Base::$special($kernel) => $body,)*
                }
            };
        }

        $(impl From<$profile> for Kernel {
            fn from(kernel: $profile) -> Self { Kernel::Base(Base::$profile(kernel)) }
        })*
        $(impl From<$columnwise> for Kernel {
            fn from(kernel: $columnwise) -> Self { Kernel::Base(Base::$columnwise(kernel)) }
        })*
        $(impl From<$object> for Kernel {
            fn from(kernel: $object) -> Self { Kernel::Base(Base::$object(kernel)) }
        })*
        $(impl From<$special> for Kernel {
            fn from(kernel: $special) -> Self { Kernel::Base(Base::$special(kernel)) }
        })*

        impl Base {
            /// Its page in the catalogue.
            pub fn entry(&self) -> &'static Entry {
                each!(self, k => k.entry())
            }

            pub(crate) fn arguments(&self) -> Vec<(&'static str, String)> {
                each!(self, k => k.arguments())
            }

            pub(crate) fn facts(&self) -> Facts {
                each!(self, k => k.facts())
            }

            pub(crate) fn facts_on(&self, columns: usize) -> Facts {
                each!(self, k => k.facts_on(columns))
            }

            pub(crate) fn has_signed_shape(&self) -> bool {
                each!(self, k => k.has_signed_shape())
            }

            pub(crate) fn is_non_negative(&self) -> bool {
                each!(self, k => k.is_non_negative())
            }

            pub(crate) fn is_column_product(&self) -> bool {
                each!(self, k => k.is_column_product())
            }

            pub(crate) fn growth(&self) -> Growth {
                each!(self, k => k.growth())
            }

            pub(crate) fn roundings(&self) -> f64 {
                each!(self, k => k.roundings())
            }

            pub(crate) fn spectral_law(&self) -> Option<SpectralLaw> {
                each!(self, k => k.spectral_law())
            }

            pub(crate) fn schoenberg_law(&self, t: f64) -> Option<SpectralLaw> {
                each!(self, k => k.schoenberg_law(t))
            }

            pub(crate) fn markov_process(&self) -> Option<MarkovProcess> {
                each!(self, k => k.markov_process())
            }

            pub(crate) fn line_form(&self) -> Option<LineForm<'_>> {
                each!(self, k => k.line_form())
            }

            pub(crate) fn power_series(&self) -> Option<PowerSeries> {
                each!(self, k => k.power_series())
            }

            pub(crate) fn stein_form(&self) -> Option<SteinForm> {
                each!(self, k => k.stein_form())
            }

            /// Where it is defined, which may depend on its parameters.
            pub fn domain(&self) -> Domain {
                each!(self, k => k.domain())
            }

            pub(crate) fn has_kink(&self, x: &[f64], y: &[f64]) -> bool {
                each!(self, k => k.has_kink(x, y))
            }

            pub(crate) fn longest_difference(&self) -> Option<f64> {
                each!(self, k => k.longest_difference())
            }

            pub(crate) fn circles(&self) -> Option<Circles> {
                each!(self, k => k.circles())
            }

            pub(crate) fn bandlimit(&self) -> Option<f64> {
                each!(self, k => k.bandlimit())
            }

            pub(crate) fn has_kink_on_diagonal(&self, x: &[f64]) -> bool {
                each!(self, k => k.has_kink_on_diagonal(x))
            }

            pub(crate) fn shape(&self) -> Vec<(&'static str, f64)> {
                each!(self, k => k.shape())
            }

            pub(crate) fn choices(&self) -> &'static [&'static str] {
                each!(self, k => k.choices())
            }

            pub(crate) fn lengthscale(&self) -> Option<&Lengthscale> {
                each!(self, k => k.lengthscale())
            }

            pub(crate) fn with_shape(&self, values: &[f64]) -> Result<Self> {
                Ok(match self {
                    $(Self::$profile(k) => Self::$profile(k.with_shape(values)?),)*
                    $(Self::$columnwise(k) => Self::$columnwise(k.with_shape(values)?),)*
                    $(Self::$object(k) => Self::$object(k.with_shape(values)?),)*
                    $(Self::$special(k) => Self::$special(k.with_shape(values)?),)*
                })
            }

            pub(crate) fn with_lengthscale(&self, lengthscale: Lengthscale) -> Self {
                match self {
                    $(Self::$profile(k) => Self::$profile(k.with_lengthscale(lengthscale)),)*
                    $(Self::$columnwise(k) => Self::$columnwise(k.with_lengthscale(lengthscale)),)*
                    $(Self::$object(k) => Self::$object(k.with_lengthscale(lengthscale)),)*
                    $(Self::$special(k) => Self::$special(k.with_lengthscale(lengthscale)),)*
                }
            }

            pub(crate) fn form(&self) -> Form {
                match self {
                    $(Self::$profile(k) => Form::Profile(k.metric()),)*
                    $(Self::$columnwise(_) => Form::Columnwise,)*
                    $(Self::$object(_) => Form::Object,)*
                    $(Self::$special(k) => { let form: fn(&$special) -> Form = $form; form(k) })*
                }
            }

            /// Calls the visitor with the profile, if the kernel is one.
            pub(crate) fn visit_profile<V: ProfileVisitor>(&self, visitor: V) -> Option<V::Output> {
                match self {
                    $(Self::$profile(k) => Some(visitor.visit(k)),)*
                    _ => None,
                }
            }

            /// Calls the visitor with the shortest formula of `profile(scale · metric)`, if the kernel is a profile.
            pub(crate) fn visit_formula<V: FormulaVisitor>(&self, scale: f64, visitor: V) -> Option<V::Output> {
                match self {
                    $(Self::$profile(k) => Some(k.visit_formula(scale, visitor)),)*
                    _ => None,
                }
            }

            /// The kernel as one on objects, if it is one.
            pub(crate) fn as_object(&self) -> Option<&dyn ObjectKernel> {
                match self {
                    $(Self::$object(k) => Some(k),)*
                    _ => None,
                }
            }

            /// Calls the visitor with the columnwise kernel, if it is one.
            pub(crate) fn visit_columnwise<V: ColumnwiseVisitor>(&self, visitor: V) -> Option<V::Output> {
                match self {
                    $(Self::$columnwise(k) => Some(visitor.visit(k)),)*
                    _ => None,
                }
            }
        }
    };
}

// One line per kernel: family, file and type.
bases! {
    profile {
        radial::gaussian::Gaussian,
        radial::laplacian::Laplacian,
        radial::matern::Matern,
        radial::rational_quadratic::RationalQuadratic,
        radial::inverse_multiquadric::InverseMultiquadric,
        radial::wendland::Wendland,
        inner_product::linear::Linear,
        inner_product::polynomial::Polynomial,
        inner_product::exponential::Exponential,
        inner_product::tanh::Tanh,
        elementary::ball::Ball,
        negative::sqdist::SquaredDistance,
        negative::distance::Distance,
        negative::log_distance::LogDistance,
    }
    columnwise {
        columnwise::cauchy::Cauchy,
        columnwise::periodic::Periodic,
        columnwise::sinc::Sinc,
        columnwise::histogram_intersection::HistogramIntersection,
        columnwise::chi2::Chi2,
        process::wiener::Wiener,
        process::bridge::Bridge,
        process::sobolev::Sobolev,
        process::weighted_sobolev::WeightedSobolev,
        elementary::delta::Delta,
        elementary::finite_rank::FiniteRank,
    }
    object {
        strings::spectrum::Spectrum,
        strings::mismatch::Mismatch,
        strings::subsequence::Subsequence,
        strings::all_subsequences::AllSubsequences,
        strings::words::Words,
        graphs::vertex_histogram::VertexHistogram,
        graphs::weisfeiler_lehman::WeisfeilerLehman,
        graphs::shortest_path::ShortestPath,
        graphs::random_walk::RandomWalk,
        custom::leaf::Custom,
    }
    special {
        elementary::constant::Constant => |k| Form::Constant(k.value()),
        process::brownian::Brownian => |_| Form::Brownian,
        elementary::precomputed::Precomputed => |_| Form::Matrix,
        bags::persistence::Persistence => |_| Form::Diagram,
    }
}

impl Base {
    /// The shape parameters in a fixed-size array, unused places at 0.
    pub(crate) fn shape_array<N: Real>(&self) -> Shape<N> {
        shape_array(self.shape())
    }

    /// Whether its values are inner products of the points themselves, without a parameter.
    pub(crate) fn is_inner_product(&self) -> bool {
        let own = PowerSeries::Power { degree: 1, offset: 0.0, scale: 1.0 };
        self.shape().is_empty() && self.lengthscale().is_none() && self.power_series() == Some(own)
    }

    /// The value of a kernel that is the same for every pair.
    pub(crate) fn constant(&self) -> Option<f64> {
        if let Form::Constant(value) = self.form() { Some(value) } else { None }
    }

    /// The kernel of a program that it is, if it is one.
    pub(crate) fn as_custom(&self) -> Option<&Custom> {
        if let Self::Custom(custom) = self { Some(custom) } else { None }
    }

    /// The weighted sum that it is, if its shape is a list of weights.
    pub(crate) fn finite_sum(&self) -> Option<&FiniteRank> {
        if let Some(LineForm::FiniteRank(kernel)) = self.line_form() { Some(kernel) } else { None }
    }

    /// Whether it has finitely many features on every sample.
    pub(crate) fn has_finite_rank(&self) -> bool {
        let power = matches!(self.power_series(), Some(PowerSeries::Power { .. }));
        power || self.constant().is_some() || self.finite_sum().is_some()
    }
}
