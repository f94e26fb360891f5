# check.py SCHEMA FILE PROGRAM SOURCE PROCESSES: is the profile of the known program what it did?
import json
import re
import sys

schema_file, profile_file, program, source, processes = sys.argv[1:]
processes = int(processes)
failed = False


def fail(text):
    global failed
    failed = True
    print("FAILED: " + text)


def same(what, got, want):
    if got != want:
        fail(f"{what}: {got}, not {want}")


# --- The schema: what of JSON Schema docs/profile.schema.json uses.
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
for row in profile["call_sites"] + profile["classes"]:
    if row["longest"] > row["seconds"] + 1e-9 or sum(row["clocked"]) > row["calls"]:
        fail(f"more is clocked than there was: {row}")
same("processes", profile["processes"], processes)
same("rows of processes", [row["process"] for row in profile["per_process"]], list(range(processes)))
same("missing processes", profile["missing_processes"], 0)

# --- What the program did.
lines = {}
for number, line in enumerate(open(source), 1):
    mark = re.search(r"(/\*|!) site: ([a-z-]+)", line)
    if mark:
        lines[mark.group(2)] = number
classes = {row["class"]: row for row in profile["classes"]}


def site(name, calls, moved_there):
    found = [row for row in profile["call_sites"] if row["class"] == name and row["file"].endswith(source.split("/")[-1])
             and row["line"] == lines[name]]
    same(f"call sites of '{name}' in line {lines[name]}", len(found), 1)
    if found:
        same(f"calls of '{name}'", found[0]["calls"], calls)
        same(f"bytes of '{name}'", found[0]["bytes"], moved_there)


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
    # One for each that has a block, and those of the elements: one for each, or a list for each process.
    same(f"operations on the array: {array['operations']}",
         array["operations"] in (processes + 200, 2 * processes), True)
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
    objects = {row["object"]: row["bytes"] for row in profile["objects"]}
    same("objects", objects, {
        f"region, {4096 * processes} bytes in {processes} slice{'s' if processes > 1 else ''}": 8524 * processes,
        "array 'kn\"o\\w\nn \u00fc \U0001f600 \u00fc', CW_DOUBLE, 10 x 20": 3200})
    same("functions", {row["function"] for row in profile["call_sites"] if row["class"] == "put"} <=
         {"move_some", "use_world", "main"}, True)


def known_fortran():
    site("patch", 50, 50 * 4800)
    site("barrier", processes, 0)
    same("objects", [row["object"] for row in profile["objects"] if row["bytes"] == 50 * 4800],
         ["array 'fortran', CW_DOUBLE, 20 x 30"])


def threads():
    late, own = 2 * 20000, 2
    puts = (4 * 3 * 500 + late + own) * processes
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


{"known": known, "known_fortran": known_fortran, "threads": threads, "profiled_tasks": profiled_tasks}[program]()
sys.exit(failed)
