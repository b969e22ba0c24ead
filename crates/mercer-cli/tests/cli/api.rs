//! Every command and flag that users and scripts rely on is called once, on small data.

use serde_json::Value;

use crate::common::{example, file, mercer, path_in};

/// A table with two columns of numbers, a target, classes and a text.
fn table() -> String {
    let rows: String = (0..48)
        .map(|i| {
            let (a, b) = ((i * 7 % 48) as f64 / 12.0, (i * 11 % 48) as f64 / 24.0);
            let (y, side) = (a.sin() + b + 0.05 * (i % 5) as f64, if a + b > 3.0 { "up" } else { "down" });
            format!("{a},{b},{y},{side},{}\n", ["gattaca", "acgtacgt", "ttgaca", "ggatcc"][i % 4])
        })
        .collect();
    format!("a,b,y,side,word\n{rows}")
}

fn words(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    // A quoted word may hold spaces.
    for (number, part) in line.split('\'').enumerate() {
        if number % 2 == 1 { found.push(part) } else { found.extend(part.split_whitespace()) }
    }
    found
}

/// Runs lines with `{data}` and other names put in; every one prints one JSON object.
fn run(lines: &[&str], places: &[(&str, &str)]) -> Vec<Value> {
    let run = |line: &&str| {
        let text = places.iter().fold((*line).to_owned(), |text, (name, value)| text.replace(name, value));
        mercer(&[&words(&text)[..], &["--json"]].concat()).json()
    };
    lines.iter().map(run).collect()
}

#[test]
fn kernels_data_and_plans() {
    let folder = tempfile::tempdir().unwrap();
    let data = file(&folder, "d.csv", table().as_bytes());
    let gram = path_in(&folder, "gram.npy");
    let lines = [
        "kernel list",
        "kernel explain gaussian()+linear()",
        "kernel check tanh()",
        "kernel check gaussian() {data} --columns a,b",
        "kernel gram gaussian() {data} --columns a,b -o {gram}",
        "kernel spectrum gaussian() {data} --columns a,b",
        "data describe {data}",
        "explain fit ridge {data} --target y --kernel gaussian() --drop side,word",
        "explain test two-sample {data} {data} --columns a,b",
        "explain embed pca {data} --columns a,b",
        "explain cluster {data} -k 2 --columns a,b",
    ];
    run(&lines, &[("{data}", &data), ("{gram}", &gram)]);
    let text = mercer(&["explain", "fit", "ridge", &data, "--target", "y", "--drop", "side,word"]).done().out;
    assert!(text.contains("memory") || text.contains("bytes"), "{text}");
}

#[test]
fn fits_and_predictions() {
    let folder = tempfile::tempdir().unwrap();
    let data = file(&folder, "d.csv", table().as_bytes());
    let (model, out) = (path_in(&folder, "m.safetensors"), path_in(&folder, "p.csv"));
    let places = [("{data}", data.as_str()), ("{model}", &model), ("{out}", &out)];
    let numbers = "--target y --drop side,word -o {model}";
    let classes = "--target side --drop y,word -o {model}";
    let fits = [
        ("auto", numbers, ""),
        ("ridge", numbers, "--kernel gaussian() --lambda 0.1 --seed 3 --threads 1 --memory 1GB --quiet"),
        ("ridge", numbers, "--kernel auto --cv loo"),
        ("ridge", numbers, "--kernel gaussian() --cv 5"),
        ("ridge", numbers, "--kernel gaussian() --lambda 0.1 --centers 10 --center-tol 1e-6 --center-iter 50"),
        ("ridge", numbers, "--kernel gaussian() --lambda 0.1 --centers 10 --held-out 0.2"),
        ("ridge", numbers, "--kernel gaussian() --budget-time 10"),
        ("ridge", numbers, "--kernel gaussian() --stream --features fourier --components 20"),
        ("gp", numbers, "--kernel 1*gaussian()"),
        ("spline", "--target y --columns a -o {model}", ""),
        ("smooth", "--target y --columns a -o {model}", ""),
        ("logistic", classes, "--kernel gaussian() --lambda 0.1"),
        ("svm", classes, "--kernel gaussian() -C 1"),
        ("svr", numbers, "--kernel gaussian() -C 1"),
        ("one-class", "--drop y,side,word -o {model}", "--kernel gaussian()"),
        ("svm", "--target side --columns word -o {model}", "--kernel spectrum(length=3) -C 1"),
        ("ridge", "--target y --drop side,a,b -o {model}", "--kernel 'on([word], spectrum(length=2))' --lambda 1"),
    ];
    for (kind, data, more) in fits {
        let found = &run(&[&format!("fit {kind} {{data}} {data} {more}")], &places)[0];
        assert!(found["kind"].is_string() || found["command"].is_string(), "{kind}: {found}");
        let predicted = run(&["predict {model} {data} -o {out}"], &places);
        assert_eq!(predicted[0]["rows"], 48, "{kind}");
        assert!(std::fs::read_to_string(&out).unwrap().starts_with("prediction"), "{kind} {more}");
    }
    let ridge = format!("fit ridge {{data}} {numbers} --kernel gaussian() --lambda 0.1");
    let lines = [
        ridge.as_str(),
        "predict {model} {data} -o {out} --interval 0.9",
        "predict {model} {data} -o {out} --interval 0.9 --conformal",
        "predict {model} {data} -o {out} --stream",
    ];
    run(&lines[..3], &places);
    assert!(std::fs::read_to_string(&out).unwrap().starts_with("prediction,lower,upper\n"));
    run(&lines[3..], &places);
    let fit = format!("fit svr {{data}} {numbers} --kernel gaussian() -C 1 --conformal");
    run(&[&fit, "predict {model} {data} -o {out} --interval 0.9 --conformal"], &places);
    assert!(std::fs::read_to_string(&out).unwrap().starts_with("prediction,lower,upper\n"));
    let fit = format!("fit logistic {{data}} {classes} --kernel gaussian() --lambda 0.1");
    run(&[&fit, "predict {model} {data} -o {out} --proba"], &places);
    assert!(std::fs::read_to_string(&out).unwrap().starts_with("prediction,proba_down,proba_up\n"));
}

#[test]
fn parts_of_a_stream() {
    let folder = tempfile::tempdir().unwrap();
    let data = file(&folder, "d.csv", table().as_bytes());
    let name = |name: &str| path_in(&folder, name);
    let (one, two, model, check) = (name("1.part"), name("2.part"), name("m.safetensors"), name("c.bin"));
    let fit = "fit ridge {data} --target y --drop side,word --kernel gaussian(lengthscale=1) --lambda 0.1 \
               --stream --features fourier --components 20 --seed 1";
    let lines = [
        format!("{fit} --part 1/2 --statistics {one}"),
        format!("{fit} --part 2/2 --statistics {two}"),
        format!("merge {one} {two} -o {model}"),
        format!("predict {model} {{data}}"),
        format!("{fit} --checkpoint {check} -o {model}"),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    run(&lines, &[("{data}", &data)]);
}

#[test]
fn hypothesis_tests() {
    let folder = tempfile::tempdir().unwrap();
    let data = file(&folder, "d.csv", table().as_bytes());
    let (january, june) = (example("sensors_january.csv"), example("sensors_june.csv"));
    let lines = [
        "test two-sample {a} {b} --permutations 19 --seed 1",
        "test two-sample {a} {b} --method betting --batch 20",
        "test independence {data} --x a --y y --permutations 19",
        "test independence {data} --x a --y y --permutations 19 --wild",
        "test conditional {data} --x a --y y --given b --permutations 19",
        "test interaction {data} --x a --y b --z y --permutations 19",
        "test fit {data} --columns a,b --against 'normal(mean=0, std=1)' --permutations 19",
    ];
    for found in run(&lines, &[("{data}", &data), ("{a}", &january), ("{b}", &june)]) {
        assert!(found["p_value"].is_number(), "{found}");
    }
}

#[test]
fn views() {
    let folder = tempfile::tempdir().unwrap();
    let data = file(&folder, "d.csv", table().as_bytes());
    let name = |name: &str| path_in(&folder, name);
    let (out, npy, model, again) = (name("o.csv"), name("o.npy"), name("m.safetensors"), name("again.csv"));
    let (plot, report) = (name("p.svg"), name("r.html"));
    let pairs: String = (0..12).map(|i| format!("w{i},{},{}\n", i * 5 % 12, i * 7 % 12)).collect();
    let pairs = file(&folder, "pairs.csv", format!("who,a,b\n{pairs}").as_bytes());
    let places = [
        ("{pairs}", pairs.as_str()),
        ("{data}", &data),
        ("{out}", &out),
        ("{npy}", &npy),
        ("{model}", &model),
        ("{again}", &again),
        ("{plot}", &plot),
        ("{report}", &report),
    ];
    let view = ["transform {model} {data} -o {again}"];
    let columns = "--columns a,b --components 2 -o {out} --model {model}";
    for line in [
        &format!("embed pca {{data}} {columns} --kernel gaussian() --novelty --plot {{plot}} --report {{report}}"),
        &format!("embed ica {{data}} {columns}"),
        &format!("embed scaling {{data}} {columns}"),
        "embed cca {data} --x a --y b --components 1 -o {out} --model {model}",
        "cluster {data} -k 2 --columns a,b -o {out} --model {model}",
        "cluster {data} -k auto --columns a,b -o {out}",
        "cluster {data} -k 2 --columns a,b --spectral -o {out} --model {model}",
    ] {
        run(&[line], &places);
        run(&view, &places);
        assert!(!std::fs::read(&again).unwrap().is_empty());
    }
    for figure in [&plot, &report] {
        assert!(std::fs::metadata(figure).unwrap().len() > 500);
    }
    run(&["cluster {data} -k 2 --columns a,b -o {out}"], &places);
    assert!(std::fs::read_to_string(&out).unwrap().starts_with("row,cluster,distance\n"));
    for line in [
        "embed fourier {data} --columns a,b --components 10 -o {npy}",
        "embed binning {data} --columns a,b --kernel laplacian(norm=l1) --components 5 -o {npy}",
        "features nystrom {data} --columns a,b --components 5 -o {npy}",
        "features features {data} --columns word --kernel spectrum(length=2) -o {out}",
        "match {pairs} {pairs} --id who --components 1 -o {out}",
    ] {
        run(&[line], &places);
    }
    assert!(std::fs::read_to_string(&out).unwrap().starts_with("row,match,distance\n"));
}

#[test]
fn other_points() {
    let folder = tempfile::tempdir().unwrap();
    let fasta = |name: &str| {
        let records: String =
            (0..8).map(|i| format!(">s{i}|{}\n{}\n", ["x", "y"][i % 2], ["ACGTACGT", "TTTTACCA"][i % 2])).collect();
        file(&folder, name, records.as_bytes())
    };
    let (one, two) = (fasta("one.fasta"), fasta("two.fasta"));
    let rows: String = (0..24).map(|i| format!("{},{},{},{}\n", i / 3, i % 5, i % 7, i / 3 % 2)).collect();
    let bags = file(&folder, "bags.csv", format!("bag,u,v,label\n{rows}").as_bytes());
    let rows: String = (0..24).map(|i| format!("{},{},{},{}\n", i / 3, i % 5, 6 + i % 7, i / 3 % 2)).collect();
    let diagrams = file(&folder, "diagrams.csv", format!("id,birth,death,label\n{rows}").as_bytes());
    let labels: String = (0..8).map(|i| format!("s{i}|{},{}\n", ["x", "y"][i % 2], ["p", "q"][i % 2])).collect();
    let labels = file(&folder, "labels.csv", format!("id,kind\n{labels}").as_bytes());
    let graphs = folder.path().join("TWO");
    std::fs::create_dir(&graphs).unwrap();
    let put = |name: &str, text: String| std::fs::write(graphs.join(name), text).unwrap();
    put("TWO_A.txt", (0..8).map(|g| format!("{}, {}\n{}, {}\n", 2 * g + 1, 2 * g + 2, 2 * g + 2, 2 * g + 1)).collect());
    put("TWO_graph_indicator.txt", (0..16).map(|v| format!("{}\n", v / 2 + 1)).collect());
    put("TWO_graph_labels.txt", (0..8).map(|g| format!("{}\n", g % 2)).collect());
    put("TWO_node_labels.txt", (0..16).map(|v| format!("{}\n", v / 2 % 2)).collect());
    let model = path_in(&folder, "m.safetensors");
    let places = [
        ("{one}", one.as_str()),
        ("{two}", &two),
        ("{bags}", &bags),
        ("{diagrams}", &diagrams),
        ("{labels}", &labels),
        ("{graphs}", graphs.to_str().unwrap()),
        ("{model}", &model),
    ];
    let lines = [
        "test two-sample {one} {two} --kernel spectrum(length=3) --permutations 19",
        "fit svm {one} --target label --kernel spectrum(length=3) -C 1 -o {model}",
        "fit svm {one} --format fasta --labels {labels} --target kind --kernel spectrum(length=3) -C 1 -o {model}",
        "fit svm {graphs} --kernel weisfeiler_lehman(depth=2) -C 1 -o {model}",
        "predict {model} {graphs}",
        "fit svm {bags} --bag bag --target label --kernel mean_embedding(gaussian()) -C 1 -o {model}",
        "fit svm {diagrams} --bag id --target label --kernel persistence(scale=1) -C 1 -o {model}",
    ];
    run(&lines, &places);
}
