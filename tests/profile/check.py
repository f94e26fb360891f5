# check.py SCHEMA FILE PROGRAM SOURCE PROCESSES [MISSING]: checks that the profile of the known program is right. MISSING: the
# job has died, and these processes, as "1 2", are missing.
import json
import os
import re
import sys

sys.dont_write_bytecode = True  # the sources stay as they are
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
from checks import fail, failed, same  # noqa: E402

schema_file, profile_file, program, source, processes = sys.argv[1:6]
processes = int(processes)
died = len(sys.argv) > 6
missing = [int(process) for process in sys.argv[6].split()] if died else []
there = [process for process in range(processes) if process not in missing]


# --- The schema: what of JSON Schema docs/reference/profile.schema.json uses.
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool}


def obeys(value, rule, where):
    if "$ref" in rule:
        rule = schema["$defs"][rule["$ref"].split("/")[-1]]
    if "type" in rule and (not isinstance(value, TYPES[rule["type"]]) or
                           (isinstance(value, bool) and rule["type"] != "boolean")):
        fail(f"{where} is {value!r}, no {rule['type']}")
        return
    if "enum" in rule and value not in rule["enum"]:
        fail(f"{where} is {value!r}, none of {rule['enum']}")
    if "minimum" in rule and value < rule["minimum"]:
        fail(f"{where} is {value!r}, less than {rule['minimum']}")
    for name in rule.get("required", []):
        if name not in value:
            fail(f"{where} has no {name}")
    for name, each in value.items() if isinstance(value, dict) else []:
        if name in rule.get("properties", {}):
            obeys(each, rule["properties"][name], f"{where}.{name}")
        elif rule.get("additionalProperties") is False:
            fail(f"{where} has {name}, of which the schema knows nothing")
    for number, each in enumerate(value) if "items" in rule else []:
        obeys(each, rule["items"], f"{where}[{number}]")


schema = json.load(open(schema_file))
profile = json.load(open(profile_file))
obeys(profile, schema, "profile")

# --- What is true of every profile.
moved = profile["bytes"]
for rows in ("classes", "operations", "per_process", "pairs", "objects", "call_sites"):
    same(f"bytes of {rows}", sum(row["bytes"] for row in profile[rows]), moved)
for rows, number in (("pairs", "operations"), ("objects", "operations"), ("per_process", "operations")):
    same(f"operations of {rows}", sum(row[number] for row in profile[rows]),
         sum(row["count"] for row in profile["operations"]))
for row in profile["operations"]:
    same(f"sizes of {row['operation']}", sum(row["sizes"]), row["count"])
same("calls of call_sites", sum(row["calls"] for row in profile["call_sites"]),
     sum(row["calls"] for row in profile["classes"]))
for row in profile["per_process"]:
    inside = sum(row["seconds"].values())
    if inside > row["time"] + 1e-6 or row["time"] > row["wall"] * max(row["threads"], 1) + 1e-6:
        fail(f"process {row['process']} was {inside} s in calls and tasks, in {row['time']} s, "
             f"or {row['wall']} s of {row['threads']} threads")
for row in profile["objects"]:
    if "chart" in row:
        chart = row["chart"]
        same(f"cells of {row['object']}", [sum(cell[2] for cell in chart["cells"]), sum(cell[3] for cell in chart["cells"])],
             [row["operations"], row["bytes"]])
        same(f"who has cells of {row['object']}", all(0 <= cell[4] <= cell[5] < processes for cell in chart["cells"]), True)
        same(f"blocks of {row['object']}", chart["blocks"], [sorted(begins) for begins in chart["blocks"]])
updates = sum(row["count"] for row in profile["operations"] if row["operation"] == "read-modify-write")
same("updates of elements", sum(row["updates"] - row["over"] for row in profile["elements"]) <= updates, True)
if profile["other_elements"] == 0:
    same("updates of all elements", [sum(row["updates"] for row in profile["elements"]),
                                     sum(row["over"] for row in profile["elements"])], [updates, 0])
WAITS = {"lock", "fence", "wait", "flush", "barrier", "finalize"}
SHORT = {"put", "get", "accumulate", "read-modify-write", "lock", "fence", "patch", "gather/scatter", "wait", "flush"}
for row in profile["call_sites"] + [row for row in profile["classes"] if row["calls"] > 0]:
    same(f"all long calls of {row['class']} are clocked",
         row["class"] in SHORT or sum(row["clocked"]) == row["calls"] and row["longest"] > 0, True)
    if row["longest"] > row["seconds"] + 1e-9 or sum(row["clocked"]) > row["calls"]:
        fail(f"more is clocked than there was: {row}")
seconds_of = {row["class"]: row["seconds"] for row in profile["classes"]}
for name, want in (("waiting", sum(seconds_of.get(name, 0) for name in WAITS)),
                   ("inside", sum(seconds for name, seconds in seconds_of.items() if name != "task"))):
    if abs(profile[name] - want) > 1e-7:
        fail(f"{name}: {profile[name]} s, not {want} s")
for row in profile["phases"]:
    inside = sum(seconds for name, seconds in row["classes"].items() if name != "task")
    if abs(row["inside"] - inside) > 1e-7:
        fail(f"{row['phase']}: inside is {row['inside']} s, not {inside} s")
    if not row["least"] <= row["seconds"] / row["processes"] + 1e-8 <= row["most"] + 2e-8:
        fail(f"least and most are not those of {row}")
for rows in ("pairs", "objects"):
    seconds = sum(row["seconds"] for row in profile[rows])
    if not 0 <= seconds <= profile["inside"] + 1e-6:
        fail(f"seconds of {rows}: {seconds}, of {profile['inside']} in Causeway")
for row in profile["waits"]:
    if row["process"] not in there or row["seconds"] < 1e-4:
        fail(f"no wait of this run: {row}")
    site_of = [each for each in profile["call_sites"] if all(each[name] == row[name] for name in ("call", "class", "module", "offset"))]
    same(f"call sites of {row}", len(site_of), 1)
    same("a wait under way", row["under_way"] and not died, False)
    if row["seconds"] > site_of[0]["longest"] and not row["under_way"]:
        fail(f"a wait longer than any call from there: {row}, {site_of}")
same("longest waits first", profile["waits"], sorted(profile["waits"], key=lambda row: -row["seconds"]))
for of, all_of_it in (("process", there), ("node", sorted({row["node"] for row in profile["per_process"]}))):
    rows = [row for row in profile["memory_over_time"] if row["of"] == of]
    same(f"memory of each {of}", [row["number"] for row in rows], all_of_it)
    if any(not 0 < len(row["most"]) <= 64 for row in rows):
        fail(f"not up to 64 steps of {of}: {rows}")
held = sum(max(row["most"]) for row in profile["memory_over_time"] if row["of"] == "process")
if held > sum(row["memory"] for row in profile["objects"]):
    fail(f"processes had {held} bytes of objects: {profile['objects']}")
for row in profile["memory_over_time"]:
    if row["of"] == "node" and max(row["most"]) > {node["node"]: node for node in profile["per_node"]}[row["number"]]["memory"]:
        fail(f"more than the most of the node: {row}, {profile['per_node']}")
nodes = {row["node"] for row in profile["per_process"]}
same("nodes", [row["node"] for row in profile["per_node"]], sorted(nodes))
for row in profile["per_process"]:
    usage = row.get("usage")
    same(f"usage of process {row['process']} is known", usage is not None, not died)
    if usage and (usage["user"] + usage["system"] > (row["wall"] + 0.1) * 64 or usage["most_memory"] < 2**20):
        fail(f"usage of process {row['process']}: {usage}")
for row in profile["per_node"]:
    if "server" in row and row["server"]["requests"] + row["server"]["forwards"] < row["server"]["messages"]:
        fail(f"a server's messages were empty: {row}")
same("processes", profile["processes"], processes)
same("rows of processes", [row["process"] for row in profile["per_process"]], there)
same("missing processes", [profile["missing_processes"], profile["missing"]], [len(missing), missing])
same("the end", profile["ended"], "died" if died else "finalized")

# --- What the program did.
lines = {}
for number, line in enumerate(open(source), 1):
    mark = re.search(r"(/\*|!) site: ([a-z-]+)", line)
    if mark:
        lines[mark.group(2)] = number
classes = {row["class"]: row for row in profile["classes"]}


phases = {row["phase"]: row for row in profile["phases"]}


def phase(name, number, of):
    if name not in phases:
        fail(f"no phase '{name}' in {list(phases)}")
        return {}
    row = phases[name]
    same(f"number of '{name}'", [row["number"], row["processes"]], [number, of])
    if not {row["least_process"], row["most_process"]} <= set(there):
        fail(f"no process has that: {row}")
    return row["classes"]


# Number of calls by name in the interface; the names in the file are those of its call sites.
def calls_of(class_name):
    calls = {}
    for row in profile["call_sites"]:
        if row["class"] == class_name:
            calls[row["call"]] = calls.get(row["call"], 0) + row["calls"]
    return calls


same("calls without a name", [row for row in profile["call_sites"] + profile["waits"]
                              if (row["call"] == "") != (row["class"] == "task")], [])


def site(name, calls, moved_there):
    found = [row for row in profile["call_sites"] if row["class"] == name and row["file"].endswith(source.split("/")[-1])
             and row["line"] == lines[name]]
    same(f"call sites of '{name}' in line {lines[name]}", len(found), 1)
    if found:
        same(f"calls of '{name}'", found[0]["calls"], calls)
        same(f"bytes of '{name}'", found[0]["bytes"], moved_there)


def heat_map_of(name):
    found = [row["chart"] for row in profile["objects"] if row["object"] == name and "chart" in row]
    same(f"charts of {name}", len(found), 1)
    return found[0] if found else {"cells": [], "widths": [], "drawn": [], "blocks": []}


def known():
    next_of = {}
    for origin in range(processes):
        for target, operations, size in ((origin, 5, 500), (0, 3, 24), ((origin + 1) % processes, 1000, 8000)):
            row = next_of.setdefault((origin, target), [0, 0])
            row[0] += operations
            row[1] += size
    array = {"processes": set(), "operations": 0}
    for row in profile["pairs"]:
        want = next_of.get((row["origin"], row["target"]), [0, 0])
        extra = [row["operations"] - want[0], row["bytes"] - want[1]]
        if row["origin"] == 0:  # the array: one operation for each process that has a block
            array["processes"].add(row["target"])
            array["operations"] += extra[0]
        else:
            same(f"pair {row['origin']}, {row['target']}", extra, [0, 0])
    same("targets of the array", array["processes"], set(range(processes)))
    # One call for each process with a block, and those of the elements: one for each element, or a list for each process.
    same(f"operations on the array: {array['operations']}",
         array["operations"] in (processes + 200, 2 * processes, processes + 100 + 1), True)
    same("names", [calls_of(name) for name in ("put", "get", "patch", "barrier", "finalize")],
         [{"cw_put": 1000 * processes}, {"cw_get": 5 * processes}, {"cw_array_put": 1}, {"cw_barrier": processes},
          {"cw_finalize": processes}])
    elements = classes["gather/scatter"]
    same("the gather", [elements["calls"], elements["bytes"]], [1, 1600])
    same("its calls of get", classes["get"]["inner_calls"], 0)
    site("put", 1000 * processes, 8000 * processes)
    site("get", 5 * processes, 500 * processes)
    site("read-modify-write", 3 * processes, 24 * processes)
    site("fence", processes, 0)
    site("barrier", processes, 0)
    site("patch", 1, 1600)
    site("collective", processes, 0)
    all_of_it = phase("all", processes, processes)
    same("classes of 'all'", {"put", "get", "fence", "barrier", "create/free"} <= set(all_of_it), True)
    array_of_it = phase("all/array\x1b[31m\n", processes, processes)
    same("classes of 'all/array'", set(array_of_it), {"patch", "gather/scatter", "collective", "create/free"})
    if abs(array_of_it["collective"] - classes["collective"]["seconds"]) > 1e-7:
        fail(f"other collective calls than in the phase: {array_of_it}")
    if phases["all"]["seconds"] < phases["all/array\x1b[31m\n"]["seconds"]:
        fail("a phase is longer than the one around it")
    same("a phase that never ends", set(phase("array", processes, processes)) >= {"finalize", "create/free"}, True)
    same("phases", set(phases), {"all", "all/array\x1b[31m\n", "array", "misuse", "misuse/changed later"} |
         {"misuse/changed later" + i * "/deep" for i in range(1, 61)})
    objects = {row["object"]: [row["bytes"], row["memory"]] for row in profile["objects"]}
    same("objects", objects, {
        f"region, {4096 * processes} bytes in {processes} slice{'s' if processes > 1 else ''}":
            [8524 * processes, 4096 * processes],
        "array 'kn\"o\\w\nn \u00fc \U0001f600 \u00fc', CW_DOUBLE, 10 x 20": [3200, 1600]})
    check_known_heat_maps(list(objects))
    same("memory of nodes", min(row["memory"] for row in profile["per_node"]) >= 4096, True)
    for row in profile["memory_over_time"]:
        same(f"a region is in {row}", max(row["most"]) >= 4096, True)
        if processes == 1 and row["of"] == "process":
            same("the region and the array, at once", max(row["most"]), 4096 + 1600)
    servers = [row["server"] for row in profile["per_node"] if "server" in row]
    if profile["settings"].get("CW_ROUTE") == "server":
        same("servers", len(servers), processes)
        for row in servers:
            figures = [row[name] for name in ("messages", "bytes", "requests", "busy", "longest")]
            same(f"all of a server's figures are there: {row}", all(figures), True)
    else:
        same("servers", servers, [])
    same("a collective call has others in it", sum(row["inner_calls"] for row in profile["classes"]) > 0, True)
    if profile["settings"].get("CW_ROUTE") == "rma":
        same("routes", {row["route"] for row in profile["operations"]} - {"own"}, {"rma"})
    same("functions", {row["function"] for row in profile["call_sites"] if row["class"] == "put"} <=
         {"move_some", "use_world", "main"}, True)


# Each byte of the region, and each element of the array, is put and got once.
def check_known_heat_maps(names):
    region, array = heat_map_of(names[0]), heat_map_of(names[1])
    width = 64
    while -(-4096 * processes // width) > 64:
        width *= 2
    want = {}
    for origin in range(processes):
        after = 4096 * ((origin + 1) % processes)
        for begin, size, times in ((after, 8, 1000), (4096 * origin, 100, 5), (64, 8, 3)):
            want.setdefault(begin // width, [0, 0])[0] += times
            for byte in range(begin, begin + size):
                want.setdefault(byte // width, [0, 0])[1] += times
    same("cells of the region", [[cell[0], cell[2], cell[3]] for cell in region["cells"]],
         [[cell, *want[cell]] for cell in sorted(want)])
    same("slices", [region["widths"], region["blocks"]], [[width], [[4096 * process for process in range(processes)]]])
    same("cells of the array", [cell[:2] + [cell[3]] for cell in array["cells"]],
         [[row, column, 32] for row in range(10) for column in range(10)])
    same("the array", [array["extents"], array["drawn"], array["widths"], array["fortran"]], [[10, 20], [0, 1], [1, 2], False])
    for row, column, _, _, least, most in array["cells"]:
        blocks = [[max(i for i, begin in enumerate(begins) if begin <= index) for index in indices] for begins, indices in
                  zip(array["blocks"], ([row, row], [2 * column, 2 * column + 1]))]
        owners = [i * len(array["blocks"][1]) + j for i, j in zip(*blocks)]
        same(f"holders of {row}, {column}", [least, most], [min(owners), max(owners)])
    same("elements", [[row["element"], row["process"], row["updates"], row["over"]] for row in profile["elements"]],
         [["byte 64", 0, 3 * processes, 0]])


def named_armci():
    same("puts", calls_of("put"), {"ARMCI_Put": 3 * processes, "ARMCI_PutS": 2 * processes, "ARMCI_PutValueDouble": processes})
    same("gets", calls_of("get"), {"ARMCI_Get": processes})
    same("accumulates", calls_of("accumulate"), {"ARMCI_Acc": processes})
    same("read-modify-writes", calls_of("read-modify-write"), {"ARMCI_Rmw": processes})
    same("fences", calls_of("fence"), {"ARMCI_Fence": processes, "ARMCI_AllFence": processes})
    same("barriers", calls_of("barrier")["ARMCI_Barrier"], 2 * processes)
    same("creations", calls_of("create/free"), {"ARMCI_Malloc": processes})
    same("the end", calls_of("finalize"), {"ARMCI_Finalize": processes})


def named_ga():
    same("patches", calls_of("patch"), {"NGA_Put": 3 * processes, "NGA_Get": 2 * processes, "NGA_Acc": processes})
    places = {row["offset"] for row in profile["call_sites"] if row["call"] in ("NGA_Put", "NGA_Get")}
    same("places of put and get", len(places), 1)
    same("barriers", calls_of("barrier")["GA_Sync"], 2 * processes)
    same("collective calls", calls_of("collective"), {"GA_Dgop": processes})
    same("array operations", calls_of("array operation"), {"GA_Zero": processes})
    same("creations", {"NGA_Create", "GA_Destroy"} <= set(calls_of("create/free")), True)
    same("the end", calls_of("finalize"), {"GA_Terminate": processes})


def known_fortran():
    same("patches", calls_of("patch"), {"nga_put": 50, "nga_get": 1})
    same("read-modify-writes", calls_of("read-modify-write")["nga_read_inc"], 5 * processes)
    chart = heat_map_of("array 'fortran', CW_DOUBLE, 20 x 30")
    same("cells of Fortran", sorted({cell[3] for cell in chart["cells"]}), [50 * 32, 50 * 32 + 32])
    same("the chart of Fortran", [chart["fortran"], chart["extents"], chart["drawn"]], [True, [20, 30], [0, 1]])
    same("the hottest block", [row["hottest"].split(", held")[0] for row in profile["objects"] if "'fortran'" in row["object"]],
         ["rows 5-6, columns 11-12"])
    same("elements", [[row["element"], row["object"].split(",")[0], row["updates"]] for row in profile["elements"]
                      if row["object"].startswith("array")], [["element (3, 2)", "array 'counter'", 5 * processes]])
    same("phases", set(phases), {"puts of all", "puts of all/inner"})
    same("classes of 'puts of all'", set(phase("puts of all", 1, 1)), {"patch"})
    site("patch", 50, 50 * 4800)
    site("barrier", processes, 0)
    same("objects", [row["object"] for row in profile["objects"] if row["bytes"] == 50 * 4800 + 32],
         ["array 'fortran', CW_DOUBLE, 20 x 30"])


def threads():
    late, own = 4 * 20000, 4
    puts = (4 * 3 * 500 + late + own) * processes
    same("phases", set(phases), {"thread", "thread/inner", "forks"})
    same("classes of 'forks'", set(phase("forks", processes, processes)), {"put"})
    same("classes of 'thread'", set(phase("thread", 12 * processes, processes)), {"put"})
    same("puts", [classes["put"]["calls"], classes["put"]["bytes"]], [puts, 8 * puts])
    same("threads", {row["threads"] in range(2, 6) for row in profile["per_process"]}, {True})
    to = {target: sum(1 for number in range(1, 5) if number % processes == target) for target in range(processes)}
    for row in profile["pairs"]:
        same(f"pair {row['origin']}, {row['target']}", row["operations"], 1500 * to[row["target"]] +
             late * (row["target"] == (row["origin"] + 1) % processes) + own * (row["target"] == row["origin"]))


def profiled_tasks():
    same("tasks", classes["task"]["calls"], 11 * processes)
    same("fences of tasks", classes["fence"]["calls"], 11 * processes)
    phases = [row for row in profile["call_sites"] if row["class"] == "task phase"]
    same("phases", sorted([row["line"], row["calls"]] for row in phases),
         sorted([[lines["phase"], processes], [lines["phase-of-three"], 3 * processes]]))
    same("modules of call sites", {row["module"].split("/")[-1] for row in profile["call_sites"]}, {"profiled_tasks"})
    same("threads", [row["threads"] for row in profile["per_process"]], [3] * processes)
    same("functions of tasks", [row["function"] for row in profile["call_sites"] if row["class"] == "task"], ["work"])
    if classes["task"]["seconds"] < 0.01 * 10 * processes:
        fail(f"tasks slept longer than {classes['task']['seconds']} s")
    for row in profile["per_process"]:
        took = row["seconds"].get("task", 0) + row["seconds"]["task phase"]
        if took > row["time"]:
            fail(f"tasks and their phases took {took} s of {row['time']} s")


def dying():
    same("pairs", [[row["origin"], row["target"], row["operations"], row["bytes"]] for row in profile["pairs"]],
         [[process, (process + 1) % processes, 1000, 8000] for process in there])
    site("put", 1000 * len(there), 8000 * len(there))
    same("classes of a phase", {"put", "barrier"} <= set(phase("never ends", len(there), len(there))), True)
    barriers = classes["barrier"]
    same("barriers", barriers["calls"] in range(len(there), 2 * len(there) + 1), True)
    if barriers["calls"] > len(there) and barriers["longest"] < 0.02:
        fail(f"the barrier in which the others were is not told of: {barriers}")


{"dying": dying, "known": known, "known_fortran": known_fortran, "named_armci": named_armci, "named_ga": named_ga, "threads": threads, "profiled_tasks": profiled_tasks}[program]()
sys.exit(failed())
