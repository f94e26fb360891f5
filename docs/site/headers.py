"""Reads public headers: their overview, and groups of declarations below one comment each."""
import re
from dataclasses import dataclass, field
from pathlib import Path

# Beginnings of the sentences that begin a part of a comment. project.documented checks their form.
PARTS = {
    'called': r'(?:Local|Collective)\b',
    'completion': r'(?:Complete|Completion|Not complete)\b',
    'threads': r'Thread level\b',
    'errors': r'Errors\b',
    'origin': r'After (?=[A-Z])(?![^.]*\. [A-Z])',  # "After MPI_Bcast, MPI 3.0, section 5.4." ends a comment
}
PART = re.compile('|'.join(f'(?P<{name}>{start})' for name, start in PARTS.items()))
PARAMETER = re.compile(r'(\w+(?:, \w+)*): ')


@dataclass
class Declaration:
    kind: str  # function, macro, constant, type or variable
    name: str
    text: str  # as in the header
    signature: str = ''  # of a function or a macro with arguments, on one line


@dataclass
class Group:
    """Declarations without an empty line between them, and the comment above the first one."""
    comment: list = field(default_factory=list)  # ('text' or 'code', text)
    declarations: list = field(default_factory=list)

    def calls(self):
        return [d for d in self.declarations if d.kind in ('function', 'macro')]

    def parameters(self):
        """Returns the names of all parameters."""
        return set(re.findall(r'(\w+)(?:\[[^]]*\])*\s*[,)]', ' '.join(d.signature for d in self.declarations)))

    def parts(self):
        """Yields (kind, label, text): text, code, parameter, and the parts above."""
        names = self.parameters()
        for kind, text in self.comment:
            if kind == 'code':
                yield 'code', '', text
                continue
            part, label, collected = 'text', '', []
            for sentence in re.split(r'(?<=[.:)])\s+(?=[A-Za-z(*])', text):
                start = PART.match(sentence)
                parameter = PARAMETER.match(sentence + ' ')
                if start:
                    found, new_label = start.lastgroup, ''
                elif parameter and names & set(parameter[1].split(', ')) and not sentence.startswith('Errors'):
                    found, new_label = 'parameter', parameter[1]
                    sentence = sentence[len(parameter[0]):]
                else:
                    collected.append(sentence)
                    continue
                if ' '.join(collected).strip():
                    yield part, label, ' '.join(collected).strip()
                part, label, collected = found, new_label, [sentence]
                if part == 'called':
                    yield part, '', sentence
                    part, collected = 'text', []
            if ' '.join(collected).strip():
                yield part, label, ' '.join(collected).strip()

    def summary(self):
        """Returns the first sentence, without its full stop, and in lower case unless it begins with a name."""
        text = next((t for k, t in self.comment if k == 'text'), '').replace('`', '')
        sentence = re.split(r'(?<!\.\.)\.(?:\s|$)', text, maxsplit=1)[0].rstrip(':')
        first = sentence.split(' ')[0]
        named = re.match(r'[A-Z]{2}|\w*_|Global Arrays', sentence) or any(d.name.endswith('_' + first) for d in self.declarations)
        return sentence if named else sentence[:1].lower() + sentence[1:]


@dataclass
class Header:
    path: Path
    include: str
    overview: Group
    groups: list

    @property
    def name(self):
        return re.sub(r'^<|>$', '', self.include)


def comment_blocks(text):
    """Returns the paragraphs and the code of a comment. Lines below an empty one that are indented further are code."""
    lines = [re.sub(r'^ ?\* ?', '', line) for line in re.sub(r'^/\*+|\*/\s*$', '', text.strip()).split('\n')]
    blocks, code = [], False
    before_empty = True
    for line in lines:
        line = line.rstrip()
        if not line.strip():
            before_empty = True
            continue
        indented = line.startswith('  ')
        if indented and before_empty:
            if not (blocks and code):
                blocks.append(['code', []])
            code = True
        elif before_empty or (code and not indented):
            blocks.append(['text', []])
            code = False
        before_empty = False if not code else before_empty
        blocks[-1][1].append(line if code else line.strip())
    result = []
    for kind, content in blocks:
        if kind == 'code':
            least = min(len(line) - len(line.lstrip()) for line in content)
            result.append((kind, '\n'.join(line[least:] for line in content)))
        else:
            result.append((kind, ' '.join(content)))
    return result


def for_c(text):
    """Returns the text without the parts for C++ alone, include guards and includes."""
    kept, stack = [], []
    for line in text.split('\n'):
        word = re.match(r'#\s*(ifdef|ifndef|if|else|elif|endif)\b\s*(.*)', line)
        if word and word[1] in ('ifdef', 'ifndef', 'if'):
            stack.append(None if '__cplusplus' not in word[2] else word[1] == 'ifndef')
        elif word and word[1] in ('else', 'elif'):
            if stack[-1] is not None:
                stack[-1] = not stack[-1]
        elif word:
            stack.pop()
        elif False not in stack and not re.match(r'#\s*(include|define \w+_H_?$)', line):
            kept.append(line)
    return '\n'.join(kept)


def split_declarations(text):
    """Yields, for each macro and each declaration with the comment after it, whether an empty line precedes it, and its text."""
    at, begin, depth = 0, 0, 0
    while at < len(text):
        end = 0
        if text.startswith('/*', at):
            at = text.index('*/', at) + 2
        elif text[at] == '#' and not text[begin:at].strip():
            end = re.compile(r'(?<!\\)(?=\n)|\Z').search(text, at).end()
        else:
            depth += {'{': 1, '(': 1, '}': -1, ')': -1}.get(text[at], 0)
            at += 1
            if text[at - 1] == ';' and depth == 0:
                end = re.compile(r'\n|\Z').search(text, at).start()
        if end:
            space = re.match(r'\s*', text[begin:end])[0]
            yield begin > 0 and space.count('\n') > 1, text[begin:end].strip()
            at = begin = end


def declaration(text):
    bare = re.sub(r'/\*.*?\*/', '', text, flags=re.S).strip()
    flat = re.sub(r'\s+', ' ', re.sub(r'\\\n', ' ', bare))
    flat = re.sub(r'^(CW_CHECKED|extern) |CW_DEPRECATED\(.*?"\) ', '', flat)
    macro = re.match(r'# ?define (\w+)(\([^)]*\))?', flat)
    if macro:
        return Declaration('macro' if macro[2] else 'constant', macro[1], text, macro[1] + (macro[2] or ''))
    name = re.match(r'typedef [^{]*\(\*(\w+)\)', flat) or (flat.startswith('typedef') and re.search(r'(\w+);$', flat))
    name = name or re.match(r'(?:struct|enum|union) (\w+)? ?\{', flat)
    if name:
        return Declaration('type', name[1] or '', text)
    call = re.match(r'[\w\s*]*?(\w+)\((.*)\);$', flat)
    if call:
        return Declaration('function', call[1], text, flat.rstrip(';'))
    name = re.search(r'(\w+)(\[.*?\])*( ?=.*)?;$', flat)
    return Declaration('variable', name[1] if name else '', text)


def read(path, include):
    text = path.read_text()
    first = re.match(r'\s*(/\*.*?\*/)', text, re.S)
    blocks = comment_blocks(first[1]) if first else []
    if blocks and blocks[0][1].startswith('Causeway: '):
        sentence = blocks[0][1][len('Causeway: '):]
        blocks[0] = (blocks[0][0], sentence[0].upper() + sentence[1:])
    overview = Group(blocks)
    groups, group, before = [], None, None
    # A comment at the left margin begins a group, and an empty line ends one. Functions after the empty line belong to
    # the comment before it, too, unless a title such as "---- Groups ----" is between.
    for piece in re.split(r'(^/\*.*?\*/[ \t]*\n)', for_c(text[first.end() if first else 0:]), flags=re.S | re.M):
        if re.match(r'/\* -+ .* -+ \*/', piece):
            group = before = None
        elif piece.startswith('/*'):
            group = before = Group(comment_blocks(piece))
            groups.append(group)
        else:
            for empty, text in split_declarations(piece):
                found = declaration(text)
                if empty or group is None:
                    group = before if before and found.kind == 'function' else Group()
                    if group is not before:
                        groups.append(group)
                group.declarations.append(found)
    return Header(path, include, overview, [g for g in groups if g.declarations])
