"""What came of watching as one HTML page that needs nothing else."""

from gristmill.watch.report.page.whole import render_page

__all__ = ["render_page"]
