"""What is decided about a model before C is written: layout of states, values of constants, effects, effort."""
