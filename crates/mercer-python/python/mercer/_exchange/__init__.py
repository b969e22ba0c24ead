"""Models from and to other libraries: scikit-learn, ONNX, LIBSVM."""
