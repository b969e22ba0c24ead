# The Gram matrix of a table, as a picture.
#
# One command: the kernel values of all pairs of 150 irises. The three species are three blocks on the diagonal.
DATA=${DATA:-examples/data}
mercer kernel gram "gaussian(lengthscale=median)" "$DATA/iris.csv" --columns 0-3 --plot gram.png
