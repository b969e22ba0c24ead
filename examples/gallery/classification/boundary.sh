# Decision regions of a support vector classifier.
#
# Rings are support vectors. The model file predicts on the command line, in Python and in Rust.
DATA=${DATA:-examples/data}
mercer fit svm "$DATA/iris.csv" --target species --columns petal_length,petal_width --kernel "gaussian(lengthscale=1)" \
    -C 10 --plot boundary.png -o model.safetensors
mercer predict model.safetensors "$DATA/iris.csv" -o predictions.csv
