# advised.py CW-REPORT ADVISED MPIEXEC...: checks that a run gets the right advice on the screen, in the file, and in the
# report as text and as a page, and that a run without a problem gets none. A run has several tries, because on a busy machine
# processes are late and wait for locks in any program.
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the sources stay as they are
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "kit"))
from checks import PATIENCE, fail, failed  # noqa: E402

from pages import Page

TRIES = 5
report, program, *mpiexec = sys.argv[1:]


def words(text):
    return " ".join(text.split())


def run(*command, **settings):
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=dict(os.environ, **settings))


# Advice that a busy machine may cause.
def forgiven(profile):
    waited = sum(row.get("usage", {"waited": 0})["waited"] for row in profile["per_process"])
    had_no_cores = waited > 0.05 * sum(row["wall"] for row in profile["per_process"])
    return {"crowded", "late-process", "locks"} if had_no_cores else {"crowded"}


def who_waited(profile):
    longest = [row for row in profile["waits"] if row["class"] == "barrier" and row["seconds"] > 0.05]
    if not {row["process"] for row in longest} >= {0, 2, 3}:
        yield f"not all of 0, 2, and 3 have waited long: {longest}"
    if not any("process 1" in row["whom"] for row in longest):
        yield f"nobody knows that process 1 was waited for: {longest}"


# Returns the errors of one run.
def wrong(how, processes, kinds, more, settings):
    done = run(*mpiexec, "-n", str(processes), program, how, CW_PROFILE=f"{how}.json", **settings)
    if done.returncode != 0:
        yield f"status {done.returncode}: {done.stdout} {done.stderr}"
        return
    profile = json.load(open(f"{how}.json"))
    reports = [run(report, f"{how}.json"), run(report, f"{how}.json", "-o", f"{how}.html")]
    if any(each.returncode != 0 for each in reports):
        yield f"cw-report says {[each.stderr for each in reports]}"
        return
    pages = []
    page = Page(f"{how}.html", pages.append).text
    yield from pages
    said = {row["kind"]: row["sentence"] for row in profile["advice"]}
    if kinds - said.keys() or said.keys() - kinds - forgiven(profile):
        yield f"it is advised of {said}, and not of {kinds}: {profile['per_process']}"
    shown_on = (("screen", done.stderr, "\nadvice\n"), ("text", reports[0].stdout, "\n==== advice\n"), ("page", page, None))
    for where, shown, title in shown_on:
        for sentence in said.values():
            if words(sentence) not in words(shown.replace("  * ", "    ")):
                yield f"the {where} does not say '{sentence}': {shown}"
        if title is not None and (title in shown) != (len(said) > 0):
            yield f"the {where} has a title of advice, or none: {shown}"
    if more is not None:
        yield from more(profile)


def advise(how, processes, kinds, more=None, **settings):
    for attempt in range(TRIES):
        found = list(wrong(how, processes, kinds, more, settings))
        if not found:
            return
        print(f"{how}, try {attempt + 1}: {found}")
    for each in found:
        fail(f"{how}: {each}")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    apart = {"CW_NODE_SIZE": "1", "CW_SERVER": "none"}
    # Through the MPI library each takes a microsecond; through a server on another node, a round trip.
    advise("small", 1, {"small-transfers"}, CW_ROUTE="rma")
    advise("locks", 2, {"locks"})
    advise("target", 4, {"one-target", "late-process"}, who_waited, **apart)
    advise("counter", 4, {"hot-element", "late-process"}, **apart)
    advise("counters", 4, {"hot-counter", "late-process"}, **apart)
    advise("crowd", 3, {"crowded"} if os.path.exists("/proc/self/schedstat") else set())
    advise("quiet", 4, set())
    os.chdir("/")
sys.exit(failed())
