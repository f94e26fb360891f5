"""Sphinx's configuration. stage.py writes the source that it reads."""
import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

project = 'Causeway'
copyright = 'the authors of Causeway'
extensions = ['myst_parser']
myst_enable_extensions = ['deflist']
myst_heading_anchors = 4
html_theme = 'furo'
html_title = 'Causeway'
html_static_path = ['static']
html_css_files = ['site.css']
html_copy_source = False
html_show_sphinx = False
highlight_language = 'none'
pygments_style = 'friendly'
pygments_dark_style = 'native'
smartquotes = False  # options begin with two hyphens
# Some documents leave a level of headings out; their anchors do not change by it.
suppress_warnings = ['myst.header']


class Names(SphinxTransform):
    """Makes names of public calls, types and settings in running text links to the reference."""
    default_priority = 500

    def apply(self):
        text = (Path(self.app.srcdir) / 'docs/reference/settings.md').read_text()
        settings = set(re.findall(r'\{envvar\} (\w+)', text))
        for literal in list(self.document.findall(nodes.literal)):
            name = re.match(r'([A-Za-z]\w*)?', literal.astext())[0]
            if '_' not in name or isinstance(literal.parent, (nodes.reference, nodes.title, addnodes.pending_xref)):
                continue
            domain, kind = ('std', 'envvar') if name in settings else ('c', 'identifier')
            link = addnodes.pending_xref('', refdomain=domain, reftype=kind, reftarget=name, refexplicit=True,
                                         refwarn=False, refdoc=self.env.docname)
            literal.replace_self(link)
            link += literal


def complete_furo(app, exception):
    """Completes furo as Debian packages it: its script imports another one, which browsers do not load from files; it has no
    colours for the dark theme of the system; and it takes a style sheet from a folder of Debian's web servers."""
    static = Path(app.outdir) / '_static'
    script = static / 'scripts/furo.js'
    text = script.read_text()
    module = re.match(r'import (?:\* as )?\w+ from "([\w./-]+)";\n', text)
    if module:
        script.write_text((script.parent / module[1]).read_text() + text[module.end():])
    style = static / 'styles/furo.css'
    text = style.read_text()
    if not re.search(r'body:not\(\[data-theme="?light', text):
        dark = re.search(r'body\[data-theme="?dark"?\] ?(\{.*?\})', text, re.S)[1]
        text += f'@media (prefers-color-scheme: dark) {{ body:not([data-theme="light"]) {dark} }}\n'
    included = re.match(r'@import url\((/javascript/[\w./]+)\);\n', text)
    if included and Path('/usr/share' + included[1]).exists():
        text = Path('/usr/share' + included[1]).read_text() + text[included.end():]
    style.write_text(text)


def setup(app):
    app.add_transform(Names)
    app.connect('build-finished', complete_furo)
    return {'parallel_read_safe': True}
