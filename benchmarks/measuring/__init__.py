"""What the benchmarks share: how they are asked and how they answer, what they fit, and the page made from them."""
