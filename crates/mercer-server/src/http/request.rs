//! One request: checks, the router, headers, the log.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use axum::body::{Body, HttpBody};
use axum::http::{Request, Response};
use axum::response::IntoResponse;
use bytes::Bytes;
use futures_util::FutureExt;
use http_body_util::BodyExt;
use hyper::body::{Frame, Incoming, SizeHint};
use serde_json::Value;
use tower_service::Service;

use super::connections::Entry;
use super::observer::{Seen, Watched};
use super::server::Shared;
use super::{Log, LogFields, Refusal, body, headers};

/// Characters of a path that are logged.
const LOGGED_PATH: usize = 200;

/// Answers one request.
pub(super) async fn answer(
    shared: Arc<Shared>,
    entry: Arc<Entry>,
    peer: SocketAddr,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    entry.work();
    let started = Instant::now();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let watched = Watched::begin(&shared.observer);
    let request = request.map(|body| Body::new(Arriving { body, entry: entry.clone() }));
    let mut response = match enter(&shared, &request) {
        Ok(()) => inside(&shared, request).await,
        Err(refusal) => {
            body::discard(request.into_body());
            refusal.into_response()
        }
    };
    headers::secure(response.headers_mut());
    watched.end(&Seen {
        method: method.as_str(),
        path: &path,
        status: response.status().as_u16(),
        time: started.elapsed(),
    });
    if shared.log.has_requests() {
        log(&shared.log, &mut response, method.as_str(), &path, peer, started);
    }
    Ok(tracked(response, entry))
}

fn enter(shared: &Shared, request: &Request<Body>) -> Result<(), Refusal> {
    shared.guard.check(request)?;
    body::check_length(request.headers(), &shared.limits)
}

/// The answer of the router; a panic in it is an answer too.
async fn inside(shared: &Shared, request: Request<Body>) -> Response<Body> {
    let answer = AssertUnwindSafe(shared.router.clone().call(request)).catch_unwind().await;
    match answer {
        Ok(Ok(response)) => response,
        Ok(Err(never)) => match never {},
        Err(_) => Refusal::defect().into_response(),
    }
}

fn log(log: &Log, response: &mut Response<Body>, method: &str, path: &str, peer: SocketAddr, started: Instant) {
    let more = response.extensions_mut().remove::<LogFields>().unwrap_or_default().0;
    let path: String = path.chars().take(LOGGED_PATH).collect();
    let status = response.status().as_u16();
    let level = if status >= 500 { "error" } else { "info" };
    let micros = started.elapsed().as_micros() as u64;
    let fields: [(&'static str, Value); 6] = [
        ("method", method.into()),
        ("path", path.into()),
        ("status", status.into()),
        ("milliseconds", (micros as f64 / 1e3).into()),
        ("bytes", response.body().size_hint().exact().into()),
        ("peer", peer.to_string().into()),
    ];
    log.event(level, "request", fields.into_iter().chain(more));
}

/// The same answer; the connection waits for the next request from now on, or, for an answer of
/// unknown length, from its end on.
fn tracked(response: Response<Body>, entry: Arc<Entry>) -> Response<Body> {
    if response.body().size_hint().exact().is_some() {
        entry.wait();
        return response;
    }
    let end = WaitOnDrop(entry);
    response.map(|body| {
        Body::new(body.map_frame(move |frame| {
            let _kept = &end;
            frame
        }))
    })
}

/// A body that tells the table of connections when it waits for its client.
struct Arriving {
    body: Incoming,
    entry: Arc<Entry>,
}

impl HttpBody for Arriving {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let found = Pin::new(&mut self.body).poll_frame(context);
        if found.is_pending() {
            self.entry.stall()
        } else {
            self.entry.work()
        }
        found
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

struct WaitOnDrop(Arc<Entry>);

impl Drop for WaitOnDrop {
    fn drop(&mut self) {
        self.0.wait();
    }
}
