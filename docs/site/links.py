"""Finds links of HTML and Markdown to files that do not exist, and to places that a page does not have.

links.py FOLDER
"""
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.places = set(), set()
        text = path.read_text()
        if path.suffix == '.html':
            self.feed(text)
        else:
            self.links.update(re.findall(r'\]\(([^)" ]+)\)', text))
            titles = re.findall(r'^#+ (.*)', text, re.M)
            self.places.update(re.sub(r'[^a-z0-9 _-]', '', title.lower()).replace(' ', '-') for title in titles)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ('id', 'name') and value:
                self.places.add(value)
            elif name in ('href', 'src') and value:
                self.links.add(value)


def main(folder):
    pages = {path.resolve(): Page(path) for path in folder.rglob('*') if path.suffix in ('.html', '.md')}
    count, wrong = 0, []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                wrong.append(f'{path.relative_to(folder.resolve())}: {link}: there is no such file')
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
                wrong.append(f'{path.relative_to(folder.resolve())}: {link}: the page has no such place')
    print(*sorted(wrong), sep='\n', end='\n' if wrong else '')
    print(f'{len(pages)} pages, {count} links, {len(wrong)} of them wrong')
    return 1 if wrong or count == 0 else 0


if __name__ == '__main__':
    sys.exit(main(Path(sys.argv[1])))
