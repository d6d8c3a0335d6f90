"""The search core in C, and how Python calls it (`search`)."""
