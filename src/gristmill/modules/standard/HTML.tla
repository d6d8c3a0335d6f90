---- MODULE HTML ----
\* The text of web pages.
LOCAL INSTANCE Sequences
LOCAL INSTANCE SequencesExt

\* The parts one after the other, with the separator between them; none before the first that is not empty.
LOCAL Joined(parts, separator) ==
    FoldLeft(LAMBDA text, part : IF text = "" THEN part ELSE text \o separator \o part, "", parts)

\* The parts on lines of their own.
LOCAL Lines(parts) == Joined(parts, "\n")

\* Attribute of a tag.
LOCAL Given(name, value) == " " \o name \o "=\"" \o value \o "\""

\* string with, for each pair in args in turn, its first occurrence of the first replaced by the second.
HTMLFill(string, args) == FoldLeft(LAMBDA text, pair : ReplaceFirstSubSeq(pair[2], pair[1], text), string, args)

\* A page.
HTMLDocument(header, body, list_of_scripts) ==
    Lines(<<"<!DOCTYPE html>", "<html>", header, body, Lines(list_of_scripts), "</html>">>)

\* A class of a style sheet.
HTMLClass(classname, attribute_list) == Lines(<<classname \o " {", Lines(attribute_list), "}">>)

\* An attribute of a class.
HTMLAttribute(name, value) == name \o ": " \o value \o ";"

\* The classes that all style sheets have.
HTMLDefaultStyle ==
    Lines(<<HTMLClass(".default_grid", <<HTMLAttribute("display", "grid")>>),
            HTMLClass(".default_box", <<HTMLAttribute("border", "1px solid black")>>),
            HTMLClass(".default_circle", <<HTMLAttribute("border-radius", "50%")>>)>>)

\* A style sheet.
HTMLStyleSheet(class_list) ==
    Lines(<<"<style" \o Given("type", "text/css") \o ">", HTMLDefaultStyle, Lines(class_list), "</style>">>)

\* A script in a file.
HTMLScriptFile(name) == "<script" \o Given("src", name) \o "></script>"

\* A script.
HTMLScript(children) == Lines(<<"<script>", Lines(children), "</script>">>)

\* A link.
HTMLLink(name, type) == "<link" \o Given("href", name) \o Given("rel", type) \o "/>"

\* The head of a page.
HTMLHeader(title, list_of_links, class_list) ==
    Lines(<<"<head>",
            "<meta" \o Given("charset", "UTF-8") \o ">",
            "<title>" \o title \o "</title>",
            Lines(list_of_links),
            HTMLStyleSheet(class_list),
            "</head>">>)

\* The body of a page.
HTMLBody(body) == Lines(<<"<body>", body, "</body>">>)

\* A division with the attributes given.
LOCAL Division(attributes, children) == Lines(<<"<div" \o attributes \o ">", Lines(children), "</div>">>)

\* A frame.
HTMLFrame(id, children) == Division(Given("id", id), children)

\* A grid.
HTMLGridContainer(id, class_list, children) ==
    Division(Given("id", id) \o Given("class", "default_grid " \o Joined(class_list, " ")), children)

\* A box.
HTMLBox(id, class_list, size, children) ==
    LET classes == "default_box " \o Joined(class_list, " ")
    IN Division(Given("id", id) \o Given("class", classes) \o Given("style", size), children)

\* A circle.
HTMLCircle(id, class_list, size, children) == HTMLBox(id, <<"default_circle">> \o class_list, size, children)

\* A text.
HTMLText(id, text) == Lines(<<"<span" \o Given("id", id) \o ">", text, "</span>">>)

\* A picture.
HTMLSVG(id, viewBox, size, svgString) ==
    LET opening == "<svg" \o Given("id", id) \o Given("viewBox", viewBox) \o Given("style", size) \o ">"
    IN Lines(<<opening, svgString, "</svg>">>)

\* The attributes for a size.
HTMLSize(width, height) == HTMLAttribute("width", width) \o " " \o HTMLAttribute("height", height)

\* A line break.
HTMLNewLine == "<br>"

\* The attributes for children in the middle.
HTMLFlexCenterAttributes ==
    Lines(<<HTMLAttribute("display", "flex"),
            HTMLAttribute("align-items", "center"),
            HTMLAttribute("justify-content", "center")>>)

LOCAL ElementById(id) == "document.getElementById(\"" \o id \o "\")"

\* The two ends of a line, in JavaScript.
HTMLJSLineElems(fromID, destID) == ElementById(fromID) \o ", " \o ElementById(destID)

\* A line and a dashed line, in JavaScript.
HTMLJSLine(fromID, destID, color, size) ==
    "new LeaderLine(" \o HTMLJSLineElems(fromID, destID)
    \o ", {color: '" \o color \o "', size: " \o size \o "})"
HTMLJSLineDash(fromID, destID, color, size) ==
    "new LeaderLine(" \o HTMLJSLineElems(fromID, destID)
    \o ",  {color: '" \o color \o "', size: " \o size \o ", dash: true})"

\* The reaction to keys, in JavaScript.
HTMLJSKeyListener(events) ==
    Lines(<<"window.onkeyup = function(event) {", "let key = event.key.toUpperCase();", Lines(events), "}">>)

\* The reaction to one key: go to the file.
HTMLJSNavigationKey(key, file) ==
    Lines(<<"if(key == '" \o key \o "'){", "window.location.replace(\"" \o file \o "\");", "}">>)
====
