"""The state graph of a model: its edges with actions and parameters, where to draw them, and the drawing."""
