#!/bin/sh
# Starts a program of which processes will die, with the launcher's options that let the others live on, and checks how the
# job ends. All tests of this folder run by this script.
#
#   run.sh [OPTIONS] N PROGRAM ARGUMENTS...                    by hand: the launcher follows from the program's MPI
#   run.sh [OPTIONS] LAUNCHER... -n N PROGRAM ARGUMENTS...     from CMake: MPIEXEC
#
#   --deaths K      this number of processes must end by a signal or a status other than 0, and all others with status 0; K may
#                   be a range (0-1). The default is 1. "all" means that a process ends the job: then only the output, the
#                   limit and what is left are checked
#   --limit S       seconds after which the job hangs; the default is 120
#   --expect REGEX  must be in the output; may occur several times
#
# Prints the output, and for each process that does not end with status 0 its status. The exit status is 0 if the deaths are as
# expected, each REGEX was found, the launcher ended, and nothing is left: processes of the job, files in its TMPDIR and in
# /dev/shm. It is 1 otherwise, and 77 if a process ended with 77 (skipped). The job has a /dev/shm of its own; a user who may
# not mount one shares it with other jobs, and then it is not checked.
#
# The launcher's own status does not say it: MPICH's is 137 after a death by SIGKILL, Open MPI's 0 (docs/guide/failure.md). So
# each process runs in a shell, which writes its status into a file. MPICH needs the shell anyway.
set -eu
usage='usage: run.sh [--deaths K] [--limit S] [--expect REGEX] N|LAUNCHER... -n N PROGRAM ARGUMENTS...'
work=$(mktemp -d)
mkdir "$work/tmp" "$work/statuses"
deaths=1 limit=120
: >"$work/expected"
while :; do
  case ${1:-} in
  --deaths) deaths=${2:?$usage} ;;
  --limit) limit=${2:?$usage} ;;
  --expect) echo "${2:?$usage}" >>"$work/expected" ;;
  *) break ;;
  esac
  shift 2
done

failed=0
complain() {
  echo "FAILED: $1"
  failed=1
}

# --- What this job leaves behind -------------------------------------------------------------------------------------

# The processes of the job have this variable. Prints their ids, without this script and its children.
export CW_TEST_JOB="$work"
group() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f3; }
own_group=$(group $$)
job_processes() {
  for id in $(grep -lsF "CW_TEST_JOB=$work" /proc/[0-9]*/environ | cut -d/ -f3); do
    case $(group "$id") in
    '' | "$own_group") ;; # it has ended, like grep
    *) echo "$id" ;;
    esac
  done
}

finish() {
  for id in $(job_processes); do kill -9 "$id" 2>/dev/null || true; done
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

# --- The launcher ----------------------------------------------------------------------------------------------------

launcher_options() { # launcher_options LAUNCHER...: sets $options and $again for the launcher's MPI
  case $("$@" --version 2>&1 | head -n 1) in
  *OpenRTE*) options='--enable-recovery' again=yes ;;
  *'Open MPI'* | *PRRTE*) options='--enable-recovery --runtime-options error-nonzero-status=0' again=yes ;;
  *) options='-disable-auto-cleanup' again= ;;
  esac
}

case ${1:?$usage} in
*[!0-9]*)
  number=
  for word; do
    shift
    if [ "$word" = -n ]; then
      number=$1
      shift
      break
    fi
    launcher="${launcher:-} $word"
  done
  [ -n "$number" ] || { echo "$usage" >&2; exit 2; }
  ;;
*)
  number=$1
  shift
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  case $(ldd "${1:?$usage}") in
  *libmpich*) launcher=mpiexec.mpich ;;
  *libmpi.so*) launcher='mpiexec.openmpi --oversubscribe --bind-to none' ;;
  *) echo "run.sh: $1 is linked with neither MPICH nor Open MPI" >&2; exit 2 ;;
  esac
  ;;
esac
# shellcheck disable=SC2086 # lists of words
launcher_options $launcher

# MPICH's launcher must not see that a process ends by a signal; Open MPI's sees what it sees without this shell.
cat >"$work/shell" <<'END'
trap : USR1
"$@"
status=$?
echo $status "${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-?}}" >"$CW_TEST_JOB/statuses/$$"
[ -z "$CW_TEST_AGAIN" ] || [ $status -le 128 ] || kill -$((status - 128)) $$
exit $status
END

# --- The job and the verdict -----------------------------------------------------------------------------------------

cat >"$work/job" <<'END'
[ "$1" = shared ] || { mount -t tmpfs tmpfs /dev/shm && mounted=yes; }
shift
status=0
"$@" || status=$?
[ -z "${mounted:-}" ] || find /dev/shm -type f >"$CW_TEST_JOB/shared"
exit $status
END
unshare= own=shared
! unshare --mount true 2>/dev/null || { unshare='unshare --mount' own=own; }
status=0
# shellcheck disable=SC2086
TMPDIR=$work/tmp CW_TEST_AGAIN=$again setsid -w $unshare sh "$work/job" $own timeout -k 5 "$limit" \
  $launcher $options -n "$number" sh "$work/shell" "$@" </dev/null >"$work/output" 2>&1 || status=$?
cat "$work/output"
[ $status -ne 124 ] || complain "the job has not ended after $limit seconds"

cat "$work/statuses"/* >"$work/all" 2>/dev/null || true
[ "$deaths" = all ] || [ "$(wc -l <"$work/all")" -eq "$number" ] || complain "$(wc -l <"$work/all") of $number processes have ended by themselves"
died=$(grep -cv '^0 ' "$work/all" || true)
sed -n 's/^\([1-9][0-9]*\) \(.*\)/process \2 ended with status \1/p' "$work/all" | sort
! grep -q '^77 ' "$work/all" || exit 77
[ "$deaths" = all ] || { [ "$died" -ge "${deaths%-*}" ] && [ "$died" -le "${deaths#*-}" ]; } || complain "$died processes have died, and not $deaths"
while read -r regex; do
  grep -Eq -- "$regex" "$work/output" || complain "'$regex' is not in the output"
done <"$work/expected"

# A process that ends without exit() returns its own status also after a report of a sanitizer.
! grep -Eq 'WARNING: ThreadSanitizer|ERROR: (Address|Leak)Sanitizer|: runtime error: ' "$work/output" ||
  complain "a sanitizer has found an error"

for _ in 1 2 3 4 5 6 7 8 9 10; do
  left=$(job_processes)
  [ -n "$left" ] || break
  sleep 0.5
done
[ -z "$left" ] || complain "processes are left: $(for id in $left; do echo "$id $(tr '\0' ' ' <"/proc/$id/cmdline")"; done)"
left=$(cd "$work/tmp" && find . -mindepth 1)
[ -z "$left" ] || complain "files are left in TMPDIR: $left"
left=$(cat "$work/shared" 2>/dev/null || true)
[ -z "$left" ] || complain "files are left in /dev/shm: $left"
exit $failed
