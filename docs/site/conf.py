"""Sphinx's configuration. The source that it reads is what stage.py has written."""
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


class Calls(SphinxTransform):
    """Names of public calls and types in running text lead to the reference."""
    default_priority = 500

    def apply(self):
        for literal in list(self.document.findall(nodes.literal)):
            name = literal.astext().split('(')[0]
            if name.isidentifier() and '_' in name and not isinstance(literal.parent, (nodes.reference, nodes.title, addnodes.pending_xref)):
                link = addnodes.pending_xref('', refdomain='c', reftype='identifier', reftarget=name, refexplicit=True,
                                             refwarn=False, refdoc=self.env.docname)
                link['c:parent_key'] = None
                literal.replace_self(link)
                link += literal


def setup(app):
    app.add_transform(Calls)
    return {'parallel_read_safe': True}
