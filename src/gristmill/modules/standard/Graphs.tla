---- MODULE Graphs ----
\* Directed graphs: records of a set node of nodes and a set edge of pairs of nodes.
EXTENDS Naturals, Sequences, FiniteSets, SequencesExt, Relation

\* G is a directed graph.
IsDirectedGraph(G) ==
    /\ G = [edge |-> G.edge, node |-> G.node]
    /\ \A e \in G.edge : e \in G.node \X G.node

\* The graphs with some of the nodes and edges of G.
DirectedSubgraph(G) ==
    {H \in [node : SUBSET G.node, edge : SUBSET (G.edge \cap (G.node \X G.node))] : IsDirectedGraph(H)}

\* G with its edges turned round.
Transpose(G) == [node |-> G.node, edge |-> {<<e[2], e[1]>> : e \in G.edge}]

\* G is a directed graph with every edge in both directions.
IsUndirectedGraph(G) == IsDirectedGraph(G) /\ \A e \in G.edge : <<e[2], e[1]>> \in G.edge

\* The subgraphs of G that are undirected.
UndirectedSubgraph(G) == {H \in DirectedSubgraph(G) : IsUndirectedGraph(H)}

\* The nodes to which an edge leads from n, or from an element of S.
Successors(G, n) == {m \in G.node : <<n, m>> \in G.edge}
AllSuccessors(G, S) == {m \in G.node : \E n \in S : <<n, m>> \in G.edge}

\* The nodes from which an edge leads to n, or to an element of S.
Predecessors(G, n) == {m \in G.node : <<m, n>> \in G.edge}
AllPredecessors(G, S) == {m \in G.node : \E n \in S : <<m, n>> \in G.edge}

\* An edge of G leads from each element of p to the next.
LOCAL Follows(p, G) == \A i \in 2..Len(p) : <<p[i - 1], p[i]>> \in G.edge

\* The non-empty sequences of nodes that follow edges.
Path(G) == {p \in Seq(G.node) : Len(p) > 0 /\ Follows(p, G)}

\* The paths that visit no node twice: those of one node, and longer ones by one step to a new node.
SimplePath(G) ==
    LET lengths == IF IsFiniteSet(G.node) THEN 1..Cardinality(G.node) ELSE Nat \ {0}
        visited(p) == {p[i] : i \in 1..Len(p)}
        paths[n \in Nat \ {0}] ==
            IF n = 1 THEN {<<m>> : m \in G.node}
            ELSE UNION {{Append(p, m) : m \in Successors(G, p[n - 1]) \ visited(p)} : p \in paths[n - 1]}
    IN UNION {paths[n] : n \in lengths}

\* The nodes of a finite G that can be reached from those in S in any number of steps.
LOCAL Reached(G, S) ==
    LET within[k \in Nat] ==
            IF k = 0 THEN S \cap G.node
            ELSE LET near == within[k - 1]
                 IN near \cup AllSuccessors(G, near)
    IN within[Cardinality(G.node)]

\* A path leads from m to n.
AreConnectedIn(m, n, G) ==
    IF IsFiniteSet(G.node) THEN n \in Reached(G, {m})
    ELSE \E p \in Path(G) : p[1] = m /\ p[Len(p)] = n

\* Paths lead from every node to every node.
IsStronglyConnected(G) == \A m, n \in G.node : AreConnectedIn(m, n, G)

\* The function on pairs of nodes of a finite G that says whether a path leads from the first to the second.
ConnectionsIn(G) ==
    LET reached == [m \in G.node |-> Reached(G, {m})]
    IN [m, n \in G.node |-> n \in reached[m]]

\* G is a tree whose edges lead to the root r.
IsTreeWithRoot(G, r) ==
    /\ IsDirectedGraph(G)
    /\ r \in G.node
    /\ \A e \in G.edge : e[1] # r
    /\ \A e, f \in G.edge : e[1] = f[1] => e = f
    /\ \A n \in G.node : AreConnectedIn(n, r, G)

\* The nodes and edges of both graphs.
GraphUnion(G, H) == [node |-> G.node \cup H.node, edge |-> G.edge \cup H.edge]

\* The disjoint sets U and V cover the nodes of G, and each edge leads from one to the other.
IsBipartiteWithPartitions(G, U, V) ==
    /\ U \cap V = {}
    /\ G.node \subseteq U \cup V
    /\ \A e \in G.edge : <<e[1], e[2]>> \in (U \X V) \cup (V \X U)

\* The nodes that can be reached from n in one or more steps.
Descendants(G, n) == {m \in G.node : \E s \in Successors(G, n) : AreConnectedIn(s, m, G)}

\* The nodes from which n can be reached in one or more steps.
Ancestors(G, n) == {m \in G.node : \E p \in Predecessors(G, n) : AreConnectedIn(m, p, G)}

\* Some node can be reached from itself in one or more steps.
HasCycle(G) == \E n \in G.node : n \in Descendants(G, n)

\* G is a directed graph without cycles.
IsDag(G) == IsDirectedGraph(G) /\ ~HasCycle(G)

\* The numbers of edges to n and from n.
InDegree(G, n) == Cardinality(Predecessors(G, n))
OutDegree(G, n) == Cardinality(Successors(G, n))

\* The nodes to which no edge leads, and those from which none does.
Roots(G) == {n \in G.node : \A m \in G.node : <<m, n>> \notin G.edge}
Leaves(G) == {n \in G.node : \A m \in G.node : <<n, m>> \notin G.edge}

\* The graph without nodes.
EmptyGraph == [node |-> {}, edge |-> {}]

\* All directed graphs with the nodes S.
Graphs(S) == [node : {S}, edge : SUBSET (S \X S)]
====
