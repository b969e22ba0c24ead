//! A fit with the encoding of its table, saved and loaded.

use mercer::io;
use mercer::model::Inputs;
use mercer::points::{Column, Encoding, Scaling};
use mercer::prelude::*;
use ndarray::array;

pub fn run(compute: &Compute) -> Result<()> {
    let table = Table::from_columns(vec![Column::numbers("speed", vec![4.0, 7.0, 9.0, 12.0])])?;
    let encoding = Encoding { scaling: Scaling::Standardize, ..Encoding::default() }.fit(&table)?;
    let x = encoding.apply(&table)?.matrix;
    let spec = GaussianProcess::new("gaussian()".parse()?, 0.1);
    let fit = spec.fit(x.view(), array![-1.0, -0.3, 0.2, 1.1].view(), compute)?;
    let model = Model::new(fit, Inputs::columns(encoding, ["distance"]))?;
    let path = std::env::temp_dir().join(format!("mercer-tour-{}.safetensors", std::process::id()));
    io::save_model(&path, &model)?;
    let same =
        io::load_model(&path, compute)?.predict_table(&table, compute)? == model.predict_table(&table, compute)?;
    let _ = std::fs::remove_file(&path);
    println!("the loaded model predicts the same: {same}");
    Ok(())
}
