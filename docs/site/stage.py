"""Writes the source of the site: the documents at their places, examples, and the reference as pages.

stage.py SOURCE FOLDER
"""
import posixpath
import re
import shutil
import sys
from pathlib import Path

import pages
import python_pages

DOCUMENTS = ('*.md', 'docs/*.md', 'docs/guide/*.md', 'docs/reference/*.md', 'docs/man/*.md', 'docs/design/*.md', 'apps/*/*.md',
             'docs/reports/*.md', 'docs/results/*.md', 'vocl/CHANGELOG.md', 'vocl/docs/*.md')
FILES = ('docs/pictures/*.svg', 'docs/pictures/*.png', 'docs/results/*.svg', 'docs/results/*.csv', 'docs/reference/*.json')
LANGUAGES = {'.c': 'c', '.h': 'c', '.cpp': 'cpp', '.F90': 'fortran', '.F': 'fortranfixed', '.py': 'python'}
# Chapters of the site: title, the first documents, and a pattern of the others.
CHAPTERS = (
    ('Guides', ['docs/guide/getting-started', 'docs/guide/first-hour', 'docs/guide/examples'], 'docs/guide/*'),
    ('Applications', ['apps/scf/README'], 'apps/*/*'),
    ('Reference', ['calls/native/index', 'calls/python/index', 'calls/armci/index', 'calls/ga/index', 'programs/index', 'docs/man/causeway',
                   'docs/man/causeway-routes', 'docs/reference/settings'], 'docs/reference/*'),
    ('Virtual OpenCL', ['vocl/docs/vocl'], 'vocl/docs/*'),
    ('Design', ['docs/design/overview'], 'docs/design/*'),
    ('Results', ['docs/performance', 'docs/performance-details'], 'docs/results/index'),
    ('Project', ['CHANGELOG', 'vocl/CHANGELOG', 'CONTRIBUTING', 'SECURITY', 'CODE_OF_CONDUCT', 'docs/words', 'license',
                 'docs/reports/README'], 'docs/reports/*'),
)


class Stage:
    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.places = {'README.md': 'index.md', 'LICENSE': 'license.md', 'docs/results': 'docs/results/index.md',
                       'examples': 'docs/guide/examples.md', 'include/causeway.h': 'calls/native/causeway.md'}
        for pattern in DOCUMENTS + FILES:
            for path in root.glob(pattern):
                name = path.relative_to(root).as_posix()
                self.places.setdefault(name, name)
        for path in self.programs():
            self.places[path] = f'{path}.md'
        for place, _, key, _ in pages.LIBRARIES:
            for path in root.glob(f'{place}/*.h'):
                self.places[path.relative_to(root).as_posix()] = f'calls/{key}/{path.stem}.md'

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.named(text, name))

    def named(self, text, page):
        """Makes names of documents in running text links with their titles."""
        def linked(found):
            path = self.root / found[0]
            return self.link(found[0], re.search(r'^# (.*)', path.read_text(), re.M)[1], page) if path.exists() else found[0]
        # Code stays as it is: fenced, indented, in quotes; and so do links.
        pieces = re.split(r'(^```(?s:.*?)^```$|^    .*$|`[^`\n]*`|\[(?:[^][]|\[[^]]*\])*\]\([^)]*\)|\]\([^)]*\))', text, flags=re.M)
        return ''.join(piece if i % 2 else re.sub(r'(?<![\w/])(?:docs|vocl/docs|apps)/[\w/-]+\.md\b', linked, piece)
                       for i, piece in enumerate(pieces))

    def link(self, path, title, page):
        """Returns a link from a page to the page of a file, or the name of the file if it has no page."""
        place = self.places.get(path)
        if place is None or not (self.folder / place).exists() and not (self.root / path).exists():
            return f'`{path}`'
        return f'[{title}]({posixpath.relpath(place, posixpath.dirname(page) or ".")})'

    def relinked(self, text, name):
        """Makes the links of a document lead to pages. Links to files that the site does not have become plain text."""
        def changed(found):
            text, target, end = found[1], found[2], found[3] or ''
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
            place = self.places.get(path)
            if place is None:
                return text
            place = posixpath.relpath(place, posixpath.dirname(self.places[name]) or '.')
            return f'[{text}]({place}{end})'
        return re.sub(r'\[((?:[^][]|\[[^]]*\])*)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)', changed, text)

    def manual_pages(self, text, page):
        """Makes names of manual pages of programs and concepts links to their pages. conf.py does this for calls."""
        def changed(found):
            name, section = found.groups()
            place = {'1': f'programs/{name}.md', '7': f'docs/man/{name}.md'}.get(section)
            if name == 'causeway-settings':
                place = 'docs/reference/settings.md'
            return f'[`{name}`]({posixpath.relpath(place, posixpath.dirname(page))})' if place else f'`{name}`'
        return re.sub(r'`([\w.-]+)`\((\d)\)', changed, text)

    def highlighted(self, text):
        """Makes indented code that is compiled a block of its language."""
        def fenced(found):
            code = re.sub(r'^    ', '', found[2], flags=re.M).rstrip('\n')
            return f'```{LANGUAGES[Path(found[1]).suffix]}\n{code}\n```\n\n'
        return re.sub(r'^<!-- compiled: (\S+) -->\n+(    .*\n(?:    .*\n|\n)*)', fenced, text, flags=re.M)

    def documents(self):
        for pattern in DOCUMENTS:
            for path in sorted(self.root.glob(pattern)):
                name = path.relative_to(self.root).as_posix()
                text = self.highlighted(self.relinked(path.read_text(), name))
                # A picture leads to itself in full size.
                text = re.sub(r'^(!\[[^]]*\]\(([^)]*\.svg)\))$', r'[\1](\2)', text, flags=re.M)
                if name == 'README.md':
                    text += self.contents(text)
                elif name.startswith('docs/man/'):
                    text = re.sub(r'^# (\S+): (.)(.*)', lambda title: f'# {title[1]}\n\n{title[2].upper()}{title[3]}.', text)
                    text = self.manual_pages(text, name)
                elif name == 'docs/reference/settings.md':
                    text = self.settings()
                self.write(self.places[name], text)
        for pattern in FILES:
            for path in self.root.glob(pattern):
                target = self.folder / path.relative_to(self.root)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
        self.write('license.md', '# License\n\n```text\n' + (self.root / 'LICENSE').read_text() + '```\n')

    def settings(self):
        before, topics = pages.settings(self.root)
        return f'# Settings\n\n{before}' + ''.join(
            f'## {title}\n\n' + ''.join(f'```{{envvar}} {name}\n{said}\n```\n\n' for name, said in rows) for title, rows in topics)

    def contents(self, readme):
        """Returns the tables of contents. Documents that a chapter does not list first come in the order of README or of names."""
        text = '\n'
        for caption, first, pattern in CHAPTERS:
            others = [p[:-len('.md')] for p in self.places.values() if Path(p).match(pattern + '.md')]
            place = {name: readme.find(name + '.md') % (1 << 30) for name in others}
            names = list(dict.fromkeys(first + sorted(others, key=lambda name: place[name])))
            text += f'```{{toctree}}\n:hidden:\n:caption: {caption}\n\n' + '\n'.join(names) + '\n```\n\n'
        return text

    def programs(self):
        return sorted(path.relative_to(self.root).as_posix() for folder in ('examples', 'bindings/python/examples')
                      for path in (self.root / folder).rglob('*') if path.suffix in LANGUAGES)

    def examples(self):
        table = (self.root / 'docs/guide/examples.md').read_text()
        for name in self.programs():
            code = (self.root / name).read_text().rstrip()
            row = re.search(rf'^\| \[{re.escape(Path(name).name)}\]\([^)]*\) \| ([^|]*) \|', table, re.M)
            about = f'It shows: {row[1]}. ' if row else ''
            others = posixpath.relpath('docs/guide/examples.md', posixpath.dirname(name))
            self.write(f'{name}.md', f'---\norphan: true\n---\n# {Path(name).name}\n\n{about}This is `{name}` of the source, '
                       f'which the tests run. See [all examples]({others}).\n\n'
                       f'```{LANGUAGES[Path(name).suffix]}\n{code}\n```\n')

    def reference(self):
        reference = pages.Reference(self.root)
        for name, text in reference.site_pages(lambda path, title: self.link(path, title, 'calls/x/y.md')):
            self.write(f'calls/{name}.md', text)
        for name, text in python_pages.site_pages(self.root):
            self.write(f'calls/{name}.md', text)
        names = []
        for page in pages.program_pages(self.root):
            name = page.names[0]
            names.append(f'| [{name}]({name}.md) | {pages.prose(pages.sentence_case(page.summary))} |')
            text = re.sub(r'^# (.*)', lambda title: '## ' + title[1].capitalize(), page.text, flags=re.M)
            self.write(f'programs/{name}.md', f'# {name}\n\n' + self.manual_pages(text, f'programs/{name}.md'))
        self.write('programs/index.md', '# Programs\n\n| program | purpose |\n|---|---|\n' + '\n'.join(names)
                   + '\n\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n')

    def results(self):
        rows = []
        for path in sorted(self.root.glob('docs/results/*.md')):
            title = re.search(r'^# (.*)', path.read_text(), re.M)[1]
            rows.append(f'| [{path.stem}]({path.name}) | {title} |')
        self.write('docs/results/index.md', '# All results\n\nEach table names the machine, the date and the commit.\n\n'
                   '| table | subject |\n|---|---|\n' + '\n'.join(rows) + '\n\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n')


def main(root, folder):
    shutil.rmtree(folder, ignore_errors=True)
    stage = Stage(root, folder)
    stage.documents()
    stage.examples()
    stage.reference()
    stage.results()


if __name__ == '__main__':
    main(Path(sys.argv[1]), Path(sys.argv[2]))
