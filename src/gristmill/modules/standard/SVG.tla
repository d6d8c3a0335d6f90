---- MODULE SVG ----
\* Pictures: records that describe the elements of an SVG document, with their attributes as strings.
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE Integers
LOCAL INSTANCE TLC
LOCAL INSTANCE FiniteSets

\* An element of that name.
SVGElem(_name, _attrs, _children, _innerText) ==
    [name |-> _name, attrs |-> _attrs, children |-> _children, innerText |-> _innerText]

\* An element without children, whose own attributes come before those given.
LOCAL Shape(name, own, attrs, text) == SVGElem(name, own @@ attrs, << >>, text)

\* A line between two points.
Line(x1, y1, x2, y2, attrs) ==
    Shape("line",
          [x1 |-> ToString(x1), y1 |-> ToString(y1), x2 |-> ToString(x2), y2 |-> ToString(y2)],
          attrs, "")

\* A circle around a point.
Circle(cx, cy, r, attrs) ==
    Shape("circle", [cx |-> ToString(cx), cy |-> ToString(cy), r |-> ToString(r)], attrs, "")

\* A rectangle with its upper left corner.
Rect(x, y, w, h, attrs) ==
    Shape("rect",
          [x |-> ToString(x), y |-> ToString(y), width |-> ToString(w), height |-> ToString(h)],
          attrs, "")

\* A text at a point.
Text(x, y, text, attrs) == Shape("text", [x |-> ToString(x), y |-> ToString(y)], attrs, text)

\* An image with its upper left corner, from the address href.
Image(x, y, width, height, href, attrs) ==
    Shape("image",
          ("xlink:href" :> href)
              @@ [x |-> ToString(x), y |-> ToString(y), width |-> ToString(width), height |-> ToString(height)],
          attrs, "")

\* A group of elements.
Group(children, attrs) == SVGElem("g", attrs, children, "")

\* A container of elements.
Svg(children, attrs) == SVGElem("svg", attrs, children, "")

\* A whole document that shows the rectangle with the given corner and size.
SVGDoc(children, vbX, vbY, vbW, vbH, attrs) ==
    LET view == ToString(vbX) \o " " \o ToString(vbY) \o " " \o ToString(vbW) \o " " \o ToString(vbH)
        namespaces == ("xmlns:xlink" :> "http://www.w3.org/1999/xlink") @@ ("xmlns" :> "http://www.w3.org/2000/svg")
        own == namespaces @@ ("viewBox" :> view)
    IN Svg(<<children>>, own @@ attrs)

\* The text of elem.
SVGElemToString(elem) == CHOOSE text \in STRING : TRUE

\* The place of the n-th of m nodes on the circle of radius r around the given point.
NodeOfRingNetwork(cx, cy, r, n, m) == CHOOSE point \in [x : Int, y : Int] : TRUE

\* The function from the nodes to their places in a layout.
NodesOfDirectedMultiGraph(nodes, edges, options) == CHOOSE places \in [nodes -> [x : Int, y : Int]] : TRUE

\* The point that is the given part (2 for half, 3 for a third, ...) of the way from one point to another.
PointOnLine(from, to, segment) ==
    LET part(a, b) == a + ((b - a) \div segment)
    IN [x |-> part(from.x, to.x), y |-> part(from.y, to.y)]

\* The outcome of writing svg to the file named after the prefix and the number in three digits.
SVGSerialize(svg, frameNamePrefix, frameNumber) ==
    LET IO == INSTANCE IOUtils
        file == frameNamePrefix \o IO!zeroPadN(frameNumber, 3) \o ".svg"
        overwrite == <<"WRITE", "CREATE", "TRUNCATE_EXISTING">>
    IN IO!Serialize(SVGElemToString(svg), file,
                    [format |-> "TXT", charset |-> "UTF-8", openOptions |-> overwrite])
====
