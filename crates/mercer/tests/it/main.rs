//! The integration tests of the library as one binary; modules follow the folders of `src/`.

#[macro_use(assert_close)]
extern crate mercer;

mod common;
mod rooms;

mod conformal {
    mod coverage;
    mod jackknife;
    mod refusals;
}
mod definiteness {
    mod check;
}
mod features {
    mod maps;
    mod statistics;
}
mod function {
    mod expansions;
    mod spectra;
}
mod golden {
    mod definiteness;
    mod features;
    mod functions;
    mod graphs;
    mod hypothesis;
    mod kernels;
    mod logistic;
    mod measures;
    mod ridge;
    mod smoothing;
    mod spectra;
    mod strings;
    mod svm;
}
mod gram {
    mod binding;
    mod features;
    mod kept;
    mod many_points;
    mod precomputed;
    mod tiles;
}
mod hypothesis {
    mod calibration;
    mod calibration_objects;
    mod drift;
    mod interpretation;
    mod outcomes;
    mod plans;
    mod streamed;
}
mod io {
    mod chunks;
    mod files;
    mod graphs;
    mod wrong_files;
}
mod kernel {
    mod bags;
    mod broken;
    mod conformance;
    mod custom;
    mod docs_table;
    mod graphs;
    mod mixed;
    mod properties;
    mod strings;
    mod text;
    mod wendland;
}
mod learn {
    mod binned;
    mod center_solvers;
    mod centers;
    mod centers_memory;
    mod explicit_features;
    mod gaussian_process;
    mod gaussian_process_features;
    mod graphs;
    mod grids;
    mod intervals;
    mod logistic;
    mod losses;
    mod multiple;
    mod repeated;
    mod ridge;
    mod smoothers;
    mod sparse_gaussian_process;
    mod splines;
    mod streamed;
    mod streamed_logistic;
    mod svm;
    mod svm_features;
    mod svm_libsvm;
    mod svm_memory;
}
mod learner {
    mod diagnostics;
}
mod measure {
    mod measures;
}
mod model {
    mod docs_table;
    mod files;
    mod files_svm;
    mod learners;
    mod objects;
    mod wrong_files;
}
mod points {
    mod sparse;
    mod sparse_learners;
}
mod select {
    mod automatic;
    mod search;
    mod tuning;
}
mod solve {
    mod state_space;
}
mod view {
    mod cca;
    mod coupled;
    mod ica;
    mod kmeans;
    mod pca;
    mod principal;
    mod scaling;
    mod spectral;
    mod streamed;
}
