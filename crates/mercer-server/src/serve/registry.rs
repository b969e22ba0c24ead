//! The models of a server, and how they are replaced while requests run.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use axum::http::StatusCode;
use mercer::io::load_model;
use mercer::model::Model;
use mercer::{Compute, Error, Result, Sample};

use super::batch::Batcher;
use super::metrics::ModelMetrics;
use super::schema::Schema;
use crate::http::{Limits, Refusal};

/// A model with what is known of it.
pub(crate) struct Loaded {
    pub model: Model,
    pub schema: Schema,
    /// The names that rows without names have.
    pub names: Vec<String>,
    /// 1 for the first model of a name, one more for every replacement.
    pub version: u64,
}

/// A file as the system describes it: another description means another content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    modified: Option<SystemTime>,
    size: u64,
    file: u64,
}

impl Stamp {
    /// Of a file; none where there is no file.
    pub fn of(path: &Path) -> Option<Self> {
        let facts = std::fs::metadata(path).ok()?;
        #[cfg(unix)]
        let file = std::os::unix::fs::MetadataExt::ino(&facts);
        #[cfg(not(unix))]
        let file = 0;
        Some(Self { modified: facts.modified().ok(), size: facts.len(), file })
    }
}

/// A model by its name.
pub(crate) struct Slot {
    pub name: Arc<str>,
    pub path: PathBuf,
    pub batcher: Batcher,
    pub metrics: Arc<ModelMetrics>,
    /// The sample that drift is measured against, where it was given as a file.
    pub reference: Option<PathBuf>,
    current: RwLock<Arc<Loaded>>,
    pub first_stamp: Option<Stamp>,
}

impl Slot {
    /// Loads a model.
    pub fn load(source: &ModelFile, compute: &Compute, limits: &Limits) -> Result<Self> {
        let stamp = Stamp::of(&source.path);
        let loaded = load(&source.path, 1, compute)?;
        let metrics = Arc::new(ModelMetrics::default());
        metrics.count_load(true);
        let batcher = Batcher::start(compute.clone(), limits, metrics.clone())
            .map_err(|e| Error::request(format!("no thread for the model {}: {e}", source.name)))?;
        Ok(Self {
            name: source.name.as_str().into(),
            path: source.path.clone(),
            batcher,
            metrics,
            reference: source.reference.clone(),
            current: RwLock::new(Arc::new(loaded)),
            first_stamp: stamp,
        })
    }

    /// The model as it is now. Requests keep the one that they began with.
    pub fn current(&self) -> Arc<Loaded> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Loads the file again and replaces the model; a file that cannot be loaded changes nothing.
    pub fn reload(&self, compute: &Compute) -> Result<u64> {
        let version = self.current().version + 1;
        let loaded = load(&self.path, version, compute);
        self.metrics.count_load(loaded.is_ok());
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(loaded?);
        Ok(version)
    }
}

fn load(path: &Path, version: u64, compute: &Compute) -> Result<Loaded> {
    let model = load_model(path, compute)?;
    let schema = Schema::of(&model);
    let loaded = Loaded { names: schema.names(), schema, model, version };
    // The first prediction prepares what later ones share.
    warm_up(&loaded, compute);
    Ok(loaded)
}

/// Predicts a row of zeros, where the model takes vectors.
fn warm_up(loaded: &Loaded, compute: &Compute) {
    let model = &loaded.model;
    if model.views().len() == 1 && model.fitted().point_kind(0) == mercer::points::PointKind::Vectors {
        let row = Sample::Vectors(ndarray::Array2::zeros((1, model.inputs().dimension())));
        // Zeros may be outside the domain of the kernel, which the first request will be told.
        let _ = model.predict(&row, compute);
    }
}

/// A file to serve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelFile {
    /// The name in addresses.
    pub name: String,
    /// The model file.
    pub path: PathBuf,
    /// A table that `/drift` compares with, instead of the training sample in the model.
    pub reference: Option<PathBuf>,
}

impl ModelFile {
    /// From a word of the command line: `FILE`, or `NAME=FILE`. The name of a file alone is its name
    /// without the extension.
    ///
    /// # Errors
    /// The reason, where the name has other characters than letters, digits, `.`, `_` and `-`.
    ///
    /// # Example
    /// ```
    /// use mercer_server::serve::ModelFile;
    /// assert_eq!(ModelFile::parse("models/iris.safetensors")?.name, "iris");
    /// assert_eq!(ModelFile::parse("flowers=models/iris.safetensors")?.name, "flowers");
    /// assert!(ModelFile::parse("my model.safetensors").is_err());
    /// # Ok::<(), String>(())
    /// ```
    pub fn parse(word: &str) -> std::result::Result<Self, String> {
        let (name, path) = match word.split_once('=') {
            Some((name, path)) if !name.contains(['/', '\\']) => (name.to_owned(), PathBuf::from(path)),
            _ => {
                let path = PathBuf::from(word);
                let name = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
                (name, path)
            }
        };
        let allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if name.is_empty() || !name.chars().all(allowed) || name.starts_with('.') {
            return Err(format!(
                "`{name}` cannot be the name of a model in an address: write NAME={}, with letters, digits, . _ and - in NAME",
                path.display()
            ));
        }
        Ok(Self { name, path, reference: None })
    }
}

/// All models, in the order of the command line.
pub(crate) struct Registry {
    pub slots: Vec<Arc<Slot>>,
}

impl Registry {
    /// The model of a name.
    pub fn find(&self, name: &str) -> std::result::Result<&Arc<Slot>, Refusal> {
        self.slots.iter().find(|slot| &*slot.name == name).ok_or_else(|| {
            let message = format!("there is no such model; there are {}", self.names());
            Refusal::new(StatusCode::NOT_FOUND, "unknown_model", message)
        })
    }

    /// The model that a request without a name means: the only one.
    pub fn only(&self) -> std::result::Result<&Arc<Slot>, Refusal> {
        match self.slots.as_slice() {
            [only] => Ok(only),
            _ => {
                let message = format!("there are several models: name one of {} (?model=NAME)", self.names());
                Err(Refusal::bad_request("model_missing", message))
            }
        }
    }

    /// The names, for messages.
    pub fn names(&self) -> String {
        self.slots.iter().map(|slot| slot.name.to_string()).collect::<Vec<_>>().join(", ")
    }
}
