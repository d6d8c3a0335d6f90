---- MODULE UndirectedGraphs ----
\* Undirected graphs: records of a set node of nodes and a set edge of edges {m, n}.
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSets

LOCAL HasFields(G) == G = [edge |-> G.edge, node |-> G.node]

\* G is an undirected graph.
IsUndirectedGraph(G) == HasFields(G) /\ \A e \in G.edge : \E m, n \in G.node : e = {m, n}

\* The same without edges from a node to itself.
IsLoopFreeUndirectedGraph(G) ==
    HasFields(G) /\ \A e \in G.edge : \E m, n \in G.node : e = {m, n} /\ m # n

\* The graphs with some of the nodes and edges of G.
UndirectedSubgraph(G) ==
    {H \in [edge : SUBSET G.edge, node : SUBSET G.node] : IsUndirectedGraph(H)}

\* The nodes that an edge joins with m.
LOCAL Neighbours(G, m) == {n \in G.node : {m, n} \in G.edge}

\* Edges of G join each element of p with the next.
LOCAL Follows(p, G) == \A i \in 2..Len(p) : {p[i - 1], p[i]} \in G.edge

\* The non-empty sequences of nodes that follow edges.
Path(G) == {p \in Seq(G.node) : Len(p) > 0 /\ Follows(p, G)}

\* The paths that visit no node twice: those of one node, and longer ones by one step to a new node.
SimplePath(G) ==
    LET lengths == IF IsFiniteSet(G.node) THEN 1..Cardinality(G.node) ELSE Nat \ {0}
        visited(p) == {p[i] : i \in 1..Len(p)}
        paths[n \in Nat \ {0}] ==
            IF n = 1 THEN {<<m>> : m \in G.node}
            ELSE UNION {{Append(p, m) : m \in Neighbours(G, p[n - 1]) \ visited(p)} : p \in paths[n - 1]}
    IN UNION {paths[n] : n \in lengths}

\* The nodes of a finite G that can be reached from n in any number of steps.
LOCAL Reached(G, n) ==
    LET within[k \in Nat] ==
            IF k = 0 THEN {n} \cap G.node
            ELSE LET near == within[k - 1]
                 IN near \cup UNION {Neighbours(G, m) : m \in near}
    IN within[Cardinality(G.node)]

\* A path leads from m to n.
AreConnectedIn(m, n, G) ==
    IF IsFiniteSet(G.node) THEN n \in Reached(G, m)
    ELSE \E p \in Path(G) : p[1] = m /\ p[Len(p)] = n

\* The largest sets of nodes that are connected with each other.
ConnectedComponents(G) == {{n \in G.node : AreConnectedIn(m, n, G)} : m \in G.node}

\* All nodes, of which there is one at least, are connected with each other.
IsStronglyConnected(G) == ConnectedComponents(G) = {G.node}

\* All undirected graphs with the nodes S.
UndirectedGraphs(S) == [node : {S}, edge : SUBSET {{m, n} : m, n \in S}]
====
