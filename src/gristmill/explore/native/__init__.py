"""The search on integers: handlers are run in Python once for each distinct input, the product is explored in C."""
