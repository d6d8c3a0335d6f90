"""What HTML reports share: one page that needs nothing else, pieces of it, sequence charts, long values cut to fit."""
