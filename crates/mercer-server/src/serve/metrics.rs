//! Counts and times in the text format of Prometheus.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::http::{Observer, Seen};

/// Upper ends of the classes of times, in seconds.
const ENDS: [f64; 12] = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10.0];
/// What requests are counted by; addresses of clients do not become labels.
const ROUTES: [&str; 8] = ["predict", "infer", "drift", "models", "health", "metrics", "openapi", "other"];
/// Classes of status.
const STATUS: [&str; 4] = ["2xx", "3xx", "4xx", "5xx"];

fn add(counter: &AtomicU64, value: u64) {
    counter.fetch_add(value, Ordering::Relaxed);
}

fn get(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

/// The counts of one model.
#[derive(Debug, Default)]
pub(crate) struct ModelMetrics {
    rows: AtomicU64,
    batches: AtomicU64,
    batched: AtomicU64,
    loads: AtomicU64,
    failed_loads: AtomicU64,
    last_load_failed: AtomicU64,
}

impl ModelMetrics {
    pub fn count_rows(&self, rows: usize) {
        add(&self.rows, rows as u64);
    }

    pub fn count_batch(&self, requests: usize) {
        add(&self.batches, 1);
        add(&self.batched, requests as u64);
    }

    pub fn count_load(&self, worked: bool) {
        add(if worked { &self.loads } else { &self.failed_loads }, 1);
        self.last_load_failed.store(u64::from(!worked), Ordering::Relaxed);
    }
}

#[derive(Debug, Default)]
struct Route {
    status: [AtomicU64; STATUS.len()],
    /// One more for times above the last end.
    times: [AtomicU64; ENDS.len() + 1],
    microseconds: AtomicU64,
}

/// The counts of a server.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    routes: [Route; ROUTES.len()],
    in_flight: AtomicU64,
    abandoned: AtomicU64,
}

impl Observer for Metrics {
    fn begin(&self) {
        add(&self.in_flight, 1);
    }

    fn end(&self, seen: &Seen<'_>) {
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
        let route = &self.routes[route(seen.path)];
        let class = usize::from(seen.status / 100).clamp(2, 5) - 2;
        add(&route.status[class], 1);
        let seconds = seen.time.as_secs_f64();
        let place = ENDS.iter().position(|end| seconds <= *end).unwrap_or(ENDS.len());
        add(&route.times[place], 1);
        add(&route.microseconds, Duration::as_micros(&seen.time) as u64);
    }

    fn abandon(&self) {
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
        add(&self.abandoned, 1);
    }
}

/// What an address counts as.
fn route(path: &str) -> usize {
    let word = match path {
        "/predict" | "/transform" => "predict",
        "/drift" => "drift",
        "/metrics" => "metrics",
        "/openapi.json" => "openapi",
        _ if path.starts_with("/v2/health/") => "health",
        _ if path.ends_with("/infer") => "infer",
        _ if path.ends_with("/predict") => "predict",
        _ if path.ends_with("/drift") => "drift",
        _ if path == "/v2" || path.starts_with("/v2/models") || path == "/models" => "models",
        _ => "other",
    };
    ROUTES.iter().position(|known| *known == word).unwrap_or(ROUTES.len() - 1)
}

impl Metrics {
    /// All requests that were answered.
    pub fn requests(&self) -> u64 {
        self.routes.iter().flat_map(|route| &route.status).map(get).sum()
    }

    /// The text, with the models by name and version, and the jobs that run or wait.
    pub fn text(&self, models: &[(Arc<str>, u64, Arc<ModelMetrics>)], jobs: usize) -> String {
        let mut out = String::new();
        self.push_requests(&mut out);
        self.push_times(&mut out);
        let gauge = |out: &mut String, name: &str, help: &str, value: u64| {
            let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}\n");
        };
        gauge(&mut out, "mercer_requests_in_flight", "Requests that are being answered.", get(&self.in_flight));
        gauge(&mut out, "mercer_jobs", "Large computations that run or wait.", jobs as u64);
        head(&mut out, "mercer_requests_abandoned_total", "Requests whose client left before the answer.", "counter");
        let _ = writeln!(out, "mercer_requests_abandoned_total {}", get(&self.abandoned));
        push_models(&mut out, models);
        out
    }

    fn push_requests(&self, out: &mut String) {
        head(out, "mercer_requests_total", "Requests that were answered.", "counter");
        for (name, route) in ROUTES.iter().zip(&self.routes) {
            for (status, count) in STATUS.iter().zip(&route.status).filter(|(_, count)| get(count) > 0) {
                let _ = writeln!(out, "mercer_requests_total{{route=\"{name}\",status=\"{status}\"}} {}", get(count));
            }
        }
    }

    fn push_times(&self, out: &mut String) {
        let name = "mercer_request_duration_seconds";
        head(out, name, "Time from the head of a request to its answer.", "histogram");
        for (label, route) in ROUTES.iter().zip(&self.routes) {
            let mut sum = 0;
            if route.times.iter().all(|count| get(count) == 0) {
                continue;
            }
            for (end, count) in ENDS.iter().zip(&route.times) {
                sum += get(count);
                let _ = writeln!(out, "{name}_bucket{{route=\"{label}\",le=\"{end}\"}} {sum}");
            }
            sum += get(&route.times[ENDS.len()]);
            let _ = writeln!(out, "{name}_bucket{{route=\"{label}\",le=\"+Inf\"}} {sum}");
            let _ = writeln!(out, "{name}_sum{{route=\"{label}\"}} {}", get(&route.microseconds) as f64 / 1e6);
            let _ = writeln!(out, "{name}_count{{route=\"{label}\"}} {sum}");
        }
    }
}

fn head(out: &mut String, name: &str, help: &str, kind: &str) {
    let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
}

fn push_models(out: &mut String, models: &[(Arc<str>, u64, Arc<ModelMetrics>)]) {
    type Read = fn(&ModelMetrics) -> &AtomicU64;
    let counters: [(&str, &str, &str, Read); 4] = [
        ("mercer_rows_total", "Rows that were predicted.", "counter", |m| &m.rows),
        ("mercer_batches_total", "Computations of requests of few rows.", "counter", |m| &m.batches),
        ("mercer_batched_requests_total", "Requests that these answered.", "counter", |m| &m.batched),
        ("mercer_model_last_load_failed", "1 if the file changed and could not be loaded.", "gauge", |m| {
            &m.last_load_failed
        }),
    ];
    for (name, help, kind, read) in counters {
        head(out, name, help, kind);
        for (model, _, metrics) in models {
            let _ = writeln!(out, "{name}{{model=\"{model}\"}} {}", get(read(metrics)));
        }
    }
    head(out, "mercer_model_loads_total", "Loads of model files.", "counter");
    for (model, _, metrics) in models {
        for (result, count) in [("ok", &metrics.loads), ("failed", &metrics.failed_loads)] {
            let _ = writeln!(out, "mercer_model_loads_total{{model=\"{model}\",result=\"{result}\"}} {}", get(count));
        }
    }
    head(out, "mercer_model_version", "Version of the model, 1 for the first.", "gauge");
    for (model, version, _) in models {
        let _ = writeln!(out, "mercer_model_version{{model=\"{model}\"}} {version}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_route_status_and_time() {
        let metrics = Metrics::default();
        for (path, status, micros) in
            [("/predict", 200, 90), ("/predict", 400, 300), ("/models/m/predict", 200, 20_000_000)]
        {
            metrics.begin();
            metrics.end(&Seen { method: "POST", path, status, time: Duration::from_micros(micros) });
        }
        metrics.begin();
        metrics.begin();
        metrics.abandon();
        let of_model = Arc::new(ModelMetrics::default());
        of_model.count_load(true);
        of_model.count_load(false);
        let text = metrics.text(&[("m".into(), 1, of_model)], 0);
        for line in [
            "mercer_requests_total{route=\"predict\",status=\"2xx\"} 2",
            "mercer_requests_total{route=\"predict\",status=\"4xx\"} 1",
            "mercer_request_duration_seconds_bucket{route=\"predict\",le=\"0.0001\"} 1",
            "mercer_request_duration_seconds_bucket{route=\"predict\",le=\"10\"} 2",
            "mercer_request_duration_seconds_bucket{route=\"predict\",le=\"+Inf\"} 3",
            "mercer_request_duration_seconds_count{route=\"predict\"} 3",
            "mercer_requests_in_flight 1",
            "mercer_model_loads_total{model=\"m\",result=\"failed\"} 1",
            "mercer_model_last_load_failed{model=\"m\"} 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        assert_eq!(metrics.requests(), 3);
    }
}
