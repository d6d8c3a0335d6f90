"""A search that several machines share, over Ray. Nothing here imports Ray unless a run asks for it."""
