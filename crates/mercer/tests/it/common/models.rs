//! Model files there and back.

use mercer::model::Model;
use mercer::{Compute, io};
use ndarray::Array2;

/// The bits of every number.
pub fn bits(values: &Array2<f64>) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// A model that was written and read again, with the same bytes both times.
pub fn round_trip(model: &Model) -> Model {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    io::save_model(&path, model).unwrap();
    let loaded = io::load_model(&path, &Compute::new()).unwrap();
    let (mut first, mut second) = (Vec::new(), Vec::new());
    io::write_model(&mut first, model).unwrap();
    io::write_model(&mut second, &loaded).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), first);
    assert_eq!(first, second, "a loaded model is saved with the same bytes");
    loaded
}
