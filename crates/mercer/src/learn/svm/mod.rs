//! Support vector machines: classification, regression, and the support of a distribution.
//!
//! Every learner is a translation to one dual problem ([`DualProblem`](crate::solve::DualProblem))
//! and back. Conventions are LIBSVM's: `C` multiplies a sum (not a mean) of losses beside `½‖f‖²`,
//! coefficients are `sᵢαᵢ`, the offset `b` is its `−ρ`, ν-SVM have its scale.

mod classes;
mod decide;
pub(crate) mod entry;
mod evidence;
mod leave_one_out;
mod libsvm;
mod method;
mod plan;
mod probability;
mod record;
mod regression;
mod schedule;
mod settings;
mod support;
mod svc;
mod svc_fit;
mod task;
mod translate;
mod validate;
mod weights;

pub use classes::Classes;
pub use decide::DecisionShape;
pub use evidence::SvmEvidence;
pub use leave_one_out::SvmLeaveOneOut;
pub use libsvm::LibsvmModel;
pub use method::SvmMethod;
pub use plan::{KeptValues, SvmPlan};
pub use probability::{Calibration, Calibrator, Isotonic, Sigmoid};
pub use regression::{OneClass, OneClassFit, Svr, SvrFit, Tube};
pub use schedule::Scheme;
pub use svc::{Penalty, Svc};
pub use svc_fit::{BinarySummary, SvcFit};
pub(in crate::learn) use task::{Task, Tasks};
pub(in crate::learn) use translate::one_class;
pub(in crate::learn) use weights::check_weights;
