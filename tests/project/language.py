"""Finds comments, messages and documents that are not plain English (CONTRIBUTING.md, "Language").

language.py EXCEPTIONS FILE...

Prints each sentence with a listed construction or a private word, with file, line and the rule. A line of EXCEPTIONS,
"RULE | FILE | part of the sentence | reason", allows one. Unused exceptions are errors, too.
"""
import re
import sys

# Constructions at the beginning of a sentence.
HEADS = [
    ("headless", r"(Who|Whom|Whose|Whoever|What|Whatever) (?!(if|about)\b)[^?]*$"),
    ("no subject", r"(Of|By|Not of|As of) (a|an|the|one|this|that|each|all|any|such|those|these|which|its|my|our|course not)\b(?!.*,)"),
    ("no subject", r"(Of|By|As)( \S+){1,5}$"),
    ("no subject", r"(Where|How|Whether|From where|To where|When) [^,?]*$"),
    ("like what", r"The same,? (but|as|for|with|in|at once)\b"),
]
# Constructions and private words anywhere in a sentence.
PARTS = [
    ("headless", r"[:;] (who|whom|whoever) "),
    ("headless", r"\b(for|to|of|with|from|by|than|as|and|but|that|where|if|because) (who|whoever|those who|him who) (is|are|was|has|have|had|does|waits?|asks?|gets?|calls?|comes?|makes?|takes?|passes|wants?|needs?|knows?)\b"),
    ("telegraph", r"(?<![\w\"'=-])(NULL|false|true|-1|0): [a-z]"),
    ("question", r"\?$"),
    ("told", r"\b(is|are|was|were|be|been|being|not|never) (told|heard|said|asked)\b"),
    ("told", r"\b(tells?|told|hears?|heard) (it|them|him|us|me|of|that|this|the|a|an|which|what|who|whom|where|whether|how|each|all|its|their|my)\b"),
    ("refuse", r"\brefus(e|es|ed|ing|al|als)\b"),
    ("nobody", r"\b(nobody|somebody|anybody|everybody)\b"),
    ("behind", r"\bbytes behind\b|\bbehind (it\b|them\b|all\b|the (start|end|last|first|address|name)\b|`)"),
    ("host plays", r"\bthe host plays\b"),
    ("who has than", r"\bother \w+ (have|has) than\b|\bhas other \w+ than\b"),
    ("brought", r"\b(was|were|be|been|not|has|have) brought\b|\bto bring (it|them|one|data)\b"),
    ("in vain", r"\bin vain\b"),
    ("so many", r"\bso (many|much|few) (?!that\b|as\b|the\b|of\b)"),
    ("goes on", r"\b(goes|go|going|went|gone) on\b(?! (to|in) )"),
    ("there is not", r"\bwhat there (is|are|was|were)\b|\bthat there (is|are|was|were) not\b|\bof which there (is|are)\b"),
    ("private word", r"\b(errands?|wish(es)?|doz(e|es|ing)|storeys?|tray|pipes? of the link|landings?|crew|shelf|shelves|gauges?|"
                     r"witness(es)?|visitors?|clerks?|desks?|census|couriers?|parcels?|knock(s|ing|ed)?|riddles?)\b"),
    ("private word", r"\b(looks?|looked|looking) (again|on|at MPI|once|in between)\b"),
]


def comments_of_c(text):
    """Yields (line, text) of each comment of a C source."""
    pattern = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.S)
    for match in pattern.finditer(text):
        found = match.group()
        if found[0] == "/":
            body = found[2:-2] if found[1] == "*" else found[2:]
            body = re.sub(r"\n[ \t]*\* ?", "\n", body)
            yield text.count("\n", 0, match.start()) + 1, body


def comments_of_script(text):
    """Yields (line, text) of each run of comment lines of a shell script, CMake or Fortran file."""
    run, begin = [], 0
    for number, line in enumerate(text.split("\n") + [""], 1):
        match = re.match(r"\s*[#!](?![!$]) ?(.*)", line)
        if match:
            begin = begin if run else number
            run.append(match.group(1))
        elif run:
            yield begin, "\n".join(run)
            run = []


def paragraphs_of_document(text):
    """Yields (line, text) of each paragraph, list item and table cell of a Markdown document, without code."""
    fenced, run, begin = False, [], 0
    for number, line in enumerate(text.split("\n") + [""], 1):
        fence = line.lstrip().startswith("```")
        fenced = fenced != fence
        plain = not (fence or fenced or re.match(r"    |<|#|\|[-: |]+$", line)) and line.strip()
        if run and (not plain or re.match(r"\s*([-*|]|\d+\.) ?", line)):
            yield begin, " ".join(run)
            run = []
        if plain and line.startswith("|"):
            for cell in line.strip("| ").split(" | "):
                yield number, cell
        elif plain:
            begin = begin if run else number
            run.append(re.sub(r"^\s*([-*]|\d+\.) ", "", line).strip())


def sentences_of(comment):
    """Yields the sentences of a comment; tables, lists of words and code are left out."""
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*[-*|] )|\n(?=  )", comment):
        for sentence in re.split(r"(?<=[.?;]) (?=[A-Z\"'])|(?<=[.?])\s+(?=[A-Z])", " ".join(paragraph.split())):
            if len(sentence.split()) > 1:
                yield sentence


def rules_of(sentence):
    bare = re.sub(r'"[^"]*"|`[^`]*`', "X", sentence)
    for name, pattern in HEADS:
        if re.match(pattern, bare):
            yield name
    for name, pattern in PARTS:
        if re.search(pattern, bare):
            yield name


def main():
    allowed = []
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                allowed.append([part.strip() for part in line.split("|", 3)])
    used, bad, count = set(), 0, 0
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        find = paragraphs_of_document if path.endswith(".md") else comments_of_script
        is_c = re.search(r"\.(c|h|inc|cpp|hpp|cl|cu|def|js)$", path)
        for line, comment in (comments_of_c if is_c else find)(text):
            for sentence in sentences_of(comment):
                count += 1
                for rule in set(rules_of(sentence)):
                    match = [i for i, (r, f, part, _) in enumerate(allowed) if r == rule and f == path and part in sentence]
                    if match:
                        used.update(match)
                        continue
                    bad += 1
                    print(f"{path}:{line}: {rule}: {sentence[:150]}")
    for i, exception in enumerate(allowed):
        if i not in used:
            bad += 1
            print("unused exception: " + " | ".join(exception))
    print(f"{count} sentences, {bad} to reword")
    return bad > 0


sys.exit(main())
