"""Is each coarse grain a fair stand-in for its module, and what follows for the whole system?"""
