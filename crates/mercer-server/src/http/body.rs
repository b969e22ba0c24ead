//! Bodies, within the limits of size and time.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use mercer::compute::human_bytes;

use super::{Limits, Refusal};

/// A refused body is read and discarded up to this size and time, so that the client, which still
/// sends, can read the answer instead of meeting a closed connection.
const DRAINED_BYTES: usize = 64 << 20;
const DRAINED_TIME: Duration = Duration::from_secs(2);

/// The whole body.
///
/// # Errors
/// 413 for a body over the limit, 408 for one that does not arrive in time, 400 for one that breaks
/// off.
pub async fn read_body(mut body: Body, limits: &Limits) -> Result<Bytes, Refusal> {
    let found = match tokio::time::timeout(limits.body_time, collect(&mut body, limits.body)).await {
        Ok(found) => found,
        Err(_) => {
            let message = format!("the body did not arrive within {} s", limits.body_time.as_secs_f64());
            Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, "body_timeout", message))
        }
    };
    if found.as_ref().is_err_and(|refusal| refusal.status == StatusCode::PAYLOAD_TOO_LARGE) {
        discard(body);
    }
    found
}

async fn collect(body: &mut Body, limit: usize) -> Result<Bytes, Refusal> {
    let mut first: Option<Bytes> = None;
    let mut rest = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|e| Refusal::bad_request("body_incomplete", format!("the body broke off: {e}")))?;
        let Ok(data) = frame.into_data() else { continue };
        let length = first.as_ref().map_or(0, Bytes::len) + rest.len() + data.len();
        if length > limit {
            return Err(too_large(limit));
        }
        // Most bodies are one piece, which needs no copy.
        match &first {
            None => first = Some(data),
            Some(begin) => {
                if rest.is_empty() {
                    rest.extend_from_slice(begin);
                    first = Some(Bytes::new());
                }
                rest.extend_from_slice(&data);
            }
        }
    }
    Ok(if rest.is_empty() { first.unwrap_or_default() } else { rest.freeze() })
}

fn too_large(limit: usize) -> Refusal {
    Refusal::too_large("body_too_large", format!("the body is over the limit of {}", human_bytes(limit as u64)))
}

/// Refuses a body by the length that its head states, before it is read.
pub(super) fn check_length(headers: &HeaderMap, limits: &Limits) -> Result<(), Refusal> {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse::<u64>().ok());
    match length {
        Some(length) if length > limits.body as u64 => Err(too_large(limits.body)),
        _ => Ok(()),
    }
}

/// Reads the rest of a body that nobody needs, for a while.
pub(super) fn discard(mut body: Body) {
    tokio::spawn(tokio::time::timeout(DRAINED_TIME, async move {
        let mut passed = 0;
        while let Some(Ok(frame)) = body.frame().await {
            passed += frame.data_ref().map_or(0, Bytes::len);
            if passed > DRAINED_BYTES {
                return;
            }
        }
    }));
}
