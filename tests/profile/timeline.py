# timeline.py TIMELINE PROFILE PROCESSES: checks that the events of a run are nested, and that they are those that its profile
# counts.
# timeline.py TIMELINE drop ROOM PROCESSES: a run whose threads had more events than there was space for.
# timeline.py TIMELINE died PROCESSES MISSING: a job of `dying`, without the processes "1 2".
# timeline.py TIMELINE apart: a run on machines whose clocks are far apart.
import collections
import json
import os
import sys

sys.dont_write_bytecode = True  # the sources stay as they are
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
from checks import fail, failed, same  # noqa: E402

timeline_file, profile_file = sys.argv[1:3]
# Times are microseconds with three decimal places, so nanoseconds are exact.
timeline = json.load(open(timeline_file), parse_float=lambda text: int(text[:-4] + text[-3:]))


def ends(event):
    return event["ts"] + event["dur"]


# Returns the class of a call, or the kind of a task or phase.
def class_of(event):
    return event["args"]["class"] if event["cat"] in ("call", "wait") else event["cat"]


events = [event for event in timeline["traceEvents"] if event["ph"] == "X"]
names = [event for event in timeline["traceEvents"] if event["ph"] == "M"]
other = timeline["otherData"]
same("kinds of events", {event["ph"] for event in timeline["traceEvents"]}, {"X", "M"})
same("events", len(events), other["events"])
same("units", timeline["displayTimeUnit"], "ns")

# --- Events of a thread lie in each other, or apart.
threads = collections.defaultdict(list)
for event in events:
    threads[event["pid"], event["tid"]].append(event)
for thread, its_events in threads.items():
    around, last = [], 0
    for event in its_events:
        began = event["ts"]
        if began < last:
            fail(f"{event} of {thread} stands behind one that began later")
        last = began
        while around and ends(around[-1]) <= began:
            around.pop()
        if around and ends(event) > ends(around[-1]):
            fail(f"{event} of {thread} crosses {around[-1]}")
        around.append(event)

# --- All have names.
named = {kind: collections.Counter((event["pid"], event.get("tid")) for event in names if event["name"] == kind)
         for kind in ("process_name", "process_sort_index", "thread_name")}
same("names of threads", named["thread_name"], collections.Counter(threads.keys()))
dropped = {(event["pid"], event["tid"]): event["args"]["dropped"] for event in names if event["name"] == "thread_name"}
same("dropped events", sum(dropped.values()), other["dropped"])


def check_processes(processes, missing=()):
    for kind in ("process_name", "process_sort_index"):
        same(kind, named[kind], collections.Counter((process, None) for process in range(processes) if process not in missing))
    same("processes", other["processes"], processes)
    same("missing processes", other["missing"], list(missing))
    same("the end", other["ended"], "died" if profile_file == "died" else "finalized")


# No process leaves a barrier before all are in it.
def check_barriers(tolerance):
    barriers = collections.defaultdict(list)
    for event in events:
        if class_of(event) == "barrier":
            barriers[event["pid"]].append(event)
    rounds = list(zip(*barriers.values()))
    same("processes with barriers", len(barriers), other["processes"])
    same("there are barriers", len(rounds) > 0, True)
    for one in rounds:
        if max(event["ts"] for event in one) > min(ends(event) for event in one) + tolerance:
            fail(f"a process left a barrier before another was in it: {one}")


def check_profile(profile, processes):
    check_processes(processes)
    all_of_it = sum(row["calls"] for row in profile["classes"]) + sum(row["number"] for row in profile["phases"])
    same("events with those that were dropped", other["events"] + other["dropped"], all_of_it)
    if other["dropped"] > 0:
        return
    for row in profile["classes"]:
        name = row["class"]
        found = [event for event in events if class_of(event) == name]
        same(f"events of {name}", len(found), row["calls"])
        same(f"bytes of {name}", sum(event.get("args", {}).get("bytes", 0) for event in found), row["bytes"])
    same("waits", {class_of(event) for event in events if event["cat"] == "wait"} -
         {"lock", "fence", "wait", "flush", "barrier", "finalize"}, set())
    calls = collections.Counter()
    for row in profile["call_sites"]:
        if row["class"] != "task":
            calls[row["call"], row["class"]] += row["calls"]
    same("calls", collections.Counter((event["name"], class_of(event)) for event in events
                                      if event["cat"] in ("call", "wait")), calls)
    phases = collections.Counter()
    for row in profile["phases"]:
        phases[row["phase"].split("/")[-1]] += row["number"]
    same("phases", collections.Counter(event["name"] for event in events if event["cat"] == "phase"), phases)
    functions = {row["function"] for row in profile["call_sites"] if row["class"] == "task"}
    same("functions of tasks", {event["name"] for event in events if event["cat"] == "task"}, functions)
    to = collections.Counter((event["pid"], event["args"]["target"]) for event in events if class_of(event) == "put")
    pairs = {(row["origin"], row["target"]): row["operations"] for row in profile["pairs"]}
    same("targets of puts", {pair for pair, number in to.items() if number > pairs.get(pair, 0)}, set())
    objects = {row["object"] for row in profile["objects"]}
    same("objects", {event["args"]["object"] for event in events if "object" in event.get("args", {})} <= objects, True)
    if any(class_of(event) == "patch" for event in events):
        same("a patch has an object", {"object" in event["args"] for event in events if class_of(event) == "patch"}, {True})
    if any(class_of(event) == "barrier" for event in events):
        check_barriers(0)


def check_drop(room, processes):
    check_processes(processes)
    same("events of a full ring", {len(its_events) for its_events in threads.values()}, {room})
    same("each thread has dropped", min(dropped.values()) > 0, True)


# All complete calls are there, and those in progress when the job died: the phase, and the barrier of the processes in it.
def check_death(processes, missing):
    check_processes(processes, missing)
    same("dropped", other["dropped"], 0)
    for process in (process for process in range(processes) if process not in missing):
        its_events = threads[process, 0]
        puts = [event["args"] for event in its_events if event["name"] == "cw_put"]
        same(f"puts of {process}", [(put["target"], put["bytes"]) for put in puts], [((process + 1) % processes, 8)] * 1000)
        phases = [event for event in its_events if event["cat"] == "phase"]
        same(f"phases of {process}", [event["name"] for event in phases], ["never ends"])
        barriers = [event for event in its_events if event["name"] == "cw_barrier"]
        same(f"barriers of {process}", len(barriers) in (1, 2), True)
        for event in barriers:
            same(f"{event} is in the phase", phases[0]["ts"] <= event["ts"] and ends(event) <= ends(phases[0]), True)


if profile_file == "died":
    check_death(int(sys.argv[3]), [int(process) for process in sys.argv[4].split()])
elif profile_file == "drop":
    check_drop(int(sys.argv[3]), int(sys.argv[4]))
elif profile_file == "apart":
    check_barriers(10 ** 9)
else:
    check_profile(json.load(open(profile_file)), int(sys.argv[3]))
sys.exit(failed())
