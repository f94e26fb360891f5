"""Finds the programs and documents that show a call: examples, applications, and the tested code of guides."""
import re
import textwrap
from collections import defaultdict

WORD = re.compile(r'\b[A-Za-z]\w+\b')
SOURCES = ('.c', '.cpp', '.F90', '.h')


def blocks(text):
    """Yields the compiled blocks of code of a document: fenced or indented, below a mark; and the program of README."""
    for mark in re.finditer(r'^<!-- compiled: (\S+) -->\n\n?', text, re.M):
        rest = text[mark.end():]
        fenced = re.match(r'```\w*\n(.*?)^```', rest, re.S | re.M)
        yield fenced[1] if fenced else re.match(r'(?:    .*\n|\n)*', rest)[0]
    yield from re.findall(r'^```c\n(.*?)^```', text, re.S | re.M)


def code(path):
    """Returns the code of a program, or the compiled blocks of a document."""
    text = path.read_text()
    return text if path.suffix in SOURCES else '\n'.join(blocks(text))


def statements(text, names, most):
    """Returns the first statement of the code that calls each of the names, at most `most` of them, in their order in the code."""
    lines = re.sub(r'/\*.*?\*/', lambda comment: '\n' * comment[0].count('\n'), text, flags=re.S).split('\n')
    found, missing = [], set(names)
    for at, line in enumerate(lines):
        here = {name for name in missing if re.match(rf'\s.*(?<!\w){name}\b', line)}
        if not here or len(found) == most or any(at <= end for _, end in found):
            continue
        begin = end = at
        while begin > 0 and at - begin < 4 and re.search(r'\S', lines[begin - 1]) and not re.search(r'[;{}]\s*$|^#', lines[begin - 1]):
            begin -= 1
        while end + 1 < len(lines) and end - at < 6 and not re.search(r'[;{}]\s*$', lines[end]):
            end += 1
        missing -= here
        found.append((begin, end))
    return '\n'.join(textwrap.dedent('\n'.join(lines[begin:end + 1])) for begin, end in found)


def collect(root):
    """Returns for each word of code the places that use it: (path, title), programs of examples/ first."""
    uses = defaultdict(dict)
    for folder in ('examples', 'apps'):
        for path in sorted((root / folder).rglob('*')):
            if path.suffix in SOURCES and path.is_file():
                name = path.relative_to(root).as_posix()
                for word in set(WORD.findall(path.read_text())):
                    uses[word].setdefault(name, name)
    for path in [root / 'README.md', *sorted(root.glob('docs/guide/*.md')), *sorted(root.glob('docs/reference/*.md')),
                 *sorted(root.glob('docs/man/*.md'))]:
        text = path.read_text()
        title = re.search(r'^# (.*)', text, re.M)[1]
        for word in set(WORD.findall('\n'.join(blocks(text)))):
            uses[word].setdefault(path.relative_to(root).as_posix(), title)
    return uses
