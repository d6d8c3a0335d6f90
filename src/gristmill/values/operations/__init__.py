"""Operations on values: one file a subject, as the modules of TLA+ have them."""
