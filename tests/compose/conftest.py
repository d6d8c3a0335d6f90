"""Pages of documentation are run here as those of the book are."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "book"))
