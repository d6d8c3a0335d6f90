"""What can be told of handlers from their source: which fields matter, which handlers interfere."""
