"""TLA+ as text and as a tree: lexer, operator table, parser, printer."""
