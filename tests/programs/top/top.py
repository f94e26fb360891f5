# top.py running|nodes|refused|garbage|live CW-TOP WATCHED MPIEXEC...: checks the output of cw-top for a job that runs, hangs
# and ends; for one with several nodes, of which a process is killed; for a process that is no job; for corrupt memory; and on
# a terminal. It waits for each effect, with a timeout that a passing test does not reach.
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # the sources stay as they are
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "kit"))
from checks import fail, failed  # noqa: E402

what, top, program, *mpiexec = sys.argv[1:]
LONG = 60


def cw_top(*arguments, status=0, **more):
    done = subprocess.run([top, *map(str, arguments)], capture_output=True, text=True, timeout=LONG, **more)
    if status is not None and done.returncode != status:
        fail(f"status {done.returncode}, not {status}, of cw-top {arguments}: {done.stdout}{done.stderr}")
    return done


def once(*arguments, **more):
    return cw_top("--once", "--interval", 0.1, *arguments, **more).stdout


# Waits until one screen has all of these texts.
def seen(pid, *patterns):
    end = time.monotonic() + LONG
    while True:
        screen = once(pid)
        missing = [each for each in patterns if not re.search(each, screen, re.M)]
        if not missing:
            return screen
        if time.monotonic() > end:
            fail(f"never seen: {missing} in\n{screen}")
            return screen


def refused(words, *arguments, status=2, **more):
    done = cw_top(*arguments, status=status, **more)
    lines = done.stderr.splitlines()
    if len(lines) != 1 or not lines[0].startswith("cw-top: ") or words not in done.stderr or done.stdout:
        fail(f"cw-top {arguments} says {done.stdout!r} {done.stderr!r}, not '{words}'")


class Job:
    def __init__(self, processes, name="stage", **settings):
        self.file = os.path.join(os.getcwd(), name)
        self.log = open("job.log", "w+")
        self.started = subprocess.Popen([*mpiexec, "-n", str(processes), program, self.file], stdout=self.log,
                                        stderr=subprocess.STDOUT, env={**os.environ, **settings})
        self.pids = [self.pid(each) for each in range(processes)]

    def pid(self, process):
        end = time.monotonic() + LONG
        name = f"{self.file}.pid.{process}"
        while not (os.path.exists(name) and open(name).read().endswith("\n")):
            if time.monotonic() > end or self.started.poll() is not None:
                sys.exit(f"FAILED: the job does not start: {open('job.log').read()}")
            time.sleep(0.01)
        return int(open(name).read())

    def go_on_to(self, stage):
        open(f"{self.file}.{stage}", "w").close()

    def end(self, *statuses):
        for stage in range(1, 5):
            self.go_on_to(stage)
        status = self.started.wait(LONG)
        if status not in (statuses or (0,)):
            fail(f"the job's status is {status}: {open('job.log').read()}")
        self.log.close()
        for name in os.listdir("."):
            if name.startswith(os.path.basename(self.file) + "."):
                os.unlink(name)


# Converts a number with a unit: "1.2 k" is 1200.
def number(text):
    words = text.split()
    scale = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
    return float(words[0]) * scale[words[1] if len(words) > 1 else ""]


RATE = r"([0-9.]+(?: [kMG])?) +([0-9.]+ [KMG]?i?B)"


def look_at_moves(job):
    me = job.pids[0]
    screen = seen(me, rf"^ +1 +{job.pids[1]} .* [KMG]iB +[1-9]", r"^put +[1-9]", r"process 1$")
    if f"job {me}: 3 processes, 1 node, for " not in screen or not screen.startswith("watched, "):
        fail(f"not the job's title:\n{screen}")
    for name, line in (("put", rf"^put +{RATE}"), ("a target", rf"^ *{RATE}  process 1$"),
                       ("an object", rf"^ *{RATE}  region, 192 bytes in 3 slices$")):
        found = re.search(line, screen, re.M)
        each = number(found[2]) / number(found[1]) if found else 0
        if not 56 < each < 72:  # figures are rounded
            fail(f"{each} bytes for each operation of {name}, not 64:\n{screen}")
    if not re.search(r"^memory: [1-9]\S* [KMG]iB shared, of which [1-9]\S* [KMG]iB are touched; ", screen, re.M):
        fail(f"no memory:\n{screen}")
    alone = once(me, "--process", 2)
    row, puts = (re.search(each, alone, re.M)
                 for each in (rf"^ +2 +{job.pids[2]} .* [KMG]iB +{RATE}", rf"^put +{RATE}"))
    # The process continues between the two reads.
    if not row or not puts or abs(number(row[1]) / number(puts[1]) - 1) > 0.5:
        fail(f"the classes are not those of process 2:\n{alone}")
    for name in (job.started.pid, f"{me}"):
        if f"job {me}: " not in once(name):
            fail(f"cw-top {name} does not find the job")
    if str(me) not in once() + cw_top(status=None).stdout:
        fail("the job is not in the list")
    refused("process 3 is not on this machine", "--once", "--interval", 0.05, "--process", 3, me)


def look_at_hang(pid, job):
    return seen(pid, r"^2 processes have waited in cw_barrier for .*, for process 1 \(team of 3 processes, 0 to 2\)$",
                rf"^  process 1 waits for no process: it sleeps \(pid {job.pids[1]}, \d+ % of a core\)$",
                rf"^ +0 +{job.pids[0]} .*  waits in cw_barrier for ", rf"^ +1 +{job.pids[1]} .*  sleeps$",
                r"^barrier .* [56][0-9] %$")


def check_running():
    job = Job(3, CW_PROFILE="/dev/null")
    look_at_moves(job)
    job.go_on_to(1)
    look_at_hang(job.pids[2], job)
    os.kill(job.pids[1], signal.SIGSTOP)
    seen(job.pids[1], r"^  process 1 waits for no process: it is stopped ")
    os.kill(job.pids[1], signal.SIGCONT)
    job.go_on_to(2)
    seen(job.pids[0], r"^2 processes have waited in cw_mutex_lock for .*, for mutex 0 of process 0, which process 0 holds$",
         r"^  process 0 waits for no process: it sleeps ")
    job.go_on_to(3)
    seen(job.pids[0], r"^no process waits$|^\S+ \S+ (has|have) waited in cw_broadcast for 0", r"^put +[1-9]")
    job.end()
    refused("there is no process and no job", job.pids[0])


# Each process is a node with a server, and no profile is made. The killed one ends the job while cw-top watches.
def check_nodes():
    job = Job(3, CW_NODE_SIZE="1")
    job.go_on_to(1)
    screen = seen(job.pids[0], r"^\S+ \S+ (has|have) waited in cw_barrier for .*, for process 1, or one that it waits for",
                  r"^  process 1 waits for no process: it sleeps ", r"^server of node 0: \d+ % of a core",
                  r"^Operations are not counted: start the job with CW_PROFILE=FILE")
    if ": 3 processes, 3 nodes, " not in screen or "ops/s" in screen:
        fail(f"not the job's title, or figures of nothing:\n{screen}")
    looks = [subprocess.Popen([top, "--once", "--interval", str(0.05 * each), str(job.pids[1])], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for each in range(1, 9)]
    time.sleep(0.1)
    os.kill(job.pids[1], signal.SIGKILL)
    for each in looks:
        said = each.communicate(timeout=LONG)[0]
        if each.returncode not in (0, 1, 2) or (each.returncode > 0 and len(said.splitlines()) != 1):
            fail(f"a look at a dying job ends with {each.returncode} and says {said}")
    end = time.monotonic() + LONG
    while cw_top("--once", "--interval", 0.05, job.pids[0], status=None).returncode == 0:
        if time.monotonic() > end:
            fail("the dead job is shown")
            break
    job.started.wait(LONG)


def as_another_user():
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        print("not asked, because that takes root and setpriv: another user's job")
        return
    folder = tempfile.mkdtemp()  # that user may not reach where it was built
    os.chmod(folder, 0o755)
    copy = shutil.copy(top, folder)
    other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", copy]
    for arguments, words, status in (([str(os.getpid())], "belongs to another user", 2),
                                     ([], "no job of Causeway of this user", 1)):
        done = subprocess.run([*other, *arguments], capture_output=True, text=True, timeout=LONG)
        if done.returncode != status or words not in done.stderr:
            fail(f"another user is told {done.returncode} {done.stdout} {done.stderr}")
    shutil.rmtree(folder)


def check_refused():
    sleeper = subprocess.Popen(["sleep", str(LONG)])
    refused(f"process {sleeper.pid} does not use Causeway, and has started no process that does", sleeper.pid)
    sleeper.kill()
    sleeper.wait()
    refused(f"there is no process and no job {sleeper.pid}", sleeper.pid)
    refused("'here@there' is neither a PID nor a job", "here@there")
    refused("more than one job", 1, 2)
    refused("--process is '-1'", "--process", "-1")
    for wrong in ("0", "1s", "nan", "4000", ""):
        refused(f"--interval is '{wrong}'; it may be 0.05 to 3600 seconds", "--interval", wrong)
    if "Usage: cw-top" not in cw_top("--help").stdout or "Causeway " not in cw_top("--version").stdout:
        fail("--help or --version")
    as_another_user()


# --- Corrupt memory: a process with the memory of a process of a job, except for some bytes.
def file_of(pid, name):
    for each in os.listdir(f"/proc/{pid}/fd"):
        path = f"/proc/{pid}/fd/{each}"
        if os.readlink(path) == f"/memfd:{name} (deleted)":
            return int(each), os.open(path, os.O_RDONLY)
    sys.exit(f"FAILED: process {pid} has no {name}")


# This process publishes that status page, and has that memory of counters (its used part).
def look_at_copy(status_page, profile, length, number_at, note, *statuses):
    counters = os.memfd_create("cw-profile")
    os.ftruncate(counters, length)
    for at, part in profile:
        os.pwrite(counters, part, at)
    shown = bytearray(status_page)
    if number_at < len(shown):
        shown[number_at:number_at + 4] = counters.to_bytes(4, "little")
    file = os.memfd_create("cw-status_page")
    os.pwrite(file, shown, 0)
    done = cw_top("--once", "--interval", 0.05, os.getpid(), status=None)
    if done.returncode not in statuses or any(not " " <= each <= "~" for each in done.stdout.replace("\n", "")):
        fail(f"{note}: status {done.returncode}: {done.stdout!r} {done.stderr!r}")
    os.close(file)
    os.close(counters)
    return done


def check_garbage():
    job = Job(2, CW_PROFILE="/dev/null")
    seen(job.pids[0], r"^put +[1-9]")
    (_, status_page), (number, memory) = (file_of(job.pids[0], each) for each in ("cw-status_page", "cw-profile"))
    status_page = os.pread(status_page, 100000, 0)
    length, rows, kept = struct.unpack("3Q", os.pread(memory, 24, 0))
    parts = [(0, os.pread(memory, rows, 0)), (length - kept, os.pread(memory, kept, length - kept))]
    pid, file = (each.to_bytes(4, "little") for each in (job.pids[0], number))
    job.end()
    pid_at = status_page.index(pid, 56)  # behind job and its machine
    number_at = status_page.index(file, pid_at + 28)
    status_page = status_page[:pid_at] + os.getpid().to_bytes(4, "little") + status_page[pid_at + 4:]
    whole = look_at_copy(status_page, parts, length, number_at, "the same", 0)
    if not re.search(rf"^ +0 +{os.getpid()} .* 0 +0 B ", whole.stdout, re.M) or "calls/s" not in whole.stdout:
        fail(f"a copy of the memory is not shown:\n{whole.stdout}{whole.stderr}")
    version = status_page[:8] + (99).to_bytes(4, "little") + status_page[12:]
    other = look_at_copy(version, parts, length, number_at, "another version", 2)
    if "runs another version of Causeway" not in other.stderr:
        fail(f"another version: {other.stderr}")
    look_at_copy(status_page[:100], parts, length, number_at, "a short status_page", 0, 1, 2)
    look_at_copy(status_page, [(0, parts[0][1][:64])], 64, number_at, "short counters", 0)
    seed = int(os.environ.get("CW_TEST_SEED", random.randrange(10**9)))
    print(f"CW_TEST_SEED={seed}")
    draw = random.Random(seed)
    for _ in range(max(1, round(4 * float(os.environ.get("CW_TEST_TIMES", 1))))):
        bad = bytearray(status_page)
        for _ in range(draw.randrange(20)):
            bad[draw.randrange(16, len(bad))] = draw.randrange(256)
        bad[pid_at:pid_at + 4] = os.getpid().to_bytes(4, "little")
        worse = []
        for at, part in parts:
            part = bytearray(part)
            for _ in range(draw.randrange(400)):
                place = draw.randrange(0, len(part)) // 8 * 8
                other = draw.randrange(0, len(part)) // 8 * 8
                part[place:place + 8] = part[other:other + 8]  # pointers to what is something else
            worse.append((at, bytes(part)))
        look_at_copy(bad, worse, length, number_at, f"garbage of CW_TEST_SEED={seed}", 0, 1, 2)


# --- On a terminal.
class Terminal:
    def __init__(self, command):
        self.name = f"cw-top-test-{os.getpid()}"
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", command)

    def tmux(self, *arguments):
        return subprocess.run(["tmux", "-L", self.name, *arguments], capture_output=True, text=True, timeout=LONG).stdout

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def seen(self, *patterns, never=None):
        end = time.monotonic() + LONG
        while True:
            screen = self.tmux("capture-pane", "-p", "-e")
            missing = [each for each in patterns if not re.search(each, screen, re.M)]
            if not missing and (never is None or not re.search(never, screen, re.M)):
                return screen
            if time.monotonic() > end:
                fail(f"never seen: {missing} (or still: {never}) in\n{screen}")
                return screen
            time.sleep(0.02)


# This process has started two jobs. cw-top shows one of them, and then the other.
def look_at_several(terminal):
    jobs = [Job(2, "one"), Job(3, "other")]
    numbers = [job.pids[0] for job in jobs]
    listed = seen(os.getpid(), *(rf"^{number} +watched " for number in numbers))

    def chosen(job):
        return rf"^\S*7m\S*{numbers[job]} +watched "

    first, second = sorted(range(2), key=lambda each: listed.index(f"\n{numbers[each]} "))
    terminal.tmux("respawn-pane", "-k", f"'{top}' --interval 0.125 {os.getpid()}; echo left with $?; exec sleep {LONG}")
    terminal.seen(r"^\S*job +program ", "enter show it", chosen(first), rf"^\S*{numbers[second]} +watched ")
    terminal.keys("Down")
    terminal.seen(chosen(second))
    terminal.keys("Enter")
    terminal.seen(rf"watched, job {numbers[second]}: {len(jobs[second].pids)} process", "h help")
    terminal.keys("j")
    terminal.seen(r"^\S*job +program ", chosen(second))
    terminal.keys("Up", "Enter")
    terminal.seen(rf"watched, job {numbers[first]}: {len(jobs[first].pids)} process", "h help")
    terminal.keys("q")
    terminal.seen("^left with 0$")
    for job in jobs:
        job.end()


def check_live():
    if shutil.which("tmux") is None:
        print("skipped: no tmux")
        sys.exit(77)
    job = Job(3, CW_PROFILE="/dev/null")
    refused("are not a terminal: use --once", job.pids[0], stdin=subprocess.DEVNULL)
    command = f"'{top}' --interval 0.125 {job.pids[0]}"
    terminal = Terminal(f"{command}; echo left with $?; exec sleep {LONG}")
    try:
        terminal.seen(rf"job {job.pids[0]}: 3 processes, 1 node, for ", "order: process  every 0.125 s", "^put +[1-9]")
        terminal.keys(">")
        terminal.seen("order: cpu ")
        terminal.keys("o")
        terminal.seen("order: ops ")
        terminal.keys("n", "Down", "Down")
        terminal.seen(rf"\033\[7m +1 +{job.pids[1]} ")
        terminal.keys("a")
        terminal.seen("order: process ", never=r"\033\[7m +1 ")
        terminal.keys("-", "p")
        terminal.seen("every 0.25 s  paused")
        terminal.keys("p", "h")
        terminal.seen("any key: back", "^up, down +choose a process")
        terminal.keys("x")
        terminal.seen("h help", never="any key: back")
        terminal.tmux("resize-window", "-x", "40", "-y", "6")
        terminal.seen(r"^\S*watched, job", never="^put ")
        terminal.keys("NPage", "NPage", "NPage")
        terminal.seen("h help", never="watched, job")
        terminal.tmux("resize-window", "-x", "120", "-y", "50")
        terminal.seen(r"watched, job", "^put +[1-9]", "region, 192 bytes")
        terminal.keys("q")
        terminal.seen("^left with 0$")
        terminal.tmux("respawn-pane", "-k", f"{command}; echo left with $?; exec sleep {LONG}")
        job.go_on_to(1)
        terminal.seen("process 1 waits for no process: it sleeps")
        job.end()
        # The last screen remains.
        terminal.seen(rf"^watched, job {job.pids[0]}: 3 processes", "^cw-top: the job has ended$", "^left with 0$")
        look_at_several(terminal)
    finally:
        terminal.tmux("kill-server")


folder = tempfile.mkdtemp()
os.chdir(folder)
try:
    {"running": check_running, "nodes": check_nodes, "refused": check_refused, "garbage": check_garbage,
     "live": check_live}[what]()
finally:
    os.chdir("/")
    shutil.rmtree(folder)
sys.exit(failed())
