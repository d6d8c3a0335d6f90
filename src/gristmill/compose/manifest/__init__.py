"""Reading a manifest: TOML with places, so that every mistake in it is shown where it is."""
