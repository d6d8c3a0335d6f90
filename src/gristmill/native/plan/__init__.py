"""What is decided about a model before C is written: layout of states, effects, strictness, effort."""
