"""Writes manual pages: converts Markdown, which markdown-it parses, to man(7).

manual.py SOURCE FOLDER DOCUMENTS [--check] writes FOLDER/man{1,3,7}/NAME.SECTION and, for other names of a page, files that
include it. DOCUMENTS is the folder in which guides and examples are installed. With --check, public functions without a
comment are an error (Reference.faults).
"""
import re
import sys
import textwrap
from pathlib import Path

from markdown_it import MarkdownIt
from mdit_py_plugins.deflist import deflist_plugin

import pages

WIDTH = 78
SPECIAL = {'\\': '\\e', "'": '\\(aq', '`': '\\(ga', '^': '\\(ha', '~': '\\(ti'}


def escape(text):
    return re.sub(r"[\\'`^~]", lambda found: SPECIAL[found[0]], text)


def guarded(line):
    """Returns a line that man(7) takes for text even if it begins with a control character."""
    return '\\&' + line if line.startswith(('.', "'")) else line


def filled(text):
    # Words stay whole, because man(7) prints a hyphen at the end of a line with a space after it.
    lines = textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)
    return ''.join(guarded(line) + '\n' for line in lines)


def literal(text):
    return '.EX\n' + ''.join(guarded(escape(line).replace('-', '\\-')) + '\n' for line in text.rstrip('\n').split('\n')) + '.EE\n'


def prototype(text):
    """Returns a declaration whose lines end at commas. Further lines begin below its parenthesis if there is space."""
    pieces = re.split(r'(?<=,) ', text)
    lines, indent = [''], text.find('(') + 1
    if any(indent + len(piece) > WIDTH - 7 for piece in pieces[1:]):
        indent = 8
    for piece in pieces:
        if len(lines[-1]) + len(piece) + 1 <= WIDTH - 7 or not lines[-1].strip():
            lines[-1] += (' ' if lines[-1].strip() else '') + piece
        else:
            lines.append(' ' * indent + piece)
    return '\n'.join(lines)


class Renderer:
    def __init__(self):
        self.declared = False  # the last block was a declaration, and the next one follows it without an empty line
        self.parser = MarkdownIt().use(deflist_plugin).enable('table')

    def inline(self, token):
        out = ''
        for child in token.children:
            kind = child.type
            if kind == 'text':
                out += escape(child.content)
            elif kind == 'code_inline':
                out += '\\fB' + escape(child.content).replace('-', '\\-') + '\\fP'
            elif kind in ('softbreak', 'hardbreak'):
                out += ' '
            elif kind in ('strong_open', 'em_open'):
                out += '\\fB' if kind == 'strong_open' else '\\fI'
            elif kind in ('strong_close', 'em_close'):
                out += '\\fP'
        return out

    def render(self, text):
        out = []
        fresh = True  # after a heading or a term, which no empty line follows
        lists = []
        for token in self.parser.parse(text):
            kind = token.type
            if kind == 'heading_open':
                out.append('.SH ' if token.tag == 'h1' else '.SS ')
            elif kind == 'heading_close':
                fresh = True
            elif kind == 'paragraph_open':
                if not fresh:
                    out.append('.PP\n' if not lists else '.IP\n')
            elif kind == 'inline':
                content = self.inline(token)
                last = out[-1] if out else ''
                if last in ('.SH ', '.SS '):
                    out.append('"' + content.replace('"', '\\(dq') + '"\n' if ' ' in content else content + '\n')
                elif last == '.TP\n':
                    out.append(guarded(content) + '\n')
                else:
                    out.append(filled(content))
                    fresh = False
            elif kind == 'fence':
                self.fence(token, out, fresh)
                fresh = False
            elif kind == 'dt_open':
                out.append('.TP\n')
            elif kind == 'dd_open':
                fresh = True
            elif kind in ('dl_open', 'bullet_list_open', 'ordered_list_open'):
                lists.append(kind)
            elif kind in ('dl_close', 'bullet_list_close', 'ordered_list_close'):
                lists.pop()
                fresh = False
            elif kind == 'list_item_open':
                out.append('.IP \\(bu 3\n')
                fresh = True
            elif kind not in ('paragraph_close', 'dt_close', 'dd_close', 'list_item_close'):
                raise ValueError(f'manual pages have no {kind}')
        return ''.join(out)

    def fence(self, token, out, fresh):
        declared = re.match(r'\{c:(\w+)\} (.*)', token.info)
        text = prototype(declared[2] + (';' if declared[1] == 'function' else '')) if declared else token.content
        if declared and out[-1].endswith('.EE\n') and self.declared:
            out[-1] = out[-1][:-len('.EE\n')] + literal(text)[len('.EX\n'):]
        else:
            out.append(('' if fresh else '.PP\n') + literal(text))
        self.declared = bool(declared)


def write(page, folder, version, date):
    section = folder / f'man{page.section}'
    section.mkdir(parents=True, exist_ok=True)
    name = page.names[0]
    lines = filled(escape(', '.join(page.names)) + ' \\- ' + escape(page.summary.replace('`', '')))
    # .EE sets hyphenation and adjustment again, from the register HY and the string AD.
    text = f'.TH {name} {page.section} {date} "Causeway {version}" "Causeway"\n.nh\n.nr HY 0\n.ad l\n.ds AD l\n.SH NAME\n{lines}'
    (section / f'{name}.{page.section}').write_text(text + Renderer().render(page.text))
    for other in [*page.names[1:], *page.links]:
        (section / f'{other}.{page.section}').write_text(f'.so man{page.section}/{name}.{page.section}\n')


def concept_pages(root):
    """Yields the pages of docs/man, whose titles have a name and a summary."""
    for path in sorted((root / 'docs/man').glob('*.md')):
        title, _, text = path.read_text().partition('\n')
        name, summary = re.fullmatch(r'# (\S+): (.*)', title).groups()
        text = re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', re.sub(r'^<!--.*-->\n', '', text, flags=re.M))
        yield pages.Page(7, [name], summary, re.sub(r'^## (.*)', lambda t: '# ' + t[1].upper(), text, flags=re.M))


def main(root, folder, documents, check):
    version, date = re.search(r'^## \[([\d.]+)\] - (\S+)', (root / 'CHANGELOG.md').read_text(), re.M).groups()
    reference = pages.Reference(root)
    faults = [f'{header.path.relative_to(root)}: {fault}' for key in reference.headers for header, fault in reference.faults(key)]
    if check and faults:
        sys.exit('\n'.join(faults))
    for page in [*reference.call_pages(documents), *reference.header_pages(documents), *pages.program_pages(root), pages.settings_page(root),
                 *concept_pages(root)]:
        write(page, folder, version, date)


if __name__ == '__main__':
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], '--check' in sys.argv)
