//! Kernels on the rows of tables with columns of any kind.

use mercer::gram::{self, Pairs};
use mercer::learn::{Ridge, svm};
use mercer::points::{Bags, Mixed, PointKind, Strings};
use mercer::{Compute, Kernel, Sample};
use ndarray::{Array2, array};

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

fn rows() -> Mixed {
    let review: Strings = ["good book", "bad book", "a good film", ""].into_iter().collect();
    let size = [array![[1.0], [2.0]], array![[1.5]], array![[0.0], [3.0]], array![[4.0]]];
    let size = Bags::new(&size.iter().map(|bag| bag.view()).collect::<Vec<_>>()).unwrap();
    let numbers = array![[1.0, 10.0], [2.0, 20.0], [3.0, 15.0], [4.0, 12.0]];
    let names = vec!["price".into(), "pages".into()];
    Mixed::new(numbers, names, vec![("review".into(), review.into()), ("sizes".into(), size.into())]).unwrap()
}

fn dense(text: &str, rows: &Mixed) -> Array2<f64> {
    let compute = Compute::new();
    gram::dense(&kernel(text).bind(Pairs::Within(rows.into()), &compute).unwrap(), &compute).unwrap()
}

/// Every part alone, then put together by hand.
#[test]
fn products_of_columns_are_products_of_their_matrices() {
    let (all, compute) = (rows(), Compute::new());
    let part = |text: &str, points: mercer::Points<'_>| {
        gram::dense(&kernel(text).bind(Pairs::Within(points), &compute).unwrap(), &compute).unwrap()
    };
    let text = part("normalized(spectrum(length=2))", all.object("review").unwrap());
    let bags = part("mean_embedding(gaussian())", all.object("sizes").unwrap());
    let price = part("gaussian(lengthscale=2)", array![[1.0], [2.0], [3.0], [4.0]].view().into());
    let expected = &text * &price * 2.0 + &bags;
    let whole = "2*on([review], normalized(spectrum(length=2)))*on([price], gaussian(lengthscale=2)) \
                 + on([sizes], mean_embedding(gaussian()))";
    assert_close!(dense(whole, &all).as_slice().unwrap(), expected.as_slice().unwrap(), each = 1e-14);
    let normalized = dense("normalized(on([review], spectrum(length=2)) * on([price], linear()))", &all);
    for i in 0..3 {
        assert_close!(normalized[[i, i]], 1.0, abs = 1e-15);
    }
    // The empty string has no features.
    assert_eq!(normalized[[3, 3]], 0.0);
    let equal = dense("on([review], delta()) + on([price, pages], linear())", &all);
    assert_eq!((equal[[0, 0]], equal[[0, 1]]), (1.0 + 101.0, 202.0));
    // Without a choice of columns a kernel on vectors takes the numbers.
    let distances = dense("on([review], delta()) + sqdist()", &all);
    assert_eq!(distances[[0, 1]], 1.0 + 100.0);
}

#[test]
fn medians_are_those_of_the_column() {
    let (all, compute) = (rows(), Compute::new());
    let k = kernel("on([review], delta()) * on([price], gaussian(lengthscale=median))");
    assert_eq!(k.point_kind(), Some(PointKind::Vectors));
    let resolved = k.bind(Pairs::Within((&all).into()), &compute).unwrap().kernel().to_string();
    assert_eq!(resolved, "on([review], delta()) * on([0], gaussian(lengthscale=1.5))");
}

#[test]
fn kernels_of_another_kind_are_refused_with_the_column() {
    let (all, compute) = (rows(), Compute::new());
    let refusal =
        |text: &str| kernel(text).bind(Pairs::Within((&all).into()), &compute).map(|_| ()).unwrap_err().to_string();
    let expected = "spectrum(length=3) takes strings; column `price` holds numbers";
    assert_eq!(refusal("on([price], spectrum(length=3))"), expected);
    let expected = "gaussian(lengthscale=1) takes vectors; column `review` holds strings";
    assert_eq!(refusal("on([review], gaussian())"), expected);
    let expected = "spectrum(length=3) takes strings; column `sizes` holds bags";
    assert_eq!(refusal("on([sizes], spectrum(length=3))"), expected);
    assert_eq!(refusal("spectrum(length=3)"), "spectrum(length=3) takes strings; the points are rows of a table");
    assert!(refusal("on([stars], linear())").contains("stars"));
    // What acts on the points themselves takes the numbers alone.
    assert!(refusal("conformal(on([review], delta()), by=norm())").contains("review"));
    assert!(refusal("based(on([review], delta()), at=[0, 0])").contains("review"));
    dense("conformal(on([price], linear()), by=norm()) + on([review], delta())", &all);
}

#[test]
fn learners_take_tables_and_new_rows_are_matched() {
    let (all, compute) = (rows(), Compute::new());
    let k = kernel("on([review], normalized(spectrum(length=2))) + on([price], linear())");
    let y = array![[1.0], [2.0], [3.0], [4.0]];
    let fit = Ridge::new(k.clone(), 1e-3).fit(&all, y.view(), None, &compute).unwrap();
    let fitted = fit.predict(&all, &compute).unwrap();
    assert_close!(fitted.as_slice().unwrap(), y.as_slice().unwrap(), each = 0.05);
    let one = Sample::from(all.clone()).taken(&[2]);
    assert_close!(fit.predict(&one, &compute).unwrap()[[0, 0]], fitted[[2, 0]], abs = 1e-12);
    let classes = svm::Classes::from_indices(vec![0, 1, 0, 1], vec!["a".into(), "b".into()]).unwrap();
    let svc = svm::Svc::new(k, 100.0).fit(&all, &classes, None, &compute).unwrap();
    assert_eq!(svc.predict(&all, &compute).unwrap(), [0, 1, 0, 1]);
    let other = Mixed::new(array![[1.0]], vec!["price".into()], Vec::new()).unwrap();
    assert!(fit.predict(&other, &compute).unwrap_err().to_string().contains("different columns"));
}

#[test]
fn samples_of_every_kind_come_back_from_bytes() {
    let diagrams = mercer::points::Diagrams::new(&[array![[0.0, 1.0]].view(), Array2::zeros((0, 2)).view()], None);
    let weighted = Bags::new(&[array![[1.0], [2.0]].view()]).unwrap().with_weights(vec![1.0, 3.0]).unwrap();
    let samples: [Sample; 5] = [
        array![[1.0, 2.0]].into(),
        ["", "Zoë 🦉", "b"].into_iter().collect::<Strings>().into(),
        weighted.into(),
        diagrams.unwrap().into(),
        rows().into(),
    ];
    for sample in samples {
        let bytes = sample.to_bytes();
        assert_eq!(Sample::from_bytes(&bytes).unwrap(), sample);
        for length in 0..bytes.len() {
            assert!(Sample::from_bytes(&bytes[..length]).is_err(), "cut to {length} bytes");
        }
    }
}

#[test]
fn tables_that_cannot_be_are_refused() {
    let text: Sample = ["a"].into_iter().collect::<Strings>().into();
    let numbers = || array![[1.0], [2.0]];
    let name = || vec!["x".to_string()];
    assert!(Mixed::new(numbers(), name(), vec![("t".into(), text.clone())]).is_err());
    assert!(Mixed::new(array![[1.0]], name(), vec![("x".into(), text.clone())]).is_err());
    assert!(Mixed::new(numbers(), Vec::new(), Vec::new()).is_err());
    assert!(Mixed::new(array![[f64::NAN]], name(), Vec::new()).is_err());
    let inner = Mixed::new(array![[1.0]], name(), Vec::new()).unwrap();
    assert!(Mixed::new(array![[1.0]], name(), vec![("t".into(), inner.into())]).is_err());
}
