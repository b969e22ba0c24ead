# Is a sample from this density?
#
# A kernel Stein test of sepal widths against a normal distribution: it needs the density only up to its constant.
DATA=${DATA:-examples/data}
mercer test fit "$DATA/iris.csv" --columns sepal_width --against "normal(mean=3, std=0.44)" --plot fit.png
