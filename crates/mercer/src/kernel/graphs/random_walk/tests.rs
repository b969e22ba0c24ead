use super::super::test_support::*;
use super::*;
use crate::points::{Graph, GraphView};

fn values(rows: &Graphs, cols: Option<&Graphs>, decay: f64, series: WalkSeries) -> Vec<Vec<f64>> {
    let compute = Compute::new();
    let walk = WalkTiles::new(rows, cols, decay, series, &compute).unwrap();
    let (n, m) = (rows.len(), cols.unwrap_or(rows).len());
    let mut out = vec![0.0; n * m];
    walk.fill(&(0..n).collect::<Vec<_>>(), 0..m, &mut out);
    out.chunks(m).map(<[f64]>::to_vec).collect()
}

fn largest_decay(graphs: &Graphs) -> f64 {
    spectral_radius(graphs, &Compute::new()).unwrap().powi(2).recip()
}

#[test]
fn golden_values() {
    let graphs = golden_graphs();
    assert_values(&values(&graphs, None, 0.1, WalkSeries::Geometric), &golden("random_walk_geometric"), 1e-13);
    assert_values(&values(&graphs, None, 0.1, WalkSeries::Exponential), &golden("random_walk_exponential"), 1e-13);
}

/// The kernel by the powers of the Kronecker product with edge labels.
fn brute(graphs: &Graphs, i: usize, j: usize, decay: f64, series: WalkSeries) -> f64 {
    let (g, h) = (graphs.graph(i), graphs.graph(j));
    let m = h.vertices();
    let arcs = |g: &GraphView| -> Vec<(usize, usize, u32, f64)> {
        let arc = |v: usize, p: usize| {
            let label = g.edge_codes(v).map_or(0, |c| c[p]);
            (v, g.neighbors(v)[p] as usize, label, g.weights(v).map_or(1.0, |w| w[p]))
        };
        (0..g.vertices()).flat_map(|v| (0..g.neighbors(v).len()).map(move |p| (v, p))).map(|(v, p)| arc(v, p)).collect()
    };
    let (ours, theirs) = (arcs(&g), arcs(&h));
    let mut x = vec![1.0; g.vertices() * m];
    let mut total = x.len() as f64;
    for k in 1..6000 {
        let mut next = vec![0.0; x.len()];
        for a in &ours {
            for b in theirs.iter().filter(|b| b.2 == a.2) {
                next[a.0 * m + b.0] += series.ratio(decay, k) * a.3 * b.3 * x[a.1 * m + b.1];
            }
        }
        x = next;
        total += x.iter().sum::<f64>();
    }
    total
}

#[test]
fn brute_force() {
    for seed in 0..16 {
        let graphs = random_sample(seed, 4, seed % 2 == 1, seed % 4 >= 2, seed % 8 >= 4);
        let largest = largest_decay(&graphs).min(1.0);
        for (share, series) in
            [(0.5, WalkSeries::Geometric), (0.99, WalkSeries::Geometric), (0.8, WalkSeries::Exponential)]
        {
            let found = values(&graphs, None, share * largest, series);
            for (i, j) in pairs(4) {
                assert_close(found[i][j], brute(&graphs, i, j, share * largest, series), 1e-11);
            }
        }
    }
}

#[test]
fn eigenvalues_agree_with_walk_counts() {
    let graphs = random_sample(7, 5, false, false, true);
    let decay = 0.9 * largest_decay(&graphs);
    let spectra: Vec<_> = (0..5).map(|g| Spectrum::new(&graphs.graph(g), &Compute::new()).unwrap()).collect();
    let found = values(&graphs, None, decay, WalkSeries::Geometric);
    pairs(5).for_each(|(i, j)| assert_close(spectra[i].geometric(&spectra[j], decay), found[i][j], 1e-12));
}

#[test]
fn two_samples_and_permutations() {
    for (edge_labels, directed) in [(false, false), (true, false), (false, true), (true, true)] {
        let graphs = random_sample(11, 8, directed, edge_labels, true);
        let decay = 0.6 * largest_decay(&graphs).min(0.5);
        let whole = values(&graphs, None, decay, WalkSeries::Geometric);
        let ends = [[0, 1, 2].as_slice(), &[3, 4, 5, 6, 7]].map(|i| graphs.select(i));
        let part = values(&ends[0], Some(&ends[1]), decay, WalkSeries::Geometric);
        (0..3).for_each(|i| assert_values(&[part[i].clone()], &[whole[i][3..].to_vec()], 1e-12));
        assert_values(&values(&permuted(&graphs, 4), None, decay, WalkSeries::Geometric), &whole, 1e-12);
    }
}

#[test]
fn decays_beyond_the_radius_are_refused() {
    let star = Graph::new(10, (1..10).map(|v| (0, v)).collect());
    let graphs = Graphs::from_graphs(vec![star, Graph::default()], false).unwrap();
    let error =
        |decay: f64, series| WalkTiles::new(&graphs, None, decay, series, &Compute::new()).err().map(|e| e.to_string());
    let text = error(0.2, WalkSeries::Geometric).unwrap();
    assert_eq!(
        text,
        "decay = 0.2 is not allowed: it must be at most 0.111111 on these graphs, so that the geometric series converges"
    );
    assert!(error(0.111111, WalkSeries::Geometric).is_none());
    assert!(error(100.0, WalkSeries::Exponential).unwrap().contains("at most 66.6666 on these graphs"));
    assert!(RandomWalk::new(-1.0, WalkSeries::Exponential).is_err());
    assert!(RandomWalk::new(f64::NAN, WalkSeries::Geometric).is_err());
}

#[test]
fn small_graphs() {
    let graphs = vec![Graph::default(), Graph::new(1, vec![]), Graph::new(1, vec![(0, 0)]), Graph::new(2, vec![])];
    let graphs = Graphs::from_graphs(graphs, false).unwrap();
    let found = values(&graphs, None, 0.5, WalkSeries::Geometric);
    let expected = [[0., 0., 0., 0.], [0., 1., 1., 2.], [0., 1., 2., 2.], [0., 2., 2., 4.]].map(Vec::from);
    assert_values(&found, &expected, 1e-15);
    let exponential = values(&graphs, None, 0.5, WalkSeries::Exponential);
    assert_close(exponential[2][2], 0.5f64.exp(), 1e-15);
}

#[test]
fn threads_do_not_matter() {
    let graphs = random_sample(2, 60, false, false, true);
    check_threads(|compute| {
        let walk = WalkTiles::new(&graphs, None, 0.01, WalkSeries::Geometric, compute).unwrap();
        walk.diagonals.0
    });
}
