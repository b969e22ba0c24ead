//! The page and its questions over HTTP.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, Request, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use mercer::Compute;
use serde_json::Value;

use super::assets::{self, PAGE};
use super::{Lab, Refusal};
use crate::http::{self, Jobs, Limits, Nonce, Token};

/// The cookie that carries the token after the first visit.
pub const COOKIE: &str = "mercer_lab";

/// What handlers share.
#[derive(Clone)]
struct Shared {
    lab: Arc<Lab>,
    token: Token,
    questions: Jobs,
    limits: Arc<Limits>,
    compute: Compute,
}

/// The routes of the page. The token in the address of the first visit moves into a cookie that scripts cannot read.
pub fn router(lab: Arc<Lab>, token: Token, limits: Limits) -> Router {
    let threads = lab.compute.threads().max(2);
    let compute = lab.compute.clone();
    let questions = Jobs::new(threads, &limits);
    let shared = Shared { lab, token, questions, limits: Arc::new(limits), compute };
    let mut router = Router::new().route("/", get(page)).route("/api/{*question}", post(question));
    for asset in &assets::FILES {
        router = router.route(asset.path, get(file));
    }
    router.fallback(missing).with_state(shared)
}

async fn page(State(shared): State<Shared>, uri: Uri) -> Response {
    if uri.query().is_some_and(|query| query.split('&').any(|pair| pair.starts_with("token="))) {
        return moved(&shared.token);
    }
    match Nonce::random() {
        Ok(nonce) => http::page(PAGE.replace("{nonce}", nonce.text()), &nonce),
        Err(_) => http::Refusal::defect().into_response(),
    }
}

/// To the same page without the token, which stays in a cookie of this session. The part of the address after `#` is
/// kept by the browser.
fn moved(token: &Token) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    let cookie = format!("{COOKIE}={}; Path=/; HttpOnly; SameSite=Strict", token.text());
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/"));
    response
}

async fn file(uri: Uri) -> Response {
    match assets::find(uri.path()) {
        Some(asset) => {
            let mut response = asset.text.into_response();
            response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.kind));
            response
        }
        None => missing().await,
    }
}

async fn missing() -> Response {
    answered(Err(Refusal::missing("there is nothing at this address")))
}

/// A question of the page.
async fn question(State(shared): State<Shared>, Path(name): Path<String>, request: Request<Body>) -> Response {
    let body = match http::read_body(request.into_body(), &shared.limits).await {
        Ok(body) => body,
        Err(refusal) => return refusal.into_response(),
    };
    let Ok(value) = serde_json::from_slice::<Value>(&body) else {
        return answered(Err(Refusal::request("the body is no JSON")));
    };
    drop(body);
    let lab = shared.lab.clone();
    let work = move |compute: &Compute| lab.call_with(&name, &value, compute);
    match shared.questions.run(&shared.compute, work).await {
        Ok(answer) => answered(answer),
        Err(refusal) => refusal.into_response(),
    }
}

fn answered(answer: super::Answer) -> Response {
    match answer {
        Ok(value) => http::json(StatusCode::OK, &value),
        Err(refusal) => {
            let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::BAD_REQUEST);
            http::json(status, &refusal.json())
        }
    }
}
