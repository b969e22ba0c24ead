//! `mercer serve`: predictions of saved models over HTTP.
//!
//! Every request is answered by the same library calls as `mercer predict` and `mercer transform`,
//! with the same columns. Requests of few rows that wait at the same time are computed together;
//! large ones are computed by themselves, a limited number at a time. A model file that changes is
//! loaded beside the old one, which is then replaced; requests keep the model that they began with.

mod answer;
mod ask;
mod batch;
mod body;
mod drift;
mod infer;
mod metrics;
mod openapi;
mod predict;
mod registry;
mod reload;
mod routes;
mod rows;
mod schema;

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use mercer::Compute;
use serde_json::json;

use crate::http::{Access, Jobs, Limits, Log, Server, StartError};
use metrics::Metrics;
use registry::{Registry, Slot};

pub use registry::ModelFile;

/// Content types of requests.
const TYPES: &[&str] = &["application/json", "text/csv"];

/// What to serve, and how.
#[derive(Debug)]
pub struct Settings {
    /// The models.
    pub models: Vec<ModelFile>,
    /// Who may ask.
    pub access: Access,
    /// Whether a token is needed, which the description of the interface mentions.
    pub has_token: bool,
    /// The port; 0 for any free one.
    pub port: u16,
    /// Sizes, rows, times, jobs and connections.
    pub limits: Limits,
    /// Threads for requests, and large computations at a time.
    pub threads: usize,
    /// How often to look whether a model file has changed; never for zero.
    pub reload: Duration,
    /// Log events, but not every request.
    pub quiet: bool,
}

/// Why a server did not start or stopped.
#[derive(Debug)]
pub enum ServeError {
    /// Two models of one name, or none.
    Models(String),
    /// A model file cannot be loaded.
    Load(mercer::Error),
    /// The listener.
    Start(StartError),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Models(message) => f.write_str(message),
            Self::Load(error) => error.fmt(f),
            Self::Start(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ServeError {}

/// What was done until the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The address.
    pub address: SocketAddr,
    /// Requests that were answered.
    pub requests: u64,
}

/// The state that all requests share.
struct App {
    registry: Registry,
    compute: Compute,
    limits: Limits,
    jobs: Jobs,
    metrics: Arc<Metrics>,
    has_token: bool,
}

/// Loads the models, listens, and answers requests until SIGINT or SIGTERM. `ready` is called with the
/// address when requests can come.
///
/// # Errors
/// [`ServeError`]: a model that cannot be loaded, an address that cannot be listened on.
pub fn run(settings: Settings, compute: Compute, ready: impl FnOnce(SocketAddr)) -> Result<Summary, ServeError> {
    let slots = load(&settings, &compute)?;
    let log = Log::to_standard_error(settings.quiet);
    let access = settings.access.with_types(TYPES);
    let server =
        Server::bind(access, settings.port, settings.limits.clone(), log.clone()).map_err(ServeError::Start)?;
    let address = server.address();
    let names: Vec<&str> = slots.iter().map(|slot| &*slot.name).collect();
    log.event("info", "listening", [("address", json!(address.to_string())), ("models", json!(names))]);
    let metrics = Arc::new(Metrics::default());
    let watched = if settings.reload > Duration::ZERO { slots.clone() } else { Vec::new() };
    let app = Arc::new(App {
        registry: Registry { slots },
        jobs: Jobs::new(settings.threads, &settings.limits),
        limits: settings.limits,
        metrics: metrics.clone(),
        has_token: settings.has_token,
        compute: compute.clone(),
    });
    let beside = async move {
        for slot in watched {
            tokio::spawn(reload::watch(slot, settings.reload, compute.clone(), log.clone()));
        }
    };
    ready(address);
    server.run_with(routes::router(app), metrics.clone(), settings.threads, beside).map_err(ServeError::Start)?;
    Ok(Summary { address, requests: metrics.requests() })
}

fn load(settings: &Settings, compute: &Compute) -> Result<Vec<Arc<Slot>>, ServeError> {
    let models = &settings.models;
    if models.is_empty() {
        return Err(ServeError::Models("there is no model to serve".into()));
    }
    for (i, model) in models.iter().enumerate() {
        if models[..i].iter().any(|other| other.name == model.name) {
            let message = format!("two models have the name {}: write NAME=FILE for one of them", model.name);
            return Err(ServeError::Models(message));
        }
    }
    let load = |model: &ModelFile| Slot::load(model, compute, &settings.limits).map(Arc::new).map_err(ServeError::Load);
    models.iter().map(load).collect()
}
