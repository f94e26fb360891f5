# reports.py real|made_up|large|refused|compared|written|browser CW-REPORT [KNOWN MPIEXEC...]: checks the reports of cw-report:
# on the profile of a job of `known`, on generated ones (made.py), and on files that are no profiles.
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import unicodedata

sys.dont_write_bytecode = True  # the sources stay as they are
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "kit"))
from checks import PATIENCE, fail, failed, same  # noqa: E402

from made import job, row_of_pair
from pages import Page, round_up, seen_in_browser

what, report, *more = sys.argv[1:]


def run(*arguments, status=0):
    done = subprocess.run([report, *arguments], capture_output=True, timeout=PATIENCE)
    if done.returncode != status:
        fail(f"status {done.returncode}, not {status}, of cw-report {' '.join(arguments)}: {done.stderr.decode()}")
    return done.stdout, done.stderr.decode()


def save(profile, path):
    with open(path, "w") as file:
        file.write(profile if isinstance(profile, str) else json.dumps(profile))


def text_of(*arguments):
    text = run(*arguments)[0].decode()
    for line in text.split("\n"):
        if len(line) > 80 or line != line.rstrip():
            fail(f"more than 80 columns, or spaces at the end: '{line}'")
        if any(unicodedata.category(each) in ("Cc", "Cf") for each in line):
            fail(f"control characters: {line!r}")
    return text


def page_of(*arguments):
    run(*arguments, "-o", "page.html")
    return Page("page.html", fail)


# --- A report against the JSON that it is of.
def check_matrix(page, noun, members, pairs, most):
    each = -(-members // most)
    cells = -(-members // each)
    matrix = page.matrix(noun)
    for name in ("bytes", "operations") if cells <= 64 else ("bytes",):
        want = [0] * (cells * cells)
        for pair in pairs:
            want[pair["origin"] // each * cells + pair["target"] // each] += pair[name]
        got = matrix[name]
        near = 0 if cells <= 64 else 0.006  # three digits
        for cell in range(cells * cells):
            if abs(got[cell] - want[cell]) > near * want[cell]:
                fail(f"{noun} {cell // cells} to {cell % cells}: {got[cell]} {name}, not {want[cell]}")
                break
        same(f"cells of {noun} that are drawn, {name}", page.drawn(noun, name), page.shades(want, name))


# Rows, columns, values and owners of cells in the program's order: Fortran's rows are C's last dimension.
def shown_heat_map(chart):
    axes = [{"width": width, "extent": chart["extents"][dimension], "dimension": dimension, "blocks": blocks}
            for dimension, width, blocks in zip(chart["drawn"], chart["widths"], chart["blocks"])]
    cells = {(row, column): rest for row, column, *rest in chart["cells"]}
    if len(axes) == 1:
        rows, columns = None, axes[0]
        cells = {(0, row): rest for (row, _), rest in cells.items()}
    elif chart["fortran"]:
        columns, rows = axes
        cells = {(column, row): rest for (row, column), rest in cells.items()}
    else:
        rows, columns = axes
    return rows, columns, cells


def check_heat_maps(page, text, profile):
    drawn = [row for row in sorted(profile["objects"], key=lambda row: (-row["bytes"], row["object"])) if "chart" in row and
             any((row["chart"]["extents"][dimension] - 1) // width for dimension, width in
                 zip(row["chart"]["drawn"], row["chart"]["widths"])) and 0 not in row["chart"]["extents"]]
    for number, row in enumerate(drawn):
        noun = f"object-{number}"
        if number >= 20:
            same("more pictures than 20", page.map(noun), None)
            break
        chart = row["chart"]
        rows, columns, cells = shown_heat_map(chart)
        count = [1 if axis is None else (axis["extent"] - 1) // axis["width"] + 1 for axis in (rows, columns)]
        places = [(i, j) for i in range(count[0]) for j in range(count[1])]
        matrix = page.matrix(noun)
        for name, at in (("operations", 0), ("bytes", 1)):
            want = [cells.get(place, [0, 0])[at] for place in places]
            same(f"{name} of {row['object']}", matrix[name], want)
            same(f"cells of {row['object']}", page.drawn(noun, name, count[1]), page.shades(want, name))
        same(f"holders in {row['object']}", matrix["held"], [cells[place][2:] if place in cells else [] for place in places])
        one = int(chart["fortran"])
        for axis, member, cells_there in ((rows, "rows", count[0]), (columns, "columns", count[1])):
            if axis is not None:
                ranges = [(cell * axis["width"] + one, min(axis["extent"], (cell + 1) * axis["width"]) - 1 + one)
                          for cell in range(cells_there)]
                got = [re.search(r"(\d+)(?:-(\d+))?$", words).groups() for words in matrix[member]]
                same(f"{member} of {row['object']}", [(int(a), int(b or a)) for a, b in got], ranges)
        lines = "".join(path.get("d") for path in page.map(noun).iter("{http://www.w3.org/1999/xhtml}path")
                        if path.get("class") == "blocks")
        same(f"blocks of {row['object']}", [round(float(at), 3) for at in re.findall(r"M([\d.]+) 0v", lines)],
             [round(begin / columns["width"], 3) for begin in columns["blocks"]])
        same(f"rows of blocks of {row['object']}", [round(float(at), 3) for at in re.findall(r"M0 ([\d.]+)h", lines)][:-1],
             [round(begin / rows["width"], 3) for begin in rows["blocks"]] if rows else [])
        shades = page.shades([cells.get(place, [0, 0])[1] for place in places], "bytes")
        want = ["|" + "".join(" .:-=+*%#@"[shades[i * count[1] + j]] for j in range(count[1])) + "|" for i in range(count[0])]
        if number < 5 and "\n".join(want) not in re.sub(r"(?m)^ [^|]*\|", "|", text):
            fail(f"the text does not draw {row['object']}: {want}")
    for row in profile["elements"]:
        if not re.search(rf"{re.escape(row['element'])} .*\b{row['updates']} +{row['over']}\n", text):
            fail(f"the text does not tell of {row}")


def check_course(page, text, profile):
    drawn = sorted(page.waits(), key=lambda bar: bar[2])
    waits = sorted(profile["waits"], key=lambda row: f"process {row['process']}, from ")
    same("waits that are drawn", len(drawn), len(waits))
    seconds = max([profile["wall"]] + [row["began"] + row["seconds"] for row in waits])
    for row in waits:
        near = [bar for bar in drawn if abs(bar[0] - row["began"] / seconds) < 0.001 and
                abs(bar[1] - max(row["seconds"] / seconds, 1 / 640)) < 0.001 and row.get("call", row["class"]) in bar[2] and
                bar[2].startswith(f"process {row['process']}, from ") and row["whom"] in bar[2]]
        if not near:
            fail(f"{row} is not drawn where it was, among {drawn}")
    for column, member in (("from", "began"), ("for", "seconds")):
        if waits and abs(page.total("waits", column) - sum(row[member] for row in waits)) > 1e-6:
            fail(f"{column} of waits: {page.total('waits', column)}")
    same("the text has waits", "==== longest waits" in text, len(waits) > 0)
    # Axes begin at 0, and their marks are round.
    for picture, kind, mark in (("waits", "time-tick", r"\d{1,3}(\.\d)? [mun]?s"), ("memory", "time-tick", r"\d{1,3}(\.\d)? [mun]?s"),
                                ("memory", "amount-tick", r"\d{1,4}(\.5|\.25|\.75)? (|[KMG]i)B")):
        for ticks in page.ticks(picture, kind) if f'id="picture-{picture}"' in page.source else []:
            if len(ticks) < 3 or ticks[0] != "0" or not all(re.fullmatch(mark, tick) for tick in ticks[1:]):
                fail(f"marks of {kind} of {picture}: {ticks}")
    courses = profile["memory_over_time"]
    for of in ("process", "node"):
        rows = [row for row in courses if row["of"].startswith(of)]
        most = max([0] + [value for row in rows for value in row["most"]])
        if most > 0:  # the axis ends at a round number
            step = round_up(max(1, most / 4), "bytes")
            most = step * -(-most // step)
        # Values in the middle of these steps. A course may be longer than the job, with which the picture ends.
        whole = max(1, min(len(rows[0]["most"]), int(profile["wall"] / rows[0]["step"]))) if rows else 0
        steps = [int(share * whole) for share in (0.01, 0.31, 0.71, 0.96)]
        lines = page.courses([min((step + 0.5) * rows[0]["step"] / profile["wall"], 1) for step in steps]) if most > 0 else {}
        for row in rows if most > 0 else []:
            for name in ("least", "mean", "most") if "members" in row else ("most",):
                title = f"{name} of {row['members']} {row['of']}" if "members" in row else f"{of} {row['number']}"
                if (row["step"], len(row["most"])) != (rows[0]["step"], len(rows[0]["most"])):
                    continue
                want = [row[name][step] / most for step in steps]
                got = lines.get(title)
                if got is None or max(abs(a - b) for a, b in zip(got, want)) > 0.002:
                    fail(f"{title} is drawn as {got}, not {want}")
                at_end = page.column(page.tables["memory"][0], "at the end")
                if str(row[name][-1]) not in at_end:
                    fail(f"the table does not tell that {title} is {row[name][-1]} at the end")


def check(profile, path, nodes_shown=True):
    text = text_of(path, "--rows", "0")
    if f"{profile['bytes']} bytes" not in " ".join(text.split()):
        fail(f"the text does not tell of {profile['bytes']} bytes")
    page = page_of(path, "--rows", "0")
    same("contents", page.contents(), [f"#{name}" for name in page.tables])
    names = [name for name in page.tables if name not in ("advice", "blocks", "elements")]
    has_names = any(row.get("call") for row in profile["call_sites"])
    same("what comes first", names[:4], ["classes", "calls", "sites", "objects"] if has_names else ["classes", "sites", "objects", *names[3:4]])
    calls = {}
    for row in profile["call_sites"] if has_names else []:
        calls[row["call"] or "-", row["class"]] = calls.get((row["call"] or "-", row["class"]), 0) + row["calls"]
    if has_names:
        table = page.tables["calls"][0]
        same("calls by name", dict(zip(zip(page.column(table, "call"), page.column(table, "class")), map(int, page.column(table, "calls")))), calls)
    usages = [row["usage"] for row in profile["per_process"] if "usage" in row]
    servers = [row["server"] for row in profile["per_node"] if "server" in row]
    same_as = {name: name for name in ("messages", "bytes", "requests", "forwards", "stalls", "asleep", "sleeps", "busy")}
    for section, rows, columns in (
            ("classes", "classes", {"calls": "calls", "bytes": "bytes", "seconds": "seconds"}),
            ("processes", "per_process", {"operations": "operations", "bytes": "bytes", "wall": "wall"}),
            ("usage", usages, {"user": "user", "system": "system", "faults": "faults", "from disk": "disk_faults",
                               "sleeps": "sleeps", "lost": "preemptions", "no core": "waited", "memory": "most_memory"}),
            ("nodes", "per_node", {"memory": "memory"}),
            ("nodes", servers, dict(same_as, core="processor", waiting="most_waiting") if servers else {}),
            ("routes", "operations", {"count": "count", "bytes": "bytes"}),
            ("communication", "pairs", {"operations": "operations", "bytes": "bytes"}),
            ("objects", "objects", {"operations": "operations", "bytes": "bytes", "seconds": "seconds", "memory": "memory"}),
            ("sites", "call_sites", {"calls": "calls", "bytes": "bytes", "seconds": "seconds"})):
        for column, member in columns.items():
            want = sum(row[member] for row in (profile[rows] if isinstance(rows, str) else rows))
            if section == "classes" and column == "seconds":
                want += max(profile["time"] - profile["inside"], 0)
            got = page.total(section, column)
            if abs(got - want) > (1e-6 * want if isinstance(want, float) else 0):
                fail(f"{column} of {section}: {got}, not {want}")
    for section, rows, member in (("sizes", "operations", "sizes"), ("times", "classes", "clocked")):
        same(f"counts of {section}", sum(page.total_of(table, "count") for table in page.tables[section]),
             sum(sum(row[member]) for row in profile[rows]))
    check_matrix(page, "process", profile["processes"], profile["pairs"], 256)
    check_heat_maps(page, text, profile)
    if nodes_shown:
        node = {row["process"]: row["node"] for row in profile["per_process"]}
        check_matrix(page, "node", profile["nodes"], [
            dict(pair, origin=node[pair["origin"]], target=node[pair["target"]]) for pair in profile["pairs"]], 128)
    same("pictures of nodes", page.has_matrix("node"), nodes_shown)
    check_course(page, text, profile)
    return text, page


# --- Tests.
def real():
    known, *mpiexec = more
    for processes, nodes, settings in ((1, 1, {}), (2, 1, {}), (4, 2, {"CW_NODE_SIZE": "2", "CW_SERVER": "none"})):
        done = subprocess.run([*mpiexec, "-n", str(processes), known], capture_output=True,
                              env=dict(os.environ, CW_PROFILE="known.json", **settings))
        same("known", done.returncode, 0)
        profile = json.load(open("known.json"))
        same("nodes", profile["nodes"], nodes)
        same("settings", {"CW_PROFILE": "known.json"}.items() <= profile["settings"].items(), True)
        same("settings that nobody gave", "CW_CHUNK_SIZE" in profile["settings"], False)
        text, page = check(profile, "known.json", nodes_shown=nodes > 1)
        if processes > 1 and not re.search(r"cw_put, \w+, known\.c:\d+ ", text.replace("\n", " ")):
            fail("the text does not tell where puts are called")
        for want in ("CW_PROFILE", "known.json", profile["machine"]["mpi"], profile["machine"]["release"]):
            if want not in text:
                fail(f"the text does not tell of {want!r}")


ODD = ["</script><script>alert(1)</script>", "]]>", "\"it's\" & <b>", "a\x1b[31mred\x07\x7f\x9b", "\u202egnirts",
       "\u00c3\u00bc", "\u20ac\U0001f642", "x" * 5000, "", "%s%n", "a\ufffe\uffffb", "\u00e4" * 999]


def made_up():
    profile = job(6, 3)
    profile["program"] = ODD[0]
    profile["settings"] = {name: name for name in ODD} | {"CW_ROUTE": "rma", "n": 12, "list": [1]}
    profile["objects"] += [dict(profile["objects"][0], object=name) for name in ODD]
    profile["call_sites"] += [dict(profile["call_sites"][0], function=name, file=name, module=name) for name in ODD]
    profile["advice"] = [{"kind": "locks", "share": 0.5, "sentence": " ".join(ODD)}]
    profile["phases"] = [{"phase": name, "number": 7, "seconds": 3.5, "processes": 6, "least": 0.25, "least_process": 2,
                          "most": 1.5, "most_process": 4, "inside": 1.25, "classes": {"put": 1}} for name in ("outer/inner", *ODD)]
    # Row numbers of many digits, operations without bytes, and no elements.
    chart = dict(profile["objects"][6]["chart"], extents=[2000000, 20], widths=[131072, 2],
                 blocks=[[0, 1000000], [0, 10]])
    profile["objects"] += [dict(profile["objects"][1], object=name, bytes=10**9, chart=dict(chart, **changes)) for name, changes in (
        ("large", {}), ("no bytes", {"cells": [[0, 0, 5, 0, 0, 0]]}), ("no rows", {"extents": [0, 20], "cells": []}))]
    profile["later"] = {"deep": [[[1, {"x": None}]]]}
    profile["pairs"][0]["also later"] = "x"
    save(profile, "odd.json")
    phases = text_of("odd.json", "--rows", "2").split("\n\n")
    same("phases are too many", f"And {len(ODD) - 1} more, with fewer seconds (--rows 0 shows all)." in " ".join(phases), True)
    same("memory is drawn of as many as are told", len(page_of("odd.json", "--rows", "2").courses([0])), 2)
    text, page = check(profile, "odd.json")
    objects = page.column(page.tables["objects"][0], "object")
    for want in (ODD[0], ODD[1], ODD[2], "a?[31mred???", "?gnirts", ODD[5], ODD[6], "x" * 1000 + "...", "a??b"):
        if want not in objects:
            fail(f"no object is called {want!r}: {objects}")
    same("scripts", len(page.scripts), 3 + 9)
    for want in ("\n  1048576-1179647 |", "|\n  nothing\n"):
        if want not in text:
            fail(f"the text does not draw {want!r}")
    for wrong in (" inf ", "nan ", str(2**64 - 1)):
        if wrong in text or wrong in page.text:
            fail(f"the report has {wrong!r}")
    if not re.search(r"outer/inner +7 +3\.500 s +1\.250 s +250\.00 ms +2 +1\.500 s +4\n", text):
        fail("the text does not tell of the phase")
    for want in ("'later', which this cw-report does not know", "CW_ROUTE "):
        if want not in text:
            fail(f"the text does not say {want!r}")
    # Nearly equal amounts have the same shade, and small ones do not look like zero.
    def with_cells(*bytes_in_them):
        even = job(2, 1)
        chart = {"of": "elements", "fortran": False, "extents": [4], "drawn": [0], "widths": [1], "blocks": [[0, 2]],
                 "cells": [[row, 0, 10, amount, 0, 0] for row, amount in enumerate(bytes_in_them)]}
        even["objects"] = [dict(even["objects"][1], chart=chart)]
        save(even, "even.json")
        return text_of("even.json"), page_of("even.json")
    for cells, shades, legend, words in (
            ((6963, 7000, 7168, 6970), [5, 5, 5, 5], ["even: 6.8 KiB to 7 KiB"], "|++++|\n  + even: 6.8 KiB to 7 KiB\n"),
            ((7168, 7168, 7168, 7168), [5, 5, 5, 5], ["all 7 KiB"], "  + all 7 KiB\n"),
            ((1024, 3000, 4096, 2048), [2, 6, 8, 4], [f"to {amount}" for amount in (
                "512 B", "1 KiB", "1.5 KiB", "2 KiB", "2.5 KiB", "3 KiB", "3.5 KiB", "4 KiB")], "|:*#=|"),
            ((1, 2**20, 2**16, 2**30), [1, 6, 5, 9], [f"to {amount}" for amount in (
                "1 B", "16 B", "256 B", "4 KiB", "64 KiB", "1 MiB", "16 MiB", "256 MiB", "4 GiB")], "|.*+@|")):
        text, page = with_cells(*cells)
        same(f"shades of {cells}", page.drawn("object-0", "bytes", 4), shades)
        same(f"legend of {cells}", page.legend("object-0", "bytes"), legend)
        if words not in text:
            fail(f"the text does not have {words!r} for {cells}:\n{text}")
    # Older files have no names of calls.
    older = job(6, 3)
    for row in older["call_sites"] + older["waits"]:
        del row["call"]
    save(older, "older.json")
    text, _ = check(older, "older.json")
    same("a call site by its class", "  barrier, do_barrier, program.c:15\n" in text, True)
    save(job(6, 3), "newer.json")
    for both in (("older.json", "newer.json"), ("newer.json", "older.json")):
        text = text_of("--compare", *both)
        same("old and new call sites are the same", re.search(r"  barrier, do_barrier, program.c:15\n.* 1\.000\n", text) is not None, True)
        same("classes have no names", "GA_Sync" in text, False)
    same("calls are compared by name", re.search(r"  GA_Sync .* 1\.000\n", text_of("--compare", "newer.json", "newer.json")) is not None, True)
    # Profiles without operations, without figures, and with operations of unknown processes.
    empty = job(2, 1)
    for rows in ("classes", "operations", "per_process", "pairs", "objects", "call_sites"):
        empty[rows] = []
    save(dict(empty, wall=0, time=0, inside=0, waiting=0, bytes=0, missing_processes=2), "empty.json")
    for want in ("figures of 2 of the 2 processes are missing", "No process has figures", "No operation was"):
        if want not in text_of("empty.json"):
            fail(f"of an empty job it does not say '{want}'")
    page_of("empty.json")
    page_of("--compare", "empty.json", "odd.json")
    died = job(6, 3)
    died["per_process"] = died["per_process"][:5]
    save(dict(died, missing_processes=1, missing=[1, 3, 4, 5], ended="died"), "died.json")
    for want in ("The job died", "are missing: 1, 3-5."):
        if want not in text_of("died.json"):
            fail(f"of a job that died it does not say '{want}'")
    left_out = sum(pair["operations"] for pair in died["pairs"] if 5 in (pair["origin"], pair["target"]))
    if f"{left_out} operations of processes whose node is not known" not in " ".join(text_of("died.json").split()):
        fail(f"it does not say that {left_out} operations are of unknown nodes")
    # JSON members in another order, and the largest possible numbers.
    save(dict(sorted(job(6, 3).items())), "sorted.json")
    check(json.load(open("sorted.json")), "sorted.json")
    huge = job(6, 3)
    huge["bytes"] = 2**63 - 1
    huge["wall"] = huge["time"] = 1e12
    for rows in ("classes", "call_sites"):
        huge[rows] = [dict(row, calls=2**63 - 1, bytes=2**63 - 1, seconds=1e12, longest=1e12) for row in huge[rows]]
    for pair in huge["pairs"]:
        pair["bytes"] = pair["operations"] = 2**63 - 1
    save(huge, "huge.json")
    text_of("huge.json")
    page_of("huge.json")


def large():
    # The longest possible page: each of 256 x 256 cells has a value, and there are nodes and times.
    profile = job(1024, 512)
    profile["pairs"] = [dict(row_of_pair(4 * i, 4 * j + j % 4, 1 + i * j), seconds=1e-6 * (i + 7 * j))
                        for i in range(256) for j in range(256)]
    # The greatest number of cells, with long numbers, and each with another shade than its neighbour.
    cells = [[row, column, 2**63 - 1 >> (row + column) % 9, 2**63 - 1 >> (row + column) % 9, 1000, 1023]
             for row in range(16) for column in range(16)]
    chart = {"of": "elements", "fortran": False, "extents": [2**20] * 2, "drawn": [0, 1], "widths": [2**16] * 2,
             "blocks": [[i * 2**14 for i in range(64)]] * 2, "cells": cells}
    profile["objects"] = [dict(profile["objects"][0], object=f"array 'A{i}', CW_DOUBLE, 1048576 x 1048576", bytes=5000 - i,
                               **({"hottest": "block [0, 0]", "chart": chart} if i < 25 else {})) for i in range(5000)]
    profile["elements"] = [dict(profile["elements"][0], element=f"element [{i}]") for i in range(32)]
    profile["call_sites"] = [dict(profile["call_sites"][0], line=i) for i in range(5000)]
    save(profile, "large.json")
    page = page_of("large.json")
    size = os.stat("page.html").st_size
    print(f"{size} bytes")
    if size > 5000000:
        fail(f"the page has {size} bytes")
    for want in ("The matrix has 256 x 256 cells: each is the sum over 4 x 4 processes", "128 x 128 cells: each is the sum over 4 x 4 nodes",
                 "Each bar is 4 processes", "And 64536 more", "And 4000 more"):
        if want not in page.text:
            fail(f"the page does not say '{want}'")
    check_matrix(page, "process", 1024, profile["pairs"], 256)
    same("charts", [page.has_matrix(f"object-{number}") for number in (0, 19, 20)], [True, True, False])
    text = text_of("large.json")
    check_course(page, text, profile)
    same("rows of processes", len(re.findall(r"^  \d+ +\d+ +1 .* %", text, re.M)), 1024)


def refused():
    profile = job(3, 1)
    whole = json.dumps(profile)

    ways = [["bad.json", "-o", "bad.html"], ["bad.json"], ["--compare", "good.json", "bad.json"]]

    def refuse(text, words):
        save(text, "bad.json")
        ways.append(ways.pop(0))
        out, said = run(*ways[0], status=2)
        if out or words not in said or said.count("\n") != 1 or not said.startswith("cw-report: "):
            fail(f"of {text[:80]!r} it says {said!r} and not '{words}', and shows {out[:100]!r}")
        if os.path.exists("bad.html"):
            fail("a page was left of a bad profile")

    def but(**changes):
        return json.dumps(dict(profile, **changes))

    def but_row(rows, **changes):
        return but(**{rows: [profile[rows][0], dict(profile[rows][1], **changes), *profile[rows][2:]]})

    def but_chart(**changes):
        return but_row("objects", chart=dict(profile["objects"][1]["chart"], **changes))

    save(profile, "good.json")
    for end in range(1, len(whole), len(whole) // 64):
        refuse(whole[:end], "is truncated")
    for text, words in (
            ('{"displayTimeUnit": "ns", "traceEvents": [\n{"ph": "M"', "is a timeline, not a profile: Perfetto"),
            ("\3BOTF2\0\3", "is a timeline, not a profile: otf2-print"), ("", "is empty"), ("[1]", "does not begin"), ("no JSON", "does not begin"), ("\0\0\0", "does not begin"),
            ("{}", "no 'causeway_profile'"), ('{"x": [[1], {"y": 2}]}', "no 'causeway_profile'"),
            (whole + "x", "after the end"), (whole + whole, "after the end"), ("{" + whole, "a member's name"),
            (whole.replace(",", ";", 1), "must have '}'"), ('{"a": nonsense}', "line 1"),
            ('{"a": ' + "[" * 100000, "line 1"), ('{"causeway_profile": 1, "causeway_profile": 1}', "twice"),
            (whole.replace('"date": "', '"date": "\0', 1), "line 1"), (but(causeway_profile=2), "version 2"),
            (but(causeway_profile="1"), "not a whole number"), (but(processes=0), "0 processes"),
            (but(processes=2**40), "which is impossible"), (but(nodes=4), "3 processes on 4 nodes"), (but(wall=-1), "'wall'"),
            (but(wall=1e13), "'wall'"), (but(wall=float("nan")), "line 1"), (but(time=float("inf")), "line 1"),
            (whole.replace('"bytes": ', '"bytes": 99999999999999999999', 1), "line 1"),
            (whole.replace('"wall": ', '"wall": 1e999, "w": ', 1), "line 1"),
            (but(bytes=1.5), "'bytes' of the profile"), (but(program=7), "'program'"), (but(settings=[1]), "not objects"),
            (but(pairs=[7]), "row 1 of 'pairs' is not an object"), (but(pairs={}), "must have '['"),
            (but_row("pairs", origin=3), "has only 3 processes"), (but_row("pairs", target=2**31), "greater than a process number can be"),
            (but_row("pairs", bytes=-5), "row 2 of 'pairs'"), (but_row("pairs", seconds="1"), "'seconds'"),
            (but_row("per_process", process=0), "two rows of process 0"), (but_row("per_process", node=1), "on node 1"),
            (but_row("per_process", seconds={"put": None}), "'put' of row 2"), (but_row("per_process", seconds=[]), "not an object"),
            (but_row("per_process", seconds={f"class {i}": 1 for i in range(70)}), "more than the 64"),
            (but_row("per_process", usage={"user": 1}), "'faults'"), (but(per_node=[{"node": 0, "memory": 5, "server": 7}]), "'messages'"),
            (but(per_node=[{"node": -1, "memory": 5}]), "'node'"), (but_row("classes", clocked=[0] * 66), "0 to 65"), (but_row("classes", clocked=[0.5]), "'clocked'"),
            *((but_chart(**change), words) for change, words in (
                ({"extents": []}, "'extents'"), ({"extents": [-1]}, "'extents'"), ({"drawn": [9, 10]}, "does not fit"),
                ({"drawn": [1, 0]}, "does not fit"), ({"widths": [0, 1]}, "does not fit"), ({"widths": [1]}, "'widths'"),
                ({"extents": [10**6, 10**6]}, "does not fit"), ({"cells": 7}, "does not fit"), ({"cells": [[0]]}, "'cells'"),
                ({"extents": [17, 1], "widths": [1, 1]}, "does not fit"),
                ({"cells": [[99, 0, 1, 1, 0, 0]]}, "does not fit"), ({"cells": [[0, 0, 1, 1, 2, 1]]}, "does not fit"),
                ({"blocks": [[0]]}, "'blocks'"), ({"blocks": [[0] * 65, [0]]}, "'blocks'"), ({"of": 7}, "'of'"))),
            (but(elements=[{"object": "x"}]), "'element'"), (but(other_elements="x"), "'other_elements'"),
            (but_row("call_sites", line="7"), "'line'"), (but_row("call_sites", call=7), "'call'"), (but_row("objects", object=None), "'object'"),
            (but_row("waits", whom=1), "'whom'"), (but_row("waits", process=-1), "'process'"), (but_row("waits", began="x"), "'began'"),
            (but_row("memory_over_time", most=[0] * 65), "0 to 64"), (but_row("memory_over_time", most=[-1]), "0 to 64"),
            (but_row("memory_over_time", most=7), "0 to 64"), (but_row("memory_over_time", members=3), "no 'mean'"),
            (but_row("memory_over_time", members=3, mean=[1], least=[1]), "'mean' of row 2 of 'memory_over_time' is not a list of 50 to 50"),
            (but_row("memory_over_time", members=3, most=[], mean=[1], least=[1]), "'mean' of row 2")):
        refuse(text, words)
    for name in profile:
        if name not in ("incomplete", "static", "elements", "other_elements", "waits", "memory_over_time"):
            refuse(json.dumps({each: profile[each] for each in profile if each != name}), f"no '{name}'")
    for rows in ("classes", "operations", "per_process", "pairs", "objects", "call_sites"):
        for name in profile[rows][0]:
            # This is not shown, and not known for processes that died.
            if (rows, name) not in (("call_sites", "clocked"), ("call_sites", "call"), ("per_process", "usage")):
                less = {each: value for each, value in profile[rows][0].items() if each != name}
                refuse(but(**{rows: [less]}), f"row 1 of '{rows}' has no '{name}'")
    with open("bad.json", "wb") as file:
        file.write(whole.replace("made-up", "m\xff").encode("latin-1"))
    same("what is no UTF-8", "byte 0xff" in run("bad.json", status=2)[1], True)
    for arguments, words in (([], "no file"), (["a", "b"], "more than one"), (["--compare", "a"], "two files"),
                             (["nowhere.json"], "No such file"), (["."], "directory"), (["--rows", "-1", "good.json"], "--rows"),
                             (["--rows", "x", "good.json"], "--rows"), (["--nothing"], "unrecognized")):
        out, said = run(*arguments, status=2)
        if out or words not in said:
            fail(f"cw-report {arguments} says {said!r} and not '{words}'")
    same("help", run("--help")[0][:16], b"Usage: cw-report")
    same("version", run("--version")[0][:9], b"Causeway ")


def compared():
    before, after = job(3, 1), job(4, 2)
    after["classes"][0].update(seconds=2 * before["classes"][0]["seconds"], calls=777)
    before["objects"].append(dict(before["objects"][0], object="array 'old'", bytes=12345678))
    after["objects"].append(dict(after["objects"][0], object="array 'new'", bytes=12345679))
    before["settings"] = {"CW_ROUTE": "rma", "CW_SAME": "1"}
    after["settings"] = {"CW_ROUTE": "auto", "CW_SAME": "1", "CW_ADDED": "2"}
    save(before, "before.json")
    save(after, "after.json")
    text = text_of("--compare", "before.json", "after.json")
    for want in (r"\n  put +\d+ +777 .* 2\.000\n", r"array 'old' .* gone\n", r"array 'new' .* new\n",
                 r"processes +3 +4 +1\.333\n", r"CW_ROUTE +rma +auto\n", r"CW_ADDED +- +2\n"):
        if not re.search(want, text):
            fail(f"there is no {want!r} in:\n{text}")
    same("what is the same", "CW_SAME" in text, False)
    for want in ("died", "missing: 1", "had 3 and 4 processes"):
        same(f"'{want}' is said of two whole profiles", want in text, want.startswith("had"))
    save(dict(before, ended="died", missing_processes=1, missing=[1], per_process=[]), "half.json")
    half = " ".join(text_of("--compare", "half.json", "after.json").split())
    for want in ("The job died", "1 of the 3 processes are missing: 1", "waited least 0.0 %"):
        same(f"'{want}' is said", want in half, True)
    page = page_of("--compare", "before.json", "after.json")
    seconds = {name: page.total_of(page.tables["classes"][0], "seconds") for name in ("one",)}
    same("seconds before", round(seconds["one"], 6), round(sum(row["seconds"] for row in before["classes"]), 6))


def written():
    save(job(2, 1), "good.json")
    os.mkdir("folder")
    for path in ("nowhere/page.html", "folder", "/dev/full"):
        out, said = run("good.json", "-o", path, status=1)
        same(f"what is shown, -o {path}", out, b"")
        if f"cannot write '{path}'" not in said:
            fail(f"-o {path}: it says {said!r}")
    save("what was there", "page.html")
    os.chmod("page.html", 0o640)
    run("good.json", "-o", "page.html")
    same("mode of a page that was there", os.stat("page.html").st_mode & 0o777, 0o640)
    Page("page.html", fail)
    same("files", sorted(os.listdir(".")), ["folder", "good.json", "page.html"])
    same("/dev/stdout", run("good.json", "-o", "/dev/stdout")[0], open("page.html", "rb").read())
    limited = subprocess.run([report, "good.json", "-o", "page.html"], capture_output=True, text=True,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
    if limited.returncode != 1 or "cannot write 'page.html'" not in limited.stderr:
        fail(f"beyond the limit on files: status {limited.returncode}, {limited.stderr!r}")
    Page("page.html", fail)
    same("files", sorted(os.listdir(".")), ["folder", "good.json", "page.html"])
    with open("/dev/full", "w") as full:
        same("a full disk", subprocess.run([report, "good.json"], stdout=full, stderr=subprocess.PIPE).returncode, 1)


def browser():
    profile = job(6, 3)
    save(profile, "good.json")
    page_of("good.json")
    seen = seen_in_browser("page.html", fail)
    for process in range(6):
        for target in range(6):
            want = sum(pair["operations"] for pair in profile["pairs"]
                       if pair["origin"] == process and pair["target"] == target)
            if f"from process {process} to {target}: " not in seen["cells"][6 * process + target] or \
                    f", {want} operations" not in seen["cells"][6 * process + target]:
                fail(f"cell {process}, {target} says {seen['cells'][6 * process + target]!r}, not {want} operations")
    chart = max(profile["objects"], key=lambda row: row["bytes"])["chart"]
    rows, columns, cells = shown_heat_map(chart)
    told = iter(seen["chart"])
    for row in range((rows["extent"] - 1) // rows["width"] + 1):
        for column in range((columns["extent"] - 1) // columns["width"] + 1):
            words = next(told)
            want = [f"dimension {axis['dimension']}: {cell * axis['width']}" for axis, cell in ((rows, row), (columns, column))]
            most = cells[row, column][3] if (row, column) in cells else None
            want += ["held by process 0: " if most == 0 else f"held by processes 0 to {most}: ", f" {cells[row, column][0]} operations"] \
                if (row, column) in cells else ["0 B", "0 operations"]
            if any(each not in words for each in want):
                fail(f"cell {row}, {column} of the chart says {words!r}, not {want}")
    same("shown of the chart", seen["heat_map_shown"], [True, False, False, True])
    rising = sorted(pair["bytes"] for pair in profile["pairs"])
    same("pairs, first click", seen["sorted"][0], rising[::-1])
    same("pairs, second click", seen["sorted"][1], rising)
    same("shown at first", seen["shown"][0], [True, False])
    same("shown when operations are chosen", seen["shown"][1], [False, True])
    large()
    seen_in_browser("page.html", fail)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    {"real": real, "made_up": made_up, "large": large, "refused": refused, "compared": compared, "written": written,
     "browser": browser}[what]()
    os.chdir("/")
sys.exit(failed())
