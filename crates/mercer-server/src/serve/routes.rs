//! Addresses and what answers them.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, RawQuery, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use serde_json::json;

use super::answer::{Predictions, kind_of, predictions};
use super::ask::{Ask, Query};
use super::batch::Batcher;
use super::body::{self, Kind, refusal};
use super::predict::{check, encode, predict};
use super::registry::{Loaded, Slot};
use super::{App, drift, infer, openapi};
use crate::http::{LogFields, Refusal, content_type, json as answer, read_body, typed};

type Found = Result<Response, Refusal>;
type Shared = State<Arc<App>>;

/// Bytes of a body that is read on the thread of its connection: more would keep others waiting.
const SMALL: usize = 16 << 10;

/// All addresses.
pub(super) fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/", get(index))
        .route("/v2", get(server))
        .route("/v2/health/live", get(live))
        .route("/v2/health/ready", get(ready))
        .route("/v2/models", get(models))
        .route("/v2/models/{model}", get(metadata))
        .route("/v2/models/{model}/ready", get(model_ready))
        .route("/v2/models/{model}/infer", post(infer_model))
        .route("/predict", post(predict_only))
        .route("/models/{model}/predict", post(predict_model))
        .route("/drift", post(drift_only))
        .route("/models/{model}/drift", post(drift_model))
        .route("/metrics", get(metrics))
        .route("/openapi.json", get(describe))
        .fallback(nowhere)
        .method_not_allowed_fallback(wrong_method)
        .with_state(app)
}

async fn nowhere() -> Refusal {
    Refusal::new(
        StatusCode::NOT_FOUND,
        "not_found",
        "there is nothing at this address; /openapi.json lists what there is",
    )
}

async fn wrong_method() -> Refusal {
    let message = "this address does not answer this method; /openapi.json lists what there is";
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "wrong_method", message)
}

async fn index(State(app): Shared) -> Response {
    let names: Vec<&str> = app.registry.slots.iter().map(|slot| &*slot.name).collect();
    let value = json!({ "name": "mercer", "version": env!("CARGO_PKG_VERSION"), "models": names, "interface": "/openapi.json" });
    answer(StatusCode::OK, &value)
}

async fn server() -> Response {
    let value = json!({ "name": "mercer", "version": env!("CARGO_PKG_VERSION"), "extensions": ["predict", "drift"] });
    answer(StatusCode::OK, &value)
}

async fn live() -> Response {
    answer(StatusCode::OK, &json!({ "live": true }))
}

/// The server answers only when its models are loaded.
async fn ready() -> Response {
    answer(StatusCode::OK, &json!({ "ready": true }))
}

async fn models(State(app): Shared) -> Response {
    let list: Vec<_> = app.registry.slots.iter().map(|slot| infer::metadata(slot, &slot.current())).collect();
    answer(StatusCode::OK, &json!({ "models": list }))
}

async fn metadata(State(app): Shared, Path(model): Path<String>) -> Found {
    let slot = app.registry.find(&model)?;
    Ok(answer(StatusCode::OK, &infer::metadata(slot, &slot.current())))
}

async fn model_ready(State(app): Shared, Path(model): Path<String>) -> Found {
    let slot = app.registry.find(&model)?;
    Ok(answer(StatusCode::OK, &json!({ "name": &*slot.name, "ready": true })))
}

async fn metrics(State(app): Shared) -> Response {
    let one = |slot: &Arc<Slot>| (slot.name.clone(), slot.current().version, slot.metrics.clone());
    let models: Vec<_> = app.registry.slots.iter().map(one).collect();
    typed(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", app.metrics.text(&models, app.jobs.count()))
}

async fn describe(State(app): Shared) -> Response {
    answer(StatusCode::OK, &openapi::document(&app.registry, app.has_token))
}

async fn predict_only(State(app): Shared, query: RawQuery, request: Request) -> Found {
    let mut query = Query::new(query.0.as_deref())?;
    let slot = match query.take("model") {
        Some(name) => app.registry.find(&name)?,
        None => app.registry.only()?,
    };
    predict_rows(&app, slot.clone(), query, request).await
}

async fn predict_model(State(app): Shared, Path(model): Path<String>, query: RawQuery, request: Request) -> Found {
    let slot = app.registry.find(&model)?.clone();
    predict_rows(&app, slot, Query::new(query.0.as_deref())?, request).await
}

async fn predict_rows(app: &App, slot: Arc<Slot>, mut query: Query, request: Request) -> Found {
    let ask = Ask::from_query(&mut query)?;
    query.finish("model, interval, probabilities and novelty")?;
    let (head, body) = request.into_parts();
    let kind = Kind::of(&head.headers);
    let body = read_body(body, &app.limits).await?;
    let loaded = slot.current();
    let read = {
        let (loaded, limits) = (loaded.clone(), app.limits.clone());
        let small = body.len() <= SMALL;
        let work = move |compute: &mercer::Compute| {
            let (table, ask) = body::read(kind, &body, ask, &loaded.names, &limits, compute)?;
            check(&loaded.model, ask)?;
            Ok((encode(&loaded.model, &table)?, ask))
        };
        if small { work(&app.compute) } else { app.jobs.run(&app.compute, work).await? }
    };
    let (views, ask) = read?;
    let (rows, filled) = (views[0].rows, views.iter().map(|v| v.filled).sum());
    let dropped = rows - views[0].kept.len();
    let columns = columns(app, &slot, &loaded, views, ask).await?;
    let found = Predictions { model: &slot.name, version: loaded.version, rows, dropped, filled, columns };
    let answered = kind_of(&head.headers, kind);
    noted(predictions(found, answered)?, &slot, rows)
}

/// The columns of the answer: together with other requests for few rows, by itself for many.
async fn columns(
    app: &App,
    slot: &Arc<Slot>,
    loaded: &Arc<Loaded>,
    views: Vec<super::predict::Encoded>,
    ask: Ask,
) -> Result<Vec<mercer::points::Column>, Refusal> {
    slot.metrics.count_rows(views[0].rows);
    if Batcher::takes(&views, ask) {
        return slot.batcher.run(loaded.clone(), views, ask).await;
    }
    let loaded = loaded.clone();
    app.jobs.run(&app.compute, move |compute| predict(&loaded.model, &views, ask, compute)).await?.map_err(refusal)
}

/// The answer with what the log says of it.
fn noted(mut response: Response, slot: &Slot, rows: usize) -> Found {
    response.extensions_mut().insert(LogFields(vec![("model", json!(&*slot.name)), ("rows", json!(rows))]));
    Ok(response)
}

async fn infer_model(State(app): Shared, Path(model): Path<String>, request: Request) -> Found {
    let slot = app.registry.find(&model)?.clone();
    let (head, body) = request.into_parts();
    need_json(&head.headers)?;
    let body = read_body(body, &app.limits).await?;
    let loaded = slot.current();
    let read = {
        let (loaded, limits) = (loaded.clone(), app.limits.clone());
        let small = body.len() <= SMALL;
        let work = move |_: &mercer::Compute| {
            let found = infer::read(&body, &loaded.schema, &limits)?;
            check(&loaded.model, found.ask)?;
            Ok((encode(&loaded.model, &found.table)?, found))
        };
        if small { work(&app.compute) } else { app.jobs.run(&app.compute, work).await? }
    };
    let (views, found) = read?;
    let rows = views[0].rows;
    let columns = columns(&app, &slot, &loaded, views, found.ask).await?;
    noted(infer::response(&slot, &loaded, &found, &columns)?, &slot, rows)
}

fn need_json(headers: &HeaderMap) -> Result<(), Refusal> {
    if content_type(headers).is_some_and(|kind| kind.eq_ignore_ascii_case("application/json")) {
        return Ok(());
    }
    let message = "the content type must be application/json";
    Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "wrong_content_type", message))
}

async fn drift_only(State(app): Shared, query: RawQuery, request: Request) -> Found {
    let mut query = Query::new(query.0.as_deref())?;
    let slot = match query.take("model") {
        Some(name) => app.registry.find(&name)?,
        None => app.registry.only()?,
    };
    drift_rows(&app, slot.clone(), query, request).await
}

async fn drift_model(State(app): Shared, Path(model): Path<String>, query: RawQuery, request: Request) -> Found {
    let slot = app.registry.find(&model)?.clone();
    drift_rows(&app, slot, Query::new(query.0.as_deref())?, request).await
}

async fn drift_rows(app: &App, slot: Arc<Slot>, mut query: Query, request: Request) -> Found {
    let question = drift::Question::from_query(&mut query)?;
    query.finish("model, level, permutations and seed")?;
    let (head, body) = request.into_parts();
    let kind = Kind::of(&head.headers);
    let body = read_body(body, &app.limits).await?;
    let (own, limits) = (slot.clone(), app.limits.clone());
    let work = move |compute: &mercer::Compute| {
        let loaded = own.current();
        let (table, _) = body::read(kind, &body, Ask::default(), &loaded.names, &limits, compute)?;
        let rows = table.rows();
        Ok((drift::test(&own, &loaded, &table, question, compute).map_err(refusal)?, rows))
    };
    let (value, rows) = app.jobs.run(&app.compute, work).await??;
    noted(answer(StatusCode::OK, &value), &slot, rows)
}
