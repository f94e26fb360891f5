"""Writes the reference as Markdown pages, from headers, texts of --help and the table of settings.

The site has a page for each header, and the manual also one for each group of calls (manual.py).

pages.py SOURCE prints the public calls that nothing shows.
"""
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

import headers
import uses

# Folder, how a program includes its headers, the library, and headers without calls of programs.
LIBRARIES = (
    ('include/causeway', '<causeway.h>', 'native', 'libcauseway; also libarmci and libcwga'),
    ('interfaces/armci/include', None, 'armci', 'libarmci and libcwga'),
    ('interfaces/ga/include', None, 'ga', 'libcwga, and libcwga-i4 for a Fortran INTEGER of 4 bytes'),
)
# Programs that show calls of the compatible interfaces, which other projects' manuals describe: their own tests.
TESTS = {'armci': ('tests/interfaces/armci', 'tests/interfaces/armci_messages'), 'ga': ('tests/interfaces',)}
INSTALLED = re.compile('(?:README|docs/|examples/)')  # places of share/doc/causeway (cmake/CwInstall.cmake)
LABEL = re.compile(r'^(Errors|Complete on return|Completion|Thread level(?: of all calls)?)(: |, (?=on |from ))')
TERMS = {'completion': 'Completion', 'threads': 'Thread level', 'errors': 'Errors', 'origin': 'Origin'}


@dataclass
class Page:
    section: int
    names: list  # the first is that of the file; the others are links
    summary: str
    text: str
    links: list = field(default_factory=list)  # more names that lead here, without being in NAME


def escape(text):
    return re.sub(r'([\\*_\[\]<>#|~^$`])', r'\\\1', text)


def prose(text, parameters=()):
    """Returns Markdown of a comment's sentence: identifiers with an underscore are code, parameters in backquotes are italic."""
    pieces = re.split(r'(`[^`]+`|\b[A-Za-z]\w*_\w*\*?(?:\.\w+|(?<=[A-Z])=\w+)?\b|(?<!\w)_[a-z]\w*\b)', text)
    for i, piece in enumerate(pieces):
        name = piece.strip('`')
        pieces[i] = escape(piece) if i % 2 == 0 else f'*{escape(name)}*' if name in parameters else f'`{name}`'
    return ''.join(pieces)


def sentence_case(text):
    """Returns a sentence with a capital letter at its start, unless its first word is a name."""
    return text if re.match(r'\w*_|\w+\(|lib\w+|cw-|\w x \w\b', text) else text[:1].upper() + text[1:]


def definitions(items):
    """Returns Markdown of a list of terms."""
    return ''.join(f'{term}\n: {text}\n\n' for term, text in items)


def body(group, of_header, separate_errors):
    """Returns Markdown of a comment, and of its errors if separate_errors."""
    text, items, errors = '', [], []
    kinds = set()
    names = group.parameters()
    for kind, label, content in group.parts():
        kinds.add(kind)
        if kind in ('text', 'code') and items:
            text += definitions(items)
            items = []
        if kind == 'code':
            language = 'fortran' if content.startswith('call ') else 'c' if re.search('[;{]', content) else 'text'
            text += f'```{language}\n{content}\n```\n\n'
        elif kind == 'text':
            text += prose(content, names) + '\n\n'
        elif kind == 'parameter':
            items.append((', '.join(f'*{escape(name)}*' for name in label.split(', ')), prose(sentence_case(content), names)))
        elif kind == 'called':
            items.append(('Scope', prose(content, names)))
        else:
            content = sentence_case(LABEL.sub('', content))
            if kind == 'errors' and separate_errors:
                errors.append(prose(content, names))
            else:
                items.append((TERMS[kind], prose(content, names)))
    if of_header and 'threads' not in kinds and group.calls():
        items.append(('Thread level', prose(of_header, names)))
    return text + definitions(items), '\n\n'.join(errors)


def thread_level(header):
    """Returns the thread level of all calls, from the header's comment, or an empty text."""
    text = ' '.join(t for k, t in header.overview.comment if k == 'text')
    level = re.search(r'Thread level(?: of all calls)?: (.*?)[.,](?:\s|$)', text)
    return sentence_case(level[1]) + '.' if level else ''


class Reference:
    def __init__(self, root):
        self.root = root
        self.uses = uses.collect(root)
        self.headers = {}
        self.tests = {}
        for folder, include, key, _ in LIBRARIES:
            paths = [*(root / folder).parent.glob('causeway.h'), *sorted((root / folder).glob('*.h'))]
            self.headers[key] = [headers.read(path, include or f'<{path.name}>') for path in paths]
            self.tests[key] = self._words_of_tests(TESTS.get(key, ()))
        self.page_of = {}
        for key, read in self.headers.items():
            for header in read:
                for group in header.groups:
                    names = self.names(group)
                    for name in names if group.comment else ():
                        self.page_of.setdefault(name, names[0])

    def _words_of_tests(self, folders):
        found = {}
        for folder in folders:
            for path in sorted((self.root / folder).rglob('*.c')):
                for word in set(uses.WORD.findall(path.read_text())):
                    found.setdefault(word, path.relative_to(self.root).as_posix())
        return found

    def names(self, group):
        return list(dict.fromkeys(d.name for d in group.calls()))

    def examples(self, key, group):
        """Returns at most four programs and guides that use a call of the group."""
        places = {}
        for name in self.names(group):
            for path, title in self.uses.get(name, {}).items():
                places.setdefault(path, (title, []))[1].append(name)
        if not places:
            for name in self.names(group):
                if name in self.tests[key]:
                    path = self.tests[key][name]
                    places.setdefault(path, (path, []))[1].append(name)
        # The places that show most of the calls come first.
        return sorted(places.items(), key=lambda place: -len(place[1][1]))[:4]

    def unused(self, key):
        """Yields native calls that no example, application, guide or comment shows. The calls of ARMCI and GA have many
        variants: it yields those of a comment if no example and no test uses any of them."""
        for header in self.headers[key]:
            code = ' '.join(t for g in [header.overview, *header.groups] for k, t in g.comment if k == 'code')
            shown = self.uses.keys() | self.tests[key].keys() | set(uses.WORD.findall(code))
            for group in header.groups:
                names = self.names(group)
                if group.comment and (key == 'native' or not shown.intersection(names)):
                    yield from ((header, name) for name in names if name not in shown)

    def faults(self, key):
        """Yields (header, fault): functions that no comment describes, and comments that refer to another one by its place. A
        twin such as PARMCI_Put is described with ARMCI_Put."""
        for header in self.headers[key]:
            for group in header.groups:
                for call in group.declarations:
                    if call.kind == 'function' and not group.comment and call.name[1:] not in self.page_of:
                        yield header, f'{call.name} has no comment'
                if self.names(group) and re.search(r'\b(?:as|calls) above\b', ' '.join(text for _, text in group.comment)):
                    yield header, f'{self.names(group)[0]}: a manual page has nothing above it; name the call'

    def is_twins(self, group):
        calls = self.names(group)
        return bool(calls) and all(name[1:] in self.page_of for name in calls)

    def example_text(self, key, group, link):
        places = self.examples(key, group)
        return ''.join(f'- {link(path, title)}: {", ".join(f"`{n}`" for n in names[:6])}{" ..." if len(names) > 6 else ""}\n'
                       for path, (title, names) in places)

    def header_name(self, key, header):
        """Returns the name of the header's page. Other packages may have pages of sf.h and message.h."""
        prefix = {'native': 'causeway'}.get(key, key)
        name = header.path.name
        return name if re.match(f'(cw)?{prefix}', name) else f'{prefix}_{name}'

    def examples_section(self, key, places, documents):
        """Returns Markdown of EXAMPLES: statements of the first of the places, which are (path, names of calls), the other
        places, and how to compile a program. Examples and documents are installed in the folder `documents`."""
        def listed(paths):
            kinds = [[f'`{path}`' for path in paths if bool(INSTALLED.match(path)) == installed] for installed in (True, False)]
            return ' and '.join(f'{", ".join(kind)} {where}' for kind, where in zip(kinds, (f'below `{documents}`', 'of the source'))
                                if kind)
        places = sorted(places, key=lambda at: (not at[0].startswith('examples/'), not INSTALLED.match(at[0])))
        codes = {path: uses.code(self.root / path) for path, _ in places}
        shown = {path: uses.statements(codes[path], names, 4) for path, names in places}
        first = next((path for path in shown if shown[path]), next(iter(shown), 'program.c'))
        text = f'From {listed([first])}:\n\n```c\n{shown[first]}\n```\n\n' if shown.get(first) else ''
        others = listed([path for path in shown if path != first or not text])
        text += f'{"Also used" if text else "Used"} in {others}.\n\n' if others else ''
        library = {'native': 'causeway', 'armci': 'armci', 'ga': 'cwga'}[key]
        if '#include <ga.h>' in codes.get(first, ''):
            library = 'cwga'
        program = f'{documents}/{first}' if first.startswith('examples/') else 'program.c'
        result = Path(program).stem
        it = 'it' if program != 'program.c' else 'your program'
        return (f'# EXAMPLES\n\n{text}Compile and run {it} with MPICH; for Open MPI write `openmpi`:\n\n'
                f'```sh\n{"mpicxx" if program.endswith(".cpp") else "mpicc"}.mpich {program} \\\n'
                f'  $(pkg-config --cflags --libs {library}-mpich) -lm -o {result}\nmpiexec.mpich -n 2 ./{result}\n```\n\n')

    def call_pages(self, documents):
        """Yields a page for each comment with calls below it. Programs and guides are installed in the folder `documents`."""
        for _, _, key, library in LIBRARIES:
            for header in self.headers[key]:
                threads = thread_level(header)
                for group in header.groups:
                    names = self.names(group)
                    if not names or not group.comment or self.is_twins(group):
                        continue
                    text, errors = body(group, threads, True)
                    places = [(path, names) for path, (_, names) in self.examples(key, group)]
                    synopsis = f'```c\n#include {header.include}\n```\n\n' + ''.join(
                        f'```{{c:{d.kind}}} {d.signature}\n```\n\n' for d in group.calls())
                    mentioned = dict.fromkeys(self.page_of[word] for _, content in group.comment
                                              for word in uses.WORD.findall(content) if word in self.page_of)
                    also = [f'`{n}`(3)' for n in mentioned if n not in names]
                    also += [f'`{self.header_name(key, header)}`(3)', '`causeway`(7)']
                    yield Page(3, names, group.summary(),
                               f'# LIBRARY\n\n{library}\n\n# SYNOPSIS\n\n{synopsis}# DESCRIPTION\n\n{text}'
                               + (f'# ERRORS\n\n{errors}\n\n' if errors else '')
                               + self.examples_section(key, places, documents)
                               + f'# SEE ALSO\n\n{", ".join(also)}\n',
                               [n for n, page in self.page_of.items() if n[1:] in names and n[:1] == 'P'])

    def header_pages(self, documents):
        """Yields a page for each header: its comment, its calls, its types. Programs are installed in the folder `documents`."""
        for _, _, key, library in LIBRARIES:
            for header in self.headers[key]:
                documented = [g for g in header.groups if g.comment and self.names(g) and not self.is_twins(g)]
                types = [g for g in header.groups if not self.names(g)]
                if not documented and (key != 'native' or header.groups):
                    continue
                text = body(header.overview, '', False)[0]
                calls = definitions((', '.join(f'`{n}`' for n in self.names(g)), prose(sentence_case(g.summary())) + '.')
                                    for g in documented)
                text = f'# LIBRARY\n\n{library}\n\n# SYNOPSIS\n\n```c\n#include {header.include}\n```\n\n# DESCRIPTION\n\n{text}'
                if calls:
                    text += f'# CALLS\n\n{calls}'
                if types:
                    text += '# TYPES AND CONSTANTS\n\n' + ''.join(self.type_text(g) for g in types)
                program = f'examples/calls/{header.path.stem}.c'
                text += self.examples_section(key, [(program, [])] if (self.root / program).exists() else [], documents)
                yield Page(3, [self.header_name(key, header)], header.overview.summary(),
                           text + f'# SEE ALSO\n\n`causeway`(7)\n',
                           [d.name for g in types for d in g.declarations if d.kind == 'type' and d.name])

    def type_text(self, group):
        code = '\n'.join(d.text for d in group.declarations)
        return body(group, '', False)[0] + f'```c\n{code}\n```\n\n'

    def site_pages(self, link):
        """Yields (file, text) of the site: a page for each header, with all that it declares."""
        index = {}
        for _, _, key, library in LIBRARIES:
            for header in self.headers[key]:
                if not any(g.comment for g in header.groups) and header.path.name != 'causeway.h':
                    continue
                threads = thread_level(header)
                text = f'# {header.path.name}\n\n```c\n#include {header.include}\n```\n\n{body(header.overview, "", False)[0]}'
                for group in header.groups:
                    names = self.names(group)
                    if not names:
                        title = ', '.join(f'`{d.name}`' for d in group.declarations if d.name) or 'Constants'
                        types = dict.fromkeys(d.name for d in group.declarations if d.kind == 'type' and d.name)
                        text += f'## {title}\n\n' + ''.join(f'```{{c:type}} {name}\n```\n\n' for name in types)
                        text += self.type_text(group)
                        continue
                    text += f'## {", ".join(f"`{n}`" for n in names[:4])}{" ..." if len(names) > 4 else ""}\n\n'
                    text += ''.join(f'```{{c:{d.kind}}} {d.signature}\n```\n\n' for d in group.calls())
                    text += body(group, threads, False)[0]
                    shown = self.example_text(key, group, link)
                    if shown:
                        text += f'Used in:\n\n{shown}\n'
                name = f'{key}/{header.path.stem}'
                index.setdefault(key, []).append((name, header))
                yield name, text
        titles = {'native': 'Native calls', 'armci': 'ARMCI', 'ga': 'Global Arrays'}
        for _, _, key, library in LIBRARIES:
            rows = ''.join(f'| [{h.path.name}]({n.split("/")[1]}.md) | {prose(sentence_case(h.overview.summary()))} |\n'
                           for n, h in index[key])
            toc = '\n'.join(n.split('/')[1] for n, _ in index[key])
            yield f'{key}/index', (f'# {titles[key]}\n\nLibraries: {library}.\n\n| header | declares |\n|---|---|\n{rows}\n'
                                   f'```{{toctree}}\n:hidden:\n\n{toc}\n```\n')


def program_pages(root):
    """Yields a page for each program, made from its text of --help."""
    for path in sorted([*root.glob('programs/*/*.c'), *root.glob('vocl/src/launcher/*.c')]):
        found = re.search(r'static const char usage\[\] =\n((?:\s*"(?:[^"\\]|\\.)*"\n?)+);', path.read_text())
        if found:
            usage = ''.join(re.findall(r'"((?:[^"\\]|\\.)*)"', found[1])).replace('\\n', '\n').replace('\\"', '"')
            yield program_page(usage)


def program_page(usage):
    lines = usage.rstrip('\n').split('\n')
    synopsis = []
    while lines[0].startswith(('Usage: ', '       ')):
        synopsis.append(lines.pop(0)[len('Usage: '):])
    name = re.search(r'cw-\w+', synopsis[0])[0]
    # Paragraphs at the margin, and items that are indented by two: a term, two spaces, and text that may continue on the next lines.
    text, items, heading = '', [], 'DESCRIPTION'
    sections = {}
    paragraph = ''

    def close():
        nonlocal items, paragraph
        sections.setdefault(heading, '')
        if paragraph:
            sections[heading] += prose(paragraph) + '\n\n'
        sections[heading] += definitions((f'**{escape(term)}**', prose(sentence_case(said).rstrip('.') + '.')) for term, said in items)
        items, paragraph = [], ''

    for line in lines + ['']:
        if re.fullmatch(r'[A-Z][\w ]*:', line):
            close()
            heading = line[:-1].upper()
        elif line.startswith('Exit status: '):
            close()
            heading, paragraph = 'EXIT STATUS', sentence_case(line[len('Exit status: '):])
        elif re.match(r'  \S', line):
            if heading == 'DESCRIPTION' and not items:
                close()
                heading = 'OPTIONS'
            term, _, said = line.strip().partition('  ')
            items.append([term, said.strip()])
        elif line.startswith('   '):
            items[-1][1] += (' ' if items[-1][1] else '') + line.strip()
        elif line:
            if items and not paragraph:
                close()
                heading = 'DESCRIPTION' if heading == 'OPTIONS' else heading
            paragraph += (' ' if paragraph else '') + line.strip()
        else:
            close()
    close()
    first = re.split(r'[.:](?:\s|$)', re.sub(r'\\(.)', r'\1', sections['DESCRIPTION'].split('\n\n')[0]), maxsplit=1)[0]
    last = ('EXIT STATUS', 'EXAMPLES')
    order = [*(title for title in sections if title not in last), *last]
    text = '# SYNOPSIS\n\n```text\n' + '\n'.join(synopsis) + '\n```\n\n'
    text += ''.join(f'# {title}\n\n{sections[title]}' for title in order if sections.get(title))
    return Page(1, [name], first[0].lower() + first[1:], text + '# SEE ALSO\n\n`causeway`(7), `causeway-settings`(7)\n')


def settings(root):
    """Returns the text of docs/reference/settings.md before its tables, and for each of its topics the title and
    (name, text) of each setting. The library writes the tables (project.settings)."""
    before, *topics = re.split(r'^## (.*)\n', (root / 'docs/reference/settings.md').read_text(), flags=re.M)
    before = re.sub(r'^(# .*\n|The tables below .*\n)', '', before, flags=re.M).strip() + '\n\n'
    found = []
    for title, table in zip(topics[::2], topics[1::2]):
        rows = []
        for line in table.strip().split('\n')[2:]:
            name, values, default, effect, job, example = (cell.strip() for cell in re.split(r'(?<!\\)\|', line)[1:-1])
            values = values.replace(',', ', ')
            said = (f'{sentence_case(effect)}.', f'Values: {values}. Default: {default or "empty"}. One for each {job}.',
                    f'Example: {example}.')
            rows.append((name.strip('`'), '\n\n  '.join(map(prose, said))))
        found.append((title, rows))
    return before, found


def settings_page(root):
    before, topics = settings(root)
    before = re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', before)
    text = ''.join(f'# {title.upper()}\n\n' + definitions((f'**{escape(name)}**', said) for name, said in rows)
                   for title, rows in topics)
    return Page(7, ['causeway-settings'], 'environment variables that change how Causeway works',
                f'# DESCRIPTION\n\n{before}{text}# SEE ALSO\n\n`cw-info`(1), `causeway`(7)\n')


if __name__ == '__main__':
    everything = Reference(Path(sys.argv[1]))
    for library in everything.headers:
        for where, call in everything.unused(library):
            print(f'{where.path.relative_to(everything.root)}: {call}')
