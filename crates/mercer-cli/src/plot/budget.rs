//! How much of a picture is drawn: beyond a number of points some of them stand for all, and a line
//! below the picture gives both numbers.

use super::{Curve, Figure};
use crate::numbers::grouped;

/// Points of a line. On paper of 720 units more of them lie on top of each other.
const VERTICES: usize = 1500;
/// Curves of a plot; colors and shapes tell fewer apart.
const CURVES: usize = 24;
/// Dots that a rare class keeps.
const FEWEST: usize = 25;

/// A figure with the line below it; no line if everything is drawn.
pub struct Sheet {
    pub figure: Figure,
    pub note: String,
}

/// Figures with at most about so many points between them: those with few keep all of theirs.
pub fn sheets(figures: &[Figure], points: usize) -> Vec<Sheet> {
    let counts: Vec<usize> = figures.iter().map(count).collect();
    let most = water_level(&counts, points);
    figures.iter().map(|figure| thinned(figure.clone(), most)).collect()
}

/// The points that are drawn one by one.
fn count(figure: &Figure) -> usize {
    match figure {
        Figure::Heat(_) | Figure::Tiles(_) => 0,
        Figure::Regions(plot) => plot.points.len(),
        Figure::Curves(plots) => {
            plots.iter().flat_map(|plot| &plot.curves).filter(|c| c.mark.is_dots()).map(|c| c.points.len()).sum()
        }
    }
}

/// The largest `c` with `Σ min(nᵢ, c) ≤ budget`.
fn water_level(counts: &[usize], budget: usize) -> usize {
    let mut sorted = counts.to_vec();
    sorted.sort_unstable();
    let mut left = budget;
    for (i, &n) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - i);
        if n > share {
            return share;
        }
        left -= n;
    }
    usize::MAX
}

fn thinned(mut figure: Figure, most: usize) -> Sheet {
    let found = count(&figure);
    let mut notes = Vec::new();
    let (mut shown, mut all) = (0, 0);
    match &mut figure {
        Figure::Heat(_) | Figure::Tiles(_) => {}
        Figure::Regions(plot) => {
            plot.points = spaced(&plot.points, most);
            (shown, all) = (plot.points.len(), plot.rows);
        }
        Figure::Curves(plots) => {
            let wide = plots.iter().map(|plot| plot.curves.len()).max().unwrap_or(0);
            if wide > CURVES {
                notes.push(format!("the first {CURVES} of {} curves", grouped(wide as u64)));
                plots.iter_mut().for_each(|plot| plot.curves.truncate(CURVES));
            }
            for curve in plots.iter_mut().flat_map(|plot| &mut plot.curves) {
                let (of_shown, of_all) = thin_curve(curve, found, most);
                (shown, all) = (shown + of_shown, all + of_all);
            }
        }
    }
    if shown < all {
        notes.push(format!("{} of {} points", grouped(shown as u64), grouped(all as u64)));
    }
    let note = if notes.is_empty() { String::new() } else { format!("Drawn: {}", notes.join(", ")) };
    Sheet { figure, note }
}

/// Thins a curve of a figure with so many dots; how many of its dots are left, and of how many.
fn thin_curve(curve: &mut Curve, found: usize, most: usize) -> (usize, usize) {
    use super::Mark;
    let n = curve.points.len();
    let all = match curve.mark {
        Mark::Dots | Mark::OwnDots => n,
        Mark::DotsOf(all) => all,
        Mark::Line | Mark::Reference => {
            curve.points = spaced(&curve.points, VERTICES);
            return (0, 0);
        }
        Mark::Band | Mark::Bars | Mark::Segments | Mark::Text => return (0, 0),
    };
    if found > most {
        let share = (n as u128 * most as u128).div_ceil(found.max(1) as u128) as usize;
        curve.points = spaced(&curve.points, share.max(FEWEST));
    }
    (curve.points.len(), all)
}

/// At most so many of the points, evenly spaced, with the first and the last.
fn spaced<T: Clone>(points: &[T], most: usize) -> Vec<T> {
    let n = points.len();
    if n <= most {
        return points.to_vec();
    }
    let last = most.max(2) - 1;
    (0..=last).map(|i| points[i * (n - 1) / last].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{CurvePlot, Mark};
    use super::*;

    fn cloud(n: usize, mark: Mark) -> Curve {
        Curve { label: String::new(), points: (0..n).map(|i| (i as f64, 1.0)).collect(), mark }
    }

    fn figure(curves: Vec<Curve>) -> Figure {
        Figure::Curves(vec![CurvePlot { title: String::new(), x: String::new(), y: String::new(), curves }])
    }

    #[test]
    fn small_figures_keep_their_points_and_large_ones_say_how_many_are_shown() {
        assert_eq!(water_level(&[10, 1000, 2000], 1010), 500);
        assert_eq!(water_level(&[10, 20], 30), usize::MAX);
        let figures = [
            figure(vec![cloud(10, Mark::Dots)]),
            figure(vec![cloud(90_000, Mark::Dots), cloud(40, Mark::Dots), cloud(5000, Mark::Line)]),
            figure(vec![cloud(300, Mark::DotsOf(70_000))]),
            figure((0..100).map(|_| cloud(2, Mark::Line)).collect()),
        ];
        let sheets = sheets(&figures, 1310);
        assert_eq!(sheets[0].note, "");
        assert_eq!(sheets[1].note, "Drawn: 1 025 of 90 040 points");
        assert_eq!(sheets[2].note, "Drawn: 300 of 70 000 points");
        assert_eq!(sheets[3].note, "Drawn: the first 24 of 100 curves");
        let Figure::Curves(plots) = &sheets[1].figure else { panic!("curves") };
        let first = &plots[0].curves[0].points;
        assert_eq!((first[0].0, first[first.len() - 1].0), (0.0, 89_999.0));
        assert_eq!(plots[0].curves[2].points.len(), VERTICES);
    }
}
