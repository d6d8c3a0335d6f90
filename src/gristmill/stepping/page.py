"""The page of the explorer. It asks the server for everything but its frame."""

from __future__ import annotations

from gristmill.report.page.markup import text
from gristmill.report.page.viewer import SCRIPTS, STYLES
from gristmill.report.page.whole import Static, script_json, whole_page
from gristmill.stepping.session import Session

_OWN_STYLES: tuple[Static, ...] = (("gristmill.report.page", "why.css"), (__package__, "step.css"))
_OWN_SCRIPTS: tuple[Static, ...] = (
    ("gristmill.report.page", "trace.js"),
    (__package__, "step.js"),
    (__package__, "watches.js"),
    (__package__, "page.js"),
)

_BODY = """
<h1>{name}</h1><div id="note" role="status"></div>
<div class="bar" role="group" aria-label="Where to go">
<button type="button" id="back" title="Back (Backspace)">◀ back</button>
<button type="button" id="forward" title="Where you have been (→)">forward ▶</button>
<button type="button" id="restart" title="Choose an initial state">start again</button>
<span id="where" class="soft"></span>
<button type="button" id="copy">copy link</button>
<button type="button" id="save">save trace</button>
<label class="button">open trace <input type="file" id="open" accept=".json,application/json" hidden></label>
</div>
<div class="columns">
<section aria-label="Path"><h2>Path</h2><div class="scroll"><ol id="path"></ol></div><div id="branches"></div>
<h2>Watch</h2><form id="watch"><input id="expression" autocomplete="off" spellcheck="false"
 placeholder="an expression, such as Len(log[s1])" aria-label="An expression"><button>watch</button></form>
<div id="problem"></div>
<div class="scroll" id="watches"></div></section>
<section aria-label="State"><h2>State</h2><div id="state-view"></div></section>
<section aria-label="Steps"><h2>Steps <span class="soft" id="count"></span></h2><ol id="options"></ol>
<div id="blocked"></div></section>
</div>
<p class="soft legend">Keys: 1 to 9 take a step, Backspace goes back, → goes where you have been.</p>
"""


def render_page(session: Session, note: str) -> str:
    name = session.specification.name
    return whole_page(
        title=f"{name}, step by step",
        verb="step",
        without_script="The explorer needs JavaScript.",
        body=(_BODY.format(name=text(name)),),
        data=script_json({"name": name, "note": note}),
        styles=(*STYLES, *_OWN_STYLES),
        scripts=(*SCRIPTS, *_OWN_SCRIPTS),
    )
