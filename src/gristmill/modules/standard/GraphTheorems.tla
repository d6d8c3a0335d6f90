---- MODULE GraphTheorems ----
\* Facts about directed graphs and trees.
EXTENDS Graphs, Sequences

\* Turning the edges round gives a graph.
THEOREM TransposeIsDirectedGraph ==
    ASSUME NEW K, IsDirectedGraph(K)
    PROVE IsDirectedGraph(Transpose(K))

\* Twice gives the same graph.
THEOREM TransposeTranspose ==
    ASSUME NEW K, IsDirectedGraph(K)
    PROVE Transpose(Transpose(K)) = K

\* Paths go backwards in the transposed graph.
THEOREM PathTranspose ==
    ASSUME NEW K, NEW w \in Path(K)
    PROVE Reverse(w) \in Path(Transpose(K))
THEOREM TransposePath ==
    ASSUME NEW K, IsDirectedGraph(K), NEW w \in Path(Transpose(K))
    PROVE Reverse(w) \in Path(K)

\* So do simple paths.
THEOREM SimplePathTranspose ==
    ASSUME NEW K, NEW w \in SimplePath(K)
    PROVE Reverse(w) \in SimplePath(Transpose(K))
THEOREM TransposeSimplePath ==
    ASSUME NEW K, IsDirectedGraph(K), NEW w \in SimplePath(Transpose(K))
    PROVE Reverse(w) \in SimplePath(K)

\* So does being connected.
THEOREM AreConnectedInTranspose ==
    ASSUME NEW K, NEW a, NEW b, AreConnectedIn(a, b, K)
    PROVE AreConnectedIn(b, a, Transpose(K))
THEOREM TransposeAreConnectedIn ==
    ASSUME NEW K, NEW a, NEW b, IsDirectedGraph(K), AreConnectedIn(a, b, Transpose(K))
    PROVE AreConnectedIn(b, a, K)

\* The transposed graph is strongly connected if the graph is, and conversely.
THEOREM IsStronglyConnectedTranspose ==
    ASSUME NEW K, IsStronglyConnected(K)
    PROVE IsStronglyConnected(Transpose(K))
THEOREM TransposeIsStronglyConnected ==
    ASSUME NEW K, IsDirectedGraph(K), IsStronglyConnected(Transpose(K))
    PROVE IsStronglyConnected(K)

\* A path that begins where another ends continues it.
THEOREM PathConcatenation ==
    ASSUME NEW K, NEW w \in Path(K), NEW v \in Path(K), w[Len(w)] = v[1]
    PROVE w \o Tail(v) \in Path(K)

\* A part of a path is a path.
THEOREM SubPath ==
    ASSUME NEW K, NEW w \in Path(K), NEW i \in 1..Len(w), NEW j \in i..Len(w)
    PROVE SubSeq(w, i, j) \in Path(K)

\* Where a path leads, a simple path does.
THEOREM ExistsPathIffExistsSimplePath ==
    ASSUME NEW K, NEW a \in K.node, NEW b \in K.node
    PROVE (\E w \in Path(K) : w[1] = a /\ w[Len(w)] = b)
          <=> (\E w \in SimplePath(K) : w[1] = a /\ w[Len(w)] = b)

\* Being connected is reflexive and transitive.
THEOREM ConnectedReflexive ==
    ASSUME NEW K, NEW a \in K.node
    PROVE AreConnectedIn(a, a, K)
THEOREM ConnectedTransitive ==
    ASSUME NEW K, NEW a \in K.node, NEW b \in K.node, NEW c \in K.node,
           AreConnectedIn(a, b, K), AreConnectedIn(b, c, K)
    PROVE AreConnectedIn(a, c, K)

\* From some node of any set of nodes of a tree no edge leads into the set.
THEOREM TreeAcyclic ==
    ASSUME NEW K, NEW top, IsTreeWithRoot(K, top), NEW N \in SUBSET K.node, N # {}
    PROVE \E a \in N : \A d \in K.edge : d[1] = a => d[2] \notin N

\* A tree has no edge from a node to itself.
THEOREM TreeIrreflexive ==
    ASSUME NEW K, NEW top, IsTreeWithRoot(K, top), NEW a \in K.node
    PROVE <<a, a>> \notin K.edge

\* The paths of a tree are simple.
THEOREM TreeSimplePath ==
    ASSUME NEW K, NEW top, IsTreeWithRoot(K, top), NEW w \in Path(K)
    PROVE w \in SimplePath(K)

\* Different nodes of a tree are not connected both ways.
THEOREM TreeConnectedAntisymmetric ==
    ASSUME NEW K, NEW top, IsTreeWithRoot(K, top), NEW a \in K.node, NEW b \in K.node,
           AreConnectedIn(a, b, K), AreConnectedIn(b, a, K)
    PROVE a = b

\* A single node is a tree.
THEOREM SingletonIsTreeWithRoot ==
    ASSUME NEW top
    PROVE IsTreeWithRoot([node |-> {top}, edge |-> {}], top)

\* A tree hung on a node of another makes a tree.
THEOREM AttachTree ==
    ASSUME NEW K, NEW top, IsTreeWithRoot(K, top), NEW a \in K.node,
           NEW M, NEW sub, IsTreeWithRoot(M, sub), K.node \cap M.node = {}
    PROVE IsTreeWithRoot([node |-> K.node \cup M.node,
                          edge |-> K.edge \cup M.edge \cup {<<sub, a>>}], top)

\* So does a leaf.
THEOREM AddLeafToTree ==
    ASSUME NEW K, NEW top, NEW new, NEW above,
           IsTreeWithRoot(K, top), new \notin K.node, above \in K.node
    PROVE IsTreeWithRoot([node |-> K.node \cup {new}, edge |-> K.edge \cup {<<new, above>>}], top)

\* Taking away a node with all below it leaves a tree.
THEOREM RemoveSubtree ==
    ASSUME NEW K, NEW top, IsTreeWithRoot(K, top), NEW a \in K.node \ {top}
    PROVE LET Below == {b \in K.node : AreConnectedIn(b, a, K)}
              Rest == K.node \ Below
              Edges == K.edge \cap (Rest \X Rest)
          IN IsTreeWithRoot([node |-> Rest, edge |-> Edges], top)

\* So does taking away a leaf.
THEOREM RemoveLeafFromTree ==
    ASSUME NEW K, NEW top, IsTreeWithRoot(K, top),
           NEW old \in K.node, Predecessors(K, old) = {},
           NEW above \in K.node, <<old, above>> \in K.edge
    PROVE IsTreeWithRoot([node |-> K.node \ {old}, edge |-> K.edge \ {<<old, above>>}], top)

\* The same facts for trees whose edges lead away from the root.
THEOREM SingletonIsTransposedTreeWithRoot ==
    ASSUME NEW top
    PROVE IsTreeWithRoot(Transpose([node |-> {top}, edge |-> {}]), top)
THEOREM AttachTransposedTree ==
    ASSUME NEW K, NEW top, IsDirectedGraph(K), IsTreeWithRoot(Transpose(K), top),
           NEW M, NEW sub, IsDirectedGraph(M), IsTreeWithRoot(Transpose(M), sub),
           K.node \cap M.node = {}, NEW a \in K.node
    PROVE IsTreeWithRoot(Transpose([node |-> K.node \cup M.node,
                                    edge |-> K.edge \cup M.edge \cup {<<a, sub>>}]), top)
THEOREM AddLeafToTransposedTree ==
    ASSUME NEW K, NEW top, NEW new, NEW above,
           IsDirectedGraph(K), IsTreeWithRoot(Transpose(K), top), new \notin K.node, above \in K.node
    PROVE IsTreeWithRoot(Transpose([node |-> K.node \cup {new},
                                    edge |-> K.edge \cup {<<above, new>>}]), top)
THEOREM RemoveTransposedSubtree ==
    ASSUME NEW K, NEW top, IsDirectedGraph(K), IsTreeWithRoot(Transpose(K), top),
           NEW a \in K.node \ {top}
    PROVE LET Below == {b \in K.node : AreConnectedIn(a, b, K)}
              Rest == K.node \ Below
              Edges == K.edge \cap (Rest \X Rest)
          IN IsTreeWithRoot(Transpose([node |-> Rest, edge |-> Edges]), top)
THEOREM RemoveLeafFromTransposedTree ==
    ASSUME NEW K, IsDirectedGraph(K), NEW top, IsTreeWithRoot(Transpose(K), top),
           NEW old \in K.node, Successors(K, old) = {},
           NEW above \in K.node, <<above, old>> \in K.edge
    PROVE IsTreeWithRoot(Transpose([node |-> K.node \ {old},
                                    edge |-> K.edge \ {<<above, old>>}]), top)
====
