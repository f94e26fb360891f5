#!/bin/sh
# Measures what MPI can do among the survivors of a death, on one host and on several: message_probe.c, a program without
# Causeway, runs many times for each row. The hosts are network namespaces (tests/multinode/hosts.sh).
#
#   messages.sh OUT [PATTERN]   writes OUT/failures-messages.csv, of which bench/show.sh makes a page. An hour. With PATTERN only
#                               rows that contain it, which are printed
#
# RUNS: runs of each row, 20. BESIDE: jobs that run at the same time, 4.
set -eu
here=$(dirname "$(readlink -f "$0")")
root=$(dirname "$(dirname "$here")")
out=$(readlink -f "${1:?usage: messages.sh OUT [PATTERN]}") pattern=${2:-}
runs=${RUNS:-20} beside=${BESIDE:-4}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset PMI_RANK PMI_SIZE
# Killed jobs leave files of MPI in /dev/shm. This one ends with the script.
if [ "${CW_OWN_SHM:-}" = '' ]; then
  # shellcheck disable=SC2016 # the shell expands it
  CW_OWN_SHM=yes exec unshare --mount sh -c 'mount -t tmpfs tmpfs /dev/shm && exec sh "$@"' sh "$0" "$@"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The shell commands that cut host 2 off, or kill all its processes, the launcher's daemon among them. The first process of the
# host lives on, so that its kernel still closes connections.
cut='ip link set cable2 down'
# shellcheck disable=SC2016 # the shell of hosts.sh expands it
kill_host='for process in /proc/[0-9]*; do
  [ "$(readlink "$process/ns/net")" != "$(readlink "/proc/$HOSTS_PID_2/ns/net")" ] || [ "${process#/proc/}" = "$HOSTS_PID_2" ] ||
    kill -9 "${process#/proc/}"
done'

# job FOLDER MPI LAYOUT KIND LOST THREADS DELAY END LIMIT: runs one job. LAYOUT: HOSTSxPER_HOST. The folder gets the results of
# each rank, and the files output, status and seconds.
job() {
  folder=$1 mpi=$2 hosts=${3%x*} per_host=${3#*x} kind=$4 lost=$5 threads=$6 delay=$7 end=$8 limit=$9
  mkdir -p "$folder"
  cp "$work/probe-$mpi" "$folder/probe"
  action=
  case $kind in
  cut) action=$cut ;;
  host) action=$kill_host ;;
  esac
  [ -z "$action" ] || kind=cut
  set -- "$folder/probe" "$folder" "$kind" "$lost" "$threads" "$per_host" "$delay" "$end"
  begin=$(date +%s.%N)
  status=0
  if [ "$hosts" != 1 ]; then
    set -- "$mpi" "$hosts" "$per_host" "$@"
    [ -z "$action" ] || set -- --when 'cut now' "$action; touch '$folder/death'" "$@"
    sh "$root/tests/multinode/hosts.sh" --survive --limit "$limit" "$@" >"$folder/output" 2>&1 || status=$?
  elif [ "$mpi" = mpich ]; then
    # shellcheck disable=SC2016 # the shell expands it
    timeout -k 3 "$limit" mpiexec.mpich -disable-auto-cleanup -n "$per_host" sh -c 'trap : USR1; "$@"; exit $?' sh "$@" \
      >"$folder/output" 2>&1 </dev/null || status=$?
  else
    OMPI_MCA_pml=ob1 OMPI_MCA_btl=^tcp timeout -k 3 "$limit" mpiexec.openmpi --oversubscribe --bind-to none --enable-recovery \
      -n "$per_host" "$@" >"$folder/output" 2>&1 </dev/null || status=$?
  fi
  for process in /proc/[0-9]*; do
    [ "$(readlink "$process/exe" 2>/dev/null)" != "$folder/probe" ] || kill -9 "${process#/proc/}" 2>/dev/null || true
  done
  echo "$status" >"$folder/status"
  echo "$(date +%s.%N) $begin" | awk '{ print $1 - $2 }' >"$folder/seconds"
  rm "$folder/probe"
}

# Prints the cells of a row: for each column the number of runs in which all survivors report it, or what they report.
# cells FOLDER SURVIVORS LIMIT
cells() {
  for folder in "$1"/*; do
    echo "run $(cat "$folder/status") $(cat "$folder/seconds")"
    cat "$folder"/rank*
  done | awk -v survivors="$2" -v limit="$3" '
    function all(name) { return ok[name] == survivors }
    # Returns the outcomes that the survivors of a run report, such as "error or waits".
    function what(name,   text, i, words, n) {
      n = split("completes error waits", words, " ")
      for (i = 1; i <= n; i++)
        if ((name, words[i]) in seen)
          text = text (text ? " or " : "") words[i]
      return text ? text : "not reached"
    }
    function counted(counts,   text, value) {
      for (value in counts)
        text = text (text ? ", " : "") value " (" counts[value] ")"
      return text
    }
    function finish() {
      if (!begun)
        return
      live += reached["ends"] == survivors
      same += all("same-host"); others += all("other-hosts"); any += all("any-source")
      receive[what(reached["begun"] ? "begun" : "receive")]++; send[what("send")]++; large[what("large")]++
      then += all("then") && all("then-others") && all("then-any")
      window += all("window"); duplicate += all("duplicate"); group += all("group")
      if (status == 124 || status == 137 && seconds >= limit)
        hangs++
      else
        ends[status]++
      delete ok; delete seen; delete reached
    }
    $1 == "run" { finish(); begun = 1; status = $2; seconds = $3; next }
    { reached[$1]++; seen[$1, $2] = 1 }
    $2 == "ok" { ok[$1]++ }
    END {
      finish()
      if (hangs)
        ends["hangs"] = hangs
      printf "%d | %d, %d, %d | %s | %s; %s | %d | %d | %d, %d | %s |\n", live, same, others, any, counted(receive),
        counted(send), counted(large), then, window, duplicate, group, counted(ends)
    }'
}

# row NAME MPI LAYOUT KIND LOST THREADS DELAY END LIMIT: runs the jobs of a row and prints it
row() {
  name=$1 threads=$6 end=$8
  shift
  case "$name $threads $end $1" in
  *"$pattern"*) ;;
  *) return ;;
  esac
  rm -rf "$work/jobs"
  begun=0
  while [ $begun -lt "$runs" ]; do
    batch=0
    while [ $batch -lt "$beside" ] && [ $begun -lt "$runs" ]; do
      begun=$((begun + 1)) batch=$((batch + 1))
      (trap - EXIT && job "$work/jobs/$begun" "$@") &
    done
    wait
  done
  number=$((${2%x*} * ${2#*x}))
  lost=$(echo "$4" | tr , '\n' | wc -l)
  echo "| $name | $threads, $end | $(cells "$work/jobs" $((number - lost)) "$8")"
}

table() { # table MPI
  mpi=$1
  "mpicc.$mpi" -O1 -pthread -o "$work/probe-$mpi" "$here/message_probe.c"
  case $mpi in
  mpich) version=$(mpichversion 2>/dev/null | awk 'NR == 1 { print "MPICH", $NF }') ;;
  *) version=$(ompi_info --version 2>/dev/null | sed -n '1s/ v/ /p') ;;
  esac
  # shellcheck disable=SC1091
  printf '%s, %s: %d runs of each row\n\n' "$(. /etc/os-release && echo "Debian $VERSION_ID")" "$version" "$runs"
  echo '| loss | threads, end | live on | messages: same host, other hosts, any source | receive from the dead | send to the dead: 8 B; 256 KiB | messages then | put, get | duplicate, create_group | status |'
  echo '|---|---|--:|---|---|---|--:|--:|---|---|'
  for threads in single multiple; do
    row 'one host, 4 processes: 1' "$mpi" 1x4 kill 2 $threads 0 exit 15
    row 'one host, 4 processes: 2, 20 ms apart' "$mpi" 1x4 kill 1,2 $threads 20 exit 15
    row '3 hosts, 2 processes each: 1' "$mpi" 3x2 kill 3 $threads 0 exit 15
    row '3 hosts, 2 processes each: rank 0' "$mpi" 3x2 kill 0 $threads 0 exit 15
    row '3 hosts, 1 process each: 1' "$mpi" 3x1 kill 1 $threads 0 exit 15
    row '3 hosts, 2 processes each: both of a host, 20 ms apart' "$mpi" 3x2 kill 2,3 $threads 20 exit 15
    row '3 hosts, 2 processes each: 2 of different hosts, 20 ms apart' "$mpi" 3x2 kill 3,5 $threads 20 exit 15
    row '3 hosts, 2 processes each: 2 of different hosts, 500 ms apart' "$mpi" 3x2 kill 3,5 $threads 500 exit 15
    row '3 hosts, 2 processes each: all processes of a host, with the daemon' "$mpi" 3x2 host 2,3 $threads 0 exit 15
    row '3 hosts, 2 processes each: host cut off' "$mpi" 3x2 cut 2,3 $threads 0 exit 15
  done
  for end in abort finalize begun; do
    row '3 hosts, 2 processes each: 1' "$mpi" 3x2 kill 3 multiple 0 $end 15
  done
  row 'one host, 4 processes: 1' "$mpi" 1x4 kill 2 multiple 0 begun 15
  echo
}

if [ -n "$pattern" ]; then
  table mpich
  table openmpi
  exit
fi
{ table mpich && table openmpi; } >"$work/tables.md"
awk -f "$root/bench/csv.awk" "$work/tables.md" >"$out/failures-messages.csv"
echo "$(date -u +%Y-%m-%d), commit $(git -C "$root" rev-parse --short HEAD), $(nproc) cores of $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)" >"$out/failures-messages.run"
