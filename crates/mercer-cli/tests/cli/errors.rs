//! Every kind of error that the library has, through the command line: the exit code, and the words
//! that name what to change.

use mercer::error::KINDS;

use super::common::{Run, example, file, mercer, mercer_with_input, path_in};

type Folder = tempfile::TempDir;

/// A request, the kind of error that it gives, the exit code, and words of the message.
struct Row {
    kind: &'static str,
    run: fn(&Folder) -> Run,
    code: i32,
    words: &'static [&'static str],
}

/// Kinds that no request of a few rows gives: `failure.rs` has their exit codes and words.
const ELSEWHERE: &[(&str, &str)] = &[
    ("canceled", "refusals.rs, by a signal"),
    ("mismatch", "stream.rs, by a checkpoint of another fit: its file has to be larger than 1 MiB"),
    ("record", "files wrap it with their name: the kind is format"),
    ("request", "threads that the system refuses to start, as under a limit that a shell sets (`ulimit -v`)"),
];

const LINE: &[u8] = b"x,y\n1,1\n2,4\n3,2\n5,3\n";

fn fit(learner: &str, folder: &Folder, data: &[u8], rest: &[&str]) -> Run {
    let data = file(folder, "d.csv", data);
    mercer(&[&["fit", learner, &data, "--target", "y"], rest].concat())
}

fn gram(kernel: &str, data: &[u8]) -> Run {
    mercer_with_input(&["kernel", "gram", kernel, "-"], data)
}

const ROWS: &[Row] = &[
    Row {
        kind: "parameter",
        run: |folder| fit("spline", folder, LINE, &["--order", "4"]),
        code: 1,
        words: &["--order = 4 is not allowed: it must be a whole number, at least 1 and at most 3"],
    },
    Row {
        kind: "parameter",
        run: |folder| fit("spline", folder, LINE, &["--df", "9"]),
        code: 1,
        words: &["--df = 9 is not allowed", "between 2", "and 4"],
    },
    Row {
        kind: "parameter",
        run: |folder| fit("ridge", folder, LINE, &["--cv", "9"]),
        code: 1,
        words: &["--cv = 9 is not allowed", "number of rows (4)"],
    },
    Row {
        kind: "syntax",
        run: |_| mercer(&["kernel", "explain", "gausian()"]),
        code: 1,
        words: &["did you mean `gaussian`?", "gausian()\n", "^"],
    },
    Row {
        kind: "shape",
        run: |_| gram("wiener()", b"a,b\n1,2\n3,4\n"),
        code: 1,
        words: &["one column", "on([j]", "expected 1, found 2"],
    },
    Row {
        kind: "too_few",
        run: |folder| {
            let (one, many) = (file(folder, "one.csv", b"x\n1\n"), file(folder, "many.csv", b"x\n1\n2\n3\n"));
            mercer(&["test", "two-sample", &many, &one])
        },
        code: 1,
        words: &["points of the second sample", "expected at least 2, found 1"],
    },
    Row {
        kind: "all_equal",
        run: |folder| fit("ridge", folder, b"x,y\n3,5\n3,6\n", &[]),
        code: 1,
        words: &[
            "all points are equal",
            "lengthscale=median needs at least two distinct points",
            "give the lengthscale",
        ],
    },
    Row {
        kind: "all_zero",
        run: |folder| fit("ridge", folder, b"x,w,y\n1,0,1\n2,0,4\n", &["--weights", "w", "--lambda", "1"]),
        code: 1,
        words: &["every weight is 0", "positive weight"],
    },
    Row {
        kind: "one_class",
        run: |folder| {
            let data = b"x,w,y\n1,1,a\n2,1,a\n3,0,b\n";
            fit("logistic", folder, data, &["--kernel", "linear()", "--lambda", "1", "--weights", "w"])
        },
        code: 1,
        words: &["at least two classes", "all rows with a positive weight are of one class"],
    },
    Row {
        kind: "empty_class",
        run: |folder| {
            let data = b"x,w,y\n1,1,a\n2,1,a\n3,0,b\n4,1,c\n5,1,c\n";
            fit("svm", folder, data, &["--kernel", "linear()", "-C", "1", "--weights", "w"])
        },
        code: 1,
        words: &["class b has no rows with a positive weight"],
    },
    Row {
        kind: "value",
        run: |folder| fit("ridge", folder, b"x,y\n1,1\nNaN,3\n3,2\n", &[]),
        code: 1,
        words: &["d.csv: row 1, column x holds no value", "--missing drop, mean or zero"],
    },
    Row {
        kind: "value",
        run: |folder| fit("ridge", folder, LINE, &["--kernel", "sobolev(order=2)", "--lambda", "0.1"]),
        code: 1,
        words: &["sobolev", "row 1, column 0 holds 2: outside the domain [0, 1]", "--rescale"],
    },
    Row {
        kind: "value",
        run: |_| gram("normalized(exponential(scale=1e-3))", b"x\n1\n3\n"),
        code: 1,
        words: &["exponential", "row 0, column 0 holds 1e0", "range of the numbers", "rescale the data"],
    },
    Row {
        kind: "column",
        run: |_| mercer(&["kernel", "gram", "linear()", &example("iris.csv"), "--columns", "petal_widt"]),
        code: 1,
        words: &["--columns: there is no column `petal_widt`; did you mean `petal_width`?", "The columns are:"],
    },
    Row {
        kind: "unresolved",
        run: |_| mercer(&["kernel", "check", "on([age], tanh())"]),
        code: 1,
        words: &["no column names", "`age` is unknown", "use the number"],
    },
    Row {
        kind: "precomputed",
        run: |_| gram("precomputed() + linear()", b"a,b\n1,0\n0,1\n"),
        code: 1,
        words: &["linear() needs points, but the matrix holds kernel values"],
    },
    Row {
        kind: "wrong_points",
        run: |_| gram("spectrum(length=3)", b"a,b\n1,0\n0,1\n"),
        code: 1,
        words: &["spectrum(length=3) takes strings; the points are vectors"],
    },
    Row {
        kind: "unsupported",
        run: |_| mercer(&["embed", "fourier", &example("iris.csv"), "--kernel", "linear()", "--columns", "0-3"]),
        code: 1,
        words: &["no random Fourier features for linear()", "not shift-invariant"],
    },
    Row {
        kind: "undetermined",
        run: |folder| fit("spline", folder, b"x,y\n1,1\n2,4\n", &[]),
        code: 1,
        words: &["lambda cannot be determined", "2 distinct x", "give a value of --lambda"],
    },
    Row {
        kind: "undetermined",
        run: |_| gram("series(geometric, gaussian())", b"x\n1\n2\n"),
        code: 1,
        words: &["its argument reaches 1, and its radius of convergence is 1", "scale the kernel down"],
    },
    Row {
        kind: "overflow",
        run: |_| gram("gaussian(lengthscale=median)", b"x\n-1.7e308\n1.7e308\n"),
        code: 1,
        words: &["the median distance of the points leaves the range of the numbers", "rescale the data"],
    },
    Row {
        kind: "not_positive_definite",
        run: |folder| fit("ridge", folder, LINE, &["--kernel", "tanh(scale=1)", "--lambda", "1"]),
        code: 1,
        words: &["tanh", "positive semi-definite", "--allow-indefinite"],
    },
    Row {
        kind: "memory",
        run: |_| mercer(&["kernel", "gram", "linear()", &example("iris.csv"), "--memory", "1KB"]),
        code: 1,
        words: &["KiB", "memory limit is 1000 bytes", "--memory"],
    },
    Row {
        kind: "file",
        run: |folder| mercer(&["kernel", "gram", "linear()", &path_in(folder, "none.csv")]),
        code: 1,
        words: &["none.csv", "No such file"],
    },
    Row {
        kind: "exists",
        run: |folder| {
            let (checkpoint, model) = (file(folder, "c", b"earlier"), path_in(folder, "m.safetensors"));
            let words =
                ["--stream", "--checkpoint", &checkpoint, "-o", &model, "--kernel", "gaussian()", "--lambda", "1"];
            fit("ridge", folder, LINE, &words)
        },
        code: 1,
        words: &["there is a checkpoint in ", " already", "--resume"],
    },
    Row {
        kind: "format",
        run: |folder| mercer(&["kernel", "gram", "linear()", &file(folder, "ragged.csv", b"a,b\n1,2\n3\n")]),
        code: 1,
        words: &["ragged.csv, line 3"],
    },
    Row {
        kind: "singular",
        run: |folder| {
            let words = ["--kernel", "linear()", "--noise", "0", "--no-optimize"];
            fit("gp", folder, LINE, &words)
        },
        code: 2,
        words: &["singular to working precision", "use a larger --noise"],
    },
    Row {
        kind: "not_converged",
        run: |folder| {
            let words = ["--kernel", "gaussian(lengthscale=1e3)", "--lambda", "1e-15", "--solver", "cg"];
            fit("ridge", folder, LINE, &words)
        },
        code: 2,
        words: &["conjugate gradients did not converge: residual", "iterations (tolerance 1.0e-14)"],
    },
    Row {
        kind: "undefined",
        run: |folder| {
            let equal = b"x,y\n1,1\n1,4\n1,2\n1,3\n";
            fit("ridge", folder, equal, &["--kernel", "gaussian()", "--lambdas", "0,1e-300", "--cv", "2"])
        },
        code: 2,
        words: &["the score of every candidate of the search is not defined: try larger λ or fewer folds"],
    },
];

#[test]
fn every_kind_of_error_has_its_exit_code_and_words() {
    for row in ROWS {
        let folder = tempfile::tempdir().unwrap();
        (row.run)(&folder).fails(row.code, row.words);
    }
}

#[test]
fn no_kind_of_error_is_left_out() {
    for kind in KINDS {
        let (rows, elsewhere) =
            (ROWS.iter().any(|row| row.kind == *kind), ELSEWHERE.iter().any(|(name, _)| name == kind));
        assert!(rows != elsewhere, "{kind} needs a row, or a word on where it is tested");
    }
    assert!(ROWS.iter().map(|row| row.kind).chain(ELSEWHERE.iter().map(|row| row.0)).all(|kind| KINDS.contains(&kind)));
}
