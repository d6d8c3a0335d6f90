---- MODULE GraphViz ----
\* Pictures of graphs; evaluators supply the operator.

\* The text in the DOT language of the directed graph G, with VL and EL the labels of nodes and edges.
DotDiGraph(G, VL(_), EL(_)) == CHOOSE text \in STRING : TRUE
====
