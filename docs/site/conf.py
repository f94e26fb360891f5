"""Sphinx's configuration. The source that it reads is what stage.py has written."""
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
pygments_dark_style = 'monokai'
nitpicky = False
# Some documents leave a level of headings out; their anchors do not change by it.
suppress_warnings = ['myst.header']


class Names(SphinxTransform):
    """Names of public calls, types and settings in running text lead to the reference."""
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


def setup(app):
    app.add_transform(Names)
    return {'parallel_read_safe': True}
