//! Model files that change while the server runs.

use std::sync::Arc;
use std::time::Duration;

use mercer::Compute;
use serde_json::json;

use super::registry::{Slot, Stamp};
use crate::http::Log;

/// Looks at the file of a model from time to time, and loads it when it has changed and is at rest.
/// Requests that run keep the model that they began with.
pub(crate) async fn watch(slot: Arc<Slot>, pause: Duration, compute: Compute, log: Log) {
    let mut known = slot.first_stamp;
    let mut last = known;
    loop {
        tokio::time::sleep(pause).await;
        let path = slot.path.clone();
        let Ok(found) = tokio::task::spawn_blocking(move || Stamp::of(&path)).await else { return };
        let at_rest = found == last;
        last = found;
        // A file that is still being written is loaded when two looks have seen the same.
        if found.is_none() || found == known || !at_rest {
            continue;
        }
        known = found;
        reload(&slot, &compute, &log).await;
    }
}

async fn reload(slot: &Arc<Slot>, compute: &Compute, log: &Log) {
    let (own, compute) = (slot.clone(), compute.clone());
    let found = tokio::task::spawn_blocking(move || own.reload(&compute)).await;
    let model = json!(&*slot.name);
    match found {
        Ok(Ok(version)) => log.event("info", "model_loaded", [("model", model), ("version", json!(version))]),
        Ok(Err(error)) => {
            let fields =
                [("model", model), ("error", json!(error.to_string())), ("kept", json!(slot.current().version))];
            log.event("error", "model_load_failed", fields);
        }
        Err(_) => log.event("error", "model_load_failed", [("model", model), ("error", json!("internal error"))]),
    }
}
