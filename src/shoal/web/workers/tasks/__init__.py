"""Tasks of a worker, one module each with ``run(params, context)``: plain data in, plain data out."""
