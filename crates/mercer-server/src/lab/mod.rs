//! `mercer lab`: a page to look at kernels, data, fits, comparisons and views.
//!
//! [`Lab`] answers the questions of the page: a name and a JSON object go in, a JSON object comes out. It knows nothing of
//! HTTP; [`router`] puts it behind the guarded listener of [`crate::http`]. Every number of the page is computed by the
//! library; the page only draws.

mod assets;
mod catalogue;
mod compare;
mod data;
mod fields;
mod fit;
mod jobs;
mod kernel;
mod numbers;
mod page;
mod refusal;
mod snippets;
mod training;
mod view;

use std::sync::Arc;

use mercer::Compute;
use mercer::points::Table;
use serde_json::{Value, json};

pub use page::{COOKIE, router};
pub use refusal::{Answer, Refusal};

use data::Store;
use fields::Fields;
use jobs::Jobs;
use training::Choice;

/// Bytes of a request: an upload in base 64.
pub const LARGEST_BODY: usize = 44 << 20;
/// Memory for questions and jobs, unless the program says otherwise.
const MEMORY: u64 = 2 << 30;

/// The state of a session: data sets and jobs.
pub struct Lab {
    compute: Compute,
    store: Arc<Store>,
    jobs: Jobs,
    /// The set that the page opens with.
    opening: Option<String>,
}

impl Lab {
    /// A session that computes like this, with at most 2 GiB.
    ///
    /// # Example
    /// ```
    /// use mercer::Compute;
    /// use mercer_server::lab::Lab;
    /// let lab = Lab::new(Compute::new());
    /// let answer = lab.call("kernel/look", &serde_json::json!({ "kernel": "2*gaussian(lengthscale=3)" })).unwrap();
    /// assert_eq!(answer["normal"], "2*gaussian(lengthscale=3)");
    /// assert_eq!(answer["profile"]["series"][0]["values"][80], 2.0);
    /// ```
    pub fn new(compute: Compute) -> Self {
        let memory = compute.memory().min(MEMORY);
        let compute = compute.with_memory(memory).silent();
        Self { store: Arc::new(Store::new(compute.clone())), compute, jobs: Jobs::default(), opening: None }
    }

    /// The same with a file of this computer, which the program has read.
    pub fn with_data(mut self, file: &str, table: Table) -> Self {
        self.store.give("data", file.to_owned(), table);
        self.opening = Some("data".into());
        self
    }

    /// Answers a question of the page.
    ///
    /// # Errors
    /// A [`Refusal`] with a status of HTTP and a message.
    pub fn call(&self, question: &str, request: &Value) -> Answer {
        self.call_with(question, request, &self.compute)
    }

    /// The same with another way to compute: one that is canceled when nobody waits for the answer.
    ///
    /// # Errors
    /// As [`Lab::call`].
    pub fn call_with(&self, question: &str, request: &Value, compute: &Compute) -> Answer {
        let fields = Fields::of(request)?;
        let store = &*self.store;
        match question {
            "start" => Ok(self.start()),
            "kernel/look" => {
                let mut answer = kernel::look(fields, store, compute)?;
                let choice = fields.optional_object("data")?.map(Choice::read).transpose()?;
                let normal = answer["normal"].as_str().unwrap_or_default().to_owned();
                answer["snippet"] = snippets::kernel(&normal, choice.as_ref(), store)?;
                Ok(answer)
            }
            "kernel/check" => kernel::check(fields, store, compute),
            "data/list" => Ok(data::list(store)),
            "data/describe" => data::describe(fields, store),
            "data/upload" => data::upload(fields, store),
            "data/export" => data::export(fields, store),
            "data/column" => data::column(fields, store),
            "fit/start" => {
                let request = fit::Request::read(fields)?;
                let store = self.store.clone();
                self.begin(move |compute, cancel| fit::run(request, &store, compute, cancel))
            }
            "fit/predict" => fit::predict(fields, &*self.job(fields)?.kept()?, compute),
            "fit/plane" => fit::plane(fields, &*self.job(fields)?.kept()?, compute),
            "compare/start" => {
                let request = compare::Request::read(fields)?;
                let store = self.store.clone();
                self.begin(move |compute, _| compare::run(&request, &store, compute))
            }
            "view/start" => {
                let request = view::Request::read(fields)?;
                let store = self.store.clone();
                self.begin(move |compute, cancel| view::run(&request, &store, compute, cancel))
            }
            "job" => self.job(fields)?.status(),
            "job/stop" => {
                self.job(fields)?.stop(fields.flag("discard")?);
                Ok(json!({}))
            }
            other => Err(Refusal::missing(format!("there is no question `{other}`"))),
        }
    }

    /// Stops all jobs.
    pub fn stop(&self) {
        self.jobs.stop_all();
    }

    fn start(&self) -> Value {
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "kernels": catalogue::kernels(),
            "learners": catalogue::learners(),
            "data": data::list(&self.store),
            "opening": self.opening,
        })
    }

    fn begin(
        &self,
        work: impl FnOnce(&Compute, &mercer::Cancel) -> Result<jobs::Finished, Refusal> + Send + 'static,
    ) -> Answer {
        Ok(json!({ "job": self.jobs.start(&self.compute, work)? }))
    }

    fn job(&self, fields: Fields<'_>) -> Result<Arc<jobs::Job>, Refusal> {
        let number = fields.optional_count("job", u64::from(u32::MAX))?;
        self.jobs.get(number.ok_or_else(|| Refusal::request("`job` is missing"))? as u64)
    }
}
