//! A guarded HTTP/1.1 listener: what [`crate::serve`] and other local pages have in common.
//!
//! An application is an [`axum::Router`]; [`Server::run`] serves it until SIGINT or SIGTERM. Before
//! a request reaches the router, [`Access`] has checked its host, origin, content type and token,
//! and [`Limits`] its sizes. Long work goes through [`Jobs`], which limits its number and time.
//!
//! # Example
//! ```no_run
//! use axum::{Router, routing::get};
//! use mercer_server::http::{Access, Limits, Log, Server, Silent};
//! let access = Access::loopback();
//! let server = Server::bind(access, 0, Limits::default(), Log::to_standard_error(false))?;
//! println!("{}", server.address());
//! let router = Router::new().route("/", get(async || "hello"));
//! server.run(router, std::sync::Arc::new(Silent), 2)?;
//! # Ok::<(), mercer_server::http::StartError>(())
//! ```

mod access;
mod answer;
mod body;
mod connection;
mod connections;
mod headers;
mod jobs;
mod limits;
mod log;
mod observer;
mod request;
mod server;
mod shutdown;
mod time;
mod token;

pub(crate) use access::content_type;
pub use access::{Access, TokenPlace};
pub(crate) use answer::typed;
pub use answer::{Refusal, json};
pub use body::read_body;
pub use headers::{Nonce, page};
pub use jobs::Jobs;
pub(crate) use jobs::{out_of_time, too_many};
pub use limits::Limits;
pub use log::{Log, LogFields};
pub use observer::{Observer, Seen, Silent};
pub use server::{Server, StartError};
pub use token::Token;
