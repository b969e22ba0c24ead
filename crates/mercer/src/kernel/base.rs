//! The base kernels as one enum, and the dispatch to their three ways of computing.

use super::catalogue::Entry;
use super::columnwise::{
    cauchy::Cauchy, chi2::Chi2, histogram_intersection::HistogramIntersection, periodic::Periodic, sinc::Sinc,
};
use super::domain::Domain;
use super::elementary::{
    ball::Ball, constant::Constant, delta::Delta, finite_rank::FiniteRank, precomputed::Precomputed,
};
use super::facts::Facts;
use super::inner_product::{exponential::Exponential, linear::Linear, polynomial::Polynomial, tanh::Tanh};
use super::leaf::{Columnwise, Leaf, MetricKind, Profile, Shape};
use super::negative::{distance::Distance, log_distance::LogDistance, sqdist::SquaredDistance};
use super::process::{
    bridge::Bridge, brownian::Brownian, sobolev::Sobolev, weighted_sobolev::WeightedSobolev, wiener::Wiener,
};
use super::radial::{
    gaussian::Gaussian, inverse_multiquadric::InverseMultiquadric, laplacian::Laplacian, matern::Matern,
    rational_quadratic::RationalQuadratic,
};
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
}

macro_rules! bases {
    (profile { $($profile:ident),* $(,)? } columnwise { $($columnwise:ident),* $(,)? } special { $($special:ident => $form:expr),* $(,)? }) => {
        /// A base kernel. Each variant holds a page of the formulary.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        #[allow(missing_docs)]
        pub enum Base {
            $($profile($profile),)*
            $($columnwise($columnwise),)*
            $($special($special),)*
        }

        macro_rules! each {
            ($base:expr, $kernel:ident => $body:expr) => {
                match $base {
                    $(Base::$profile($kernel) => $body,)*
                    $(Base::$columnwise($kernel) => $body,)*
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
                    $(Self::$special(k) => Self::$special(k.with_shape(values)?),)*
                })
            }

            pub(crate) fn with_lengthscale(&self, lengthscale: Lengthscale) -> Self {
                match self {
                    $(Self::$profile(k) => Self::$profile(k.with_lengthscale(lengthscale)),)*
                    $(Self::$columnwise(k) => Self::$columnwise(k.with_lengthscale(lengthscale)),)*
                    $(Self::$special(k) => Self::$special(k.with_lengthscale(lengthscale)),)*
                }
            }

            pub(crate) fn form(&self) -> Form {
                match self {
                    $(Self::$profile(k) => Form::Profile(k.metric()),)*
                    $(Self::$columnwise(_) => Form::Columnwise,)*
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

bases! {
    profile {
        Gaussian, Laplacian, Matern, RationalQuadratic, InverseMultiquadric,
        Linear, Polynomial, Exponential, Tanh,
        Ball, SquaredDistance, Distance, LogDistance,
    }
    columnwise {
        Cauchy, Periodic, Sinc, HistogramIntersection, Chi2,
        Wiener, Bridge, Sobolev, WeightedSobolev,
        Delta, FiniteRank,
    }
    special {
        Constant => |k| Form::Constant(k.value()),
        Brownian => |_| Form::Brownian,
        Precomputed => |_| Form::Matrix,
    }
}

impl Base {
    /// The shape parameters in a fixed-size array, unused places at 0.
    pub(crate) fn shape_array<N: Real>(&self) -> Shape<N> {
        let mut shape = [N::zero(); 2];
        for (position, (_, value)) in shape.iter_mut().zip(self.shape()) {
            *position = N::from_f64(value);
        }
        shape
    }
}
