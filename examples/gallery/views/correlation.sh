# Canonical correlation of two views, with a permutation test.
#
# Sepals and petals are two views of the same flowers: the directions in which they agree most.
DATA=${DATA:-examples/data}
mercer embed cca "$DATA/iris.csv" --x sepal_length,sepal_width --y petal_length,petal_width --permutations 99 --plot correlation.png
