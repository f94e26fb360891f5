"""Writes the reference of the Python package as Markdown, from the docstrings in its sources, which are not imported.

python_pages.py SOURCE prints the public names that lack a docstring or type hints.
"""
import ast
import inspect
import re
import sys
from pathlib import Path

PACKAGE = 'bindings/python/causeway'
HEADING = re.compile(r'^(\w[\w ]*)\n-+\n', re.M)
LISTS = ('Parameters', 'Returns', 'Yields', 'Raises', 'Attributes', 'Other Parameters')


class Module:
    """A module's classes and functions by name, in the order of the file."""

    def __init__(self, path):
        tree = ast.parse(path.read_text())
        self.doc = ast.get_docstring(tree) or ''
        self.items = {its.name: its for its in tree.body if isinstance(its, (ast.FunctionDef, ast.ClassDef))}


def imported(path):
    """Yields each module of the same folder that a file imports names of, and these names."""
    for its in ast.parse(path.read_text()).body:
        if isinstance(its, ast.ImportFrom) and its.level == 1:
            yield its.module, [alias.asname or alias.name for alias in its.names]


class Package:
    """The modules of the package, and the names that it makes public."""

    def __init__(self, root):
        folder = root / PACKAGE
        self.modules = {path.stem: Module(path) for path in sorted(folder.glob('*.py')) if not path.stem.startswith('__')}
        for path in sorted(folder.glob('*/__init__.py')):  # a package below it is like a module
            self.modules[path.parent.name] = its = Module(path)
            for module, names in imported(path):
                if module:
                    items = Module(path.parent / f'{module}.py').items
                    its.items.update((name, items[name]) for name in names if name in items)
        self.doc = ast.get_docstring(ast.parse((folder / '__init__.py').read_text())) or ''
        self.public = {}  # module: names, in the order of the imports of __init__.py
        for module, names in imported(folder / '__init__.py'):
            if module:
                known = self.public.setdefault(module, [])
                known += [name for name in names if name in self.modules[module].items and name not in known]
        own = Module(folder / '__init__.py')
        own.doc = 'The package itself.'
        self.modules['_package'] = own
        self.public['_package'] = [name for name in own.items if not name.startswith('_')]
        for name, module in self.modules.items():
            if not name.startswith('_'):  # a module of its own: cw.linalg
                self.public[name] = [its for its in module.items if not its.startswith('_')]

    def bases(self, node):
        """Yields a class and those of its base classes that the package defines privately."""
        yield node
        for base in node.bases:
            for module in self.modules.values():
                its = module.items.get(getattr(base, 'id', None))
                if isinstance(its, ast.ClassDef):
                    yield from self.bases(its)

    def methods(self, node):
        """Returns the public methods and properties of a class, also those of its base classes."""
        found = {}
        for one in self.bases(node):
            for its in one.body:
                if isinstance(its, ast.FunctionDef) and not its.name.startswith('_'):
                    found.setdefault(its.name, its)
        return list(found.values())

    def names(self):
        """Yields (full name, node) of each public function, class, method and property."""
        for module, names in self.public.items():
            prefix = 'causeway.' if module.startswith('_') else f'causeway.{module}.'
            for name in names:
                node = self.modules[module].items[name]
                yield prefix + name, node
                if isinstance(node, ast.ClassDef):
                    for method in self.methods(node):
                        yield f'{prefix}{name}.{method.name}', method


def is_property(node):
    return any(getattr(its, 'id', getattr(its, 'attr', None)) in ('property', 'setter') for its in node.decorator_list)


def signature(name, node):
    """Returns the text of a call or a property."""
    if isinstance(node, ast.ClassDef):
        init = next((its for its in node.body if isinstance(its, ast.FunctionDef) and its.name == '__init__'), None)
        if init is None:
            return name
        node = ast.FunctionDef(name=node.name, args=init.args, body=[], decorator_list=[], returns=None)
    if is_property(node):
        return name + (f': {ast.unparse(node.returns)}' if node.returns else '')
    arguments = re.sub(r'^(self|cls)(, )?', '', ast.unparse(node.args))
    return f'{name}({arguments})' + (f' -> {ast.unparse(node.returns)}' if node.returns else '')


def markdown(text):
    """Returns Markdown of a docstring in numpy's style. Its sections become lists of terms."""
    pieces = HEADING.split(inspect.cleandoc(text))
    result = paragraphs(pieces[0])
    for title, body in zip(pieces[1::2], pieces[2::2]):
        result += f'**{title}**\n\n' + (terms(body) if title in LISTS else paragraphs(body))
    return result


def paragraphs(text):
    """Returns Markdown of paragraphs: indented code becomes a block of Python."""
    text = re.sub(r'^(?:(?: {4}|>>> |\.\.\. ).*\n?|\n(?= {4}| *$))+',
                  lambda code: '\n```python\n' + inspect.cleandoc('\n' + code[0]).strip('\n') + '\n```\n\n' if code[0].strip() else code[0],
                  text.strip('\n') + '\n', flags=re.M)
    pieces = re.split(r'(```(?s:.*?)```|`[^`\n]*`)', text)
    return ''.join(piece if i % 2 else re.sub(r'([\\*_<>])', r'\\\1', piece) for i, piece in enumerate(pieces)).strip('\n') + '\n\n'


def terms(body):
    """Returns Markdown of a list of terms, each with an indented text."""
    result = ''
    for item in re.split(r'\n(?=\S)', inspect.cleandoc(body)):
        head, _, text = item.partition('\n')
        text = ' '.join(paragraphs(inspect.cleandoc(text)).split())
        result += f'`{head}`\n: {text}\n\n' if text else f'`{head}`\n\n'
    return result


def entry(level, full, node, package):
    text = f'{"#" * level} {full}\n\n```python\n{signature(full.rpartition(".")[2], node)}\n```\n\n'
    text += markdown(ast.get_docstring(node) or '')
    if isinstance(node, ast.ClassDef):
        for method in package.methods(node):
            text += entry(level + 1, f'{node.name}.{method.name}', method, package)
    return text


def site_pages(root):
    """Yields the name and the text of each page: one for each module of public names, and a page that lists them."""
    package = Package(root)
    rows = ''
    for module, names in package.public.items():
        if not names:
            continue
        title = 'causeway.' + module if not module.startswith('_') else package.modules[module].doc.partition('\n')[0].rstrip('.')
        page = module.lstrip('_')
        first, _, rest = package.modules[module].doc.partition('\n')
        text = f'# {title}\n\n' + markdown(rest if module.startswith('_') else package.modules[module].doc)
        for name in names:
            text += entry(2, f'causeway.{name}' if module.startswith('_') else f'causeway.{module}.{name}',
                          package.modules[module].items[name], package)
        rows += f'| [{title}]({page}.md) | ' + ', '.join(f'`{name}`' for name in names) + ' |\n'
        yield f'python/{page}', text
    yield 'python/index', ('# Python\n\n' + markdown(package.doc) + '| subject | names |\n|---|---|\n' + rows
                           + '\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n')


def undocumented(root):
    """Returns the public names without a docstring."""
    return [name for name, node in Package(root).names() if not ast.get_docstring(node)]


def unhinted(root):
    """Returns the public functions without a type hint of what they return."""
    return [name for name, node in Package(root).names() if isinstance(node, ast.FunctionDef) and node.returns is None]


if __name__ == '__main__':
    for name in undocumented(Path(sys.argv[1])):
        print(f'{name} has no docstring')
    for name in unhinted(Path(sys.argv[1])):
        print(f'{name} has no type hint of what it returns')
