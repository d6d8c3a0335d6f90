"""From a system and a mix of grains to the text of one specification."""
