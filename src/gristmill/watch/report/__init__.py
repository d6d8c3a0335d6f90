"""What came of watching, for people and for tools; and the monitor that was derived."""
