//! One connection, from its first byte to its end.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::http::{Request, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;

use super::connections::Place;
use super::request::answer;
use super::server::Shared;

/// Time and bytes of [`linger`].
const LINGER: Duration = Duration::from_millis(500);
const LINGER_BYTES: usize = 1 << 20;

/// Serves one connection until it ends, waits too long, or the server stops.
pub(super) async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    place: Place,
    shared: Arc<Shared>,
    mut stopped: watch::Receiver<bool>,
) {
    let entry = place.entry.clone();
    let service = service_fn({
        let (shared, entry) = (shared.clone(), entry.clone());
        move |request: Request<Incoming>| answer(shared.clone(), entry.clone(), peer, request)
    });
    let mut builder = http1::Builder::new();
    // Waiting is limited by the table of connections, without a timer per request.
    builder.header_read_timeout(None).max_header_size(shared.limits.head);
    let mut connection = builder.serve_connection(TokioIo::new(stream), service);
    let mut stopping = false;
    let ended = loop {
        let mut close = pin!(entry.close.notified());
        let already = stopping;
        let mut stop = pin!(async {
            if already {
                std::future::pending::<()>().await;
            }
            let _ = stopped.wait_for(|stop| *stop).await;
        });
        let next = std::future::poll_fn(|context| {
            if let Poll::Ready(result) = Pin::new(&mut connection).poll(context) {
                return Poll::Ready(Some(if result.is_ok() { Ended::Whole } else { Ended::Broken }));
            }
            if close.as_mut().poll(context).is_ready() {
                return Poll::Ready(Some(Ended::Closed));
            }
            stop.as_mut().poll(context).map(|()| None)
        });
        match next.await {
            Some(ended) => break ended,
            None => {
                stopping = true;
                Pin::new(&mut connection).graceful_shutdown();
            }
        }
    };
    let parts = connection.into_parts();
    let stream = parts.io.into_inner();
    match ended {
        Ended::Whole => {}
        Ended::Broken => linger(stream).await,
        // The beginning of a request that never became whole gets an answer; a connection without
        // one is closed.
        Ended::Closed if !parts.read_buf.is_empty() => {
            let limit = shared.limits.head_time.as_secs_f64();
            let message = format!("the head of the request did not arrive within {limit} s");
            farewell(stream, StatusCode::REQUEST_TIMEOUT, "head_timeout", &message).await;
        }
        Ended::Closed => {}
    }
}

/// How a connection ended.
enum Ended {
    /// By the client, or after its last answer.
    Whole,
    /// By bytes that are no request; the answer, if any, is written.
    Broken,
    /// By the server, as it waited too long.
    Closed,
}

/// Reads what a client still sends, for a moment: to close with unread bytes would destroy the last
/// answer on its way.
async fn linger(mut stream: TcpStream) {
    let _ = tokio::time::timeout(LINGER, async {
        let mut buffer = [0; 4096];
        let mut left = LINGER_BYTES;
        while let Ok(n @ 1..) = stream.read(&mut buffer).await {
            left = left.saturating_sub(n);
            if left == 0 {
                return;
            }
        }
    })
    .await;
}

/// Tells a connection that there is no place for it.
pub(super) async fn refuse(stream: TcpStream, most: usize) {
    let message = format!("{most} connections are at work already: try again later");
    farewell(stream, StatusCode::SERVICE_UNAVAILABLE, "too_many_connections", &message).await;
}

/// A last answer, written by hand; nobody waits for it for long.
async fn farewell(mut stream: TcpStream, status: StatusCode, code: &'static str, message: &str) {
    let body = json!({ "error": message, "code": code }).to_string();
    let text = format!(
        "HTTP/1.1 {} {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nretry-after: 1\r\n\
         x-content-type-options: nosniff\r\ncache-control: no-store\r\nconnection: close\r\n\r\n{body}",
        status.as_u16(),
        status.canonical_reason().unwrap_or(""),
        body.len(),
    );
    let _ = tokio::time::timeout(Duration::from_secs(1), async {
        stream.write_all(text.as_bytes()).await?;
        stream.shutdown().await
    })
    .await;
}
