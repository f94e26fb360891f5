# advised.py CW-REPORT ADVISED MPIEXEC...: does the advice that a run deserves come out, on the screen, in the file, in the
# report as text and as a page? And of a run that deserves none, none.
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the sources stay as they are
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
from checks import fail, failed, same  # noqa: E402

from pages import Page

report, program, *mpiexec = sys.argv[1:]


def words(text):
    return " ".join(text.split())


# Returns the profile. A machine that others use may be crowded whatever the program does.
def advise(how, processes, kinds, **settings):
    done = subprocess.run([*mpiexec, "-n", str(processes), program, how], capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, CW_PROFILE=f"{how}.json", **settings))
    same(f"status of {how}: {done.stdout} {done.stderr}", done.returncode, 0)
    profile = json.load(open(f"{how}.json"))
    text = subprocess.run([report, f"{how}.json"], capture_output=True, text=True, timeout=60).stdout
    subprocess.run([report, f"{how}.json", "-o", "page.html"], timeout=60)
    page = Page("page.html", fail).text
    said = {row["kind"]: row["sentence"] for row in profile["advice"]}
    same(f"kinds of {how}, {said}", set(said) - {"crowded"}, kinds - {"crowded"})
    if "crowded" in kinds and os.path.exists("/proc/self/schedstat"):
        same(f"{how} is crowded: {profile['per_process']}", "crowded" in said, True)
    for kind, sentence in said.items():
        for where, shown in (("screen", done.stderr), ("text", text), ("page", page)):
            if words(sentence) not in words(shown.replace("  * ", "    ")):
                fail(f"{how}: the {where} does not say '{sentence}': {shown}")
    for where, shown, title in (("screen", done.stderr, "\nadvice\n"), ("text", text, "\n==== advice\n")):
        same(f"{how}: the {where} has advice", title in shown, len(said) > 0)
    return profile


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    # By the MPI library each takes a microsecond; by a server on another node the way there and back.
    advise("small", 1, {"small-transfers"}, CW_ROUTE="rma")
    advise("locks", 2, {"locks"})
    late = advise("target", 4, {"one-target", "late-process"}, CW_NODE_SIZE="1", CW_SERVER="none")
    longest = [row for row in late["waits"] if row["class"] == "barrier" and row["seconds"] > 0.2]
    same("who waited long", {row["process"] for row in longest} >= {0, 2, 3}, True)
    if not any("process 1" in row["whom"] for row in longest):
        fail(f"nobody knows that process 1 was waited for: {longest}")
    advise("counter", 4, {"hot-counter", "late-process"}, CW_NODE_SIZE="1", CW_SERVER="none")
    advise("crowd", 3, {"crowded"})
    advise("quiet", 4, set())
    os.chdir("/")
sys.exit(failed())
