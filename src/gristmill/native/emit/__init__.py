"""From the intermediate representation to C text; `generate` is where to begin reading."""
