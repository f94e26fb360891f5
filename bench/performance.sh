#!/bin/sh
# Prints the table of docs/performance.md, which has one number of the tables in FOLDER for each question.
#   performance.sh FOLDER       FOLDER: docs/results, with the tables of bench/show.sh
set -eu
here=$(dirname "$(readlink -f "$0")")
cd "${1:?usage: performance.sh FOLDER}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# row QUESTION TABLE KEY MPICH OPENMPI AIM [UNIT]: takes the first line of the table that begins with KEY. MPICH and OPENMPI
# are numbers of columns, or - for none.
row() {
  [ -s "$work/$2" ] || sh "$here/show.sh" --table "$2" . >"$work/$2"
  line=$(awk -v key="| $3 |" 'index($0, key) == 1 { print; exit }' "$work/$2")
  [ -n "$line" ] || { echo "performance.sh: the tables of $2 have no row '$3'" >&2; exit 1; }
  cell() {
    [ "$1" = - ] || printf '%s' "$line" | awk -F '[|]' -v n="$1" '{ gsub(/^ +| +$|\*/, "", $(n + 1)); printf "%s", $(n + 1) }'
  }
  when=$(sed -n 's/^- [^:]*: \([0-9-]*\),.*cores of \(an* \)*\([A-Za-z]*\).*/\1, \3/p' "$2.md" | head -n 1)
  mpich=$(cell "$4") openmpi=$(cell "$5")
  echo "| $1 | ${mpich:-–}${mpich:+${7:+ $7}} | ${openmpi:-–}${openmpi:+${7:+ $7}} | ${6:-–} | $when | [$2](results/$2.md) |"
}

head='| question | MPICH | Open MPI | aim | measured | table |
|---|--:|--:|--:|---|---|'
printf '### One node\n\n%s\n' "$head"
row 'put of 8 bytes' direct 'put8 | 8' 3 6 '15 ns'
row 'get of 8 bytes' direct 'get8 | 8' 3 6 '15 ns'
row 'fetch-and-add' direct 'fetch-add | 8' 3 6 '15 ns'
row 'put of 64 KiB: rate, divided by that of memcpy' direct 'put | 65536' 4 7 0.95
row 'get of 1 MiB: rate, divided by that of memcpy' direct 'get | 1048576' 4 7 0.95
row 'accumulate of 64 KiB: rate, divided by that of a plain loop' direct 'acc | 65536' 4 7 0.9
row 'put of 256 rows of 64 bytes: rate, divided by that of a loop' direct 'put-rows | 256 x 64' 4 7 0.9
row 'put of 8 bytes: times as fast as ARMCI-MPI' direct 'put8 | 8' 5 8 ''
row 'put of 1 MiB: times as fast as ARMCI-MPI' direct 'put | 1048576' 5 8 ''
row 'barrier of 2 processes' collectives barrier 3 - '' µs
row 'barrier of 2 processes: times as fast as that of MPI' collectives barrier 5 - 1
row '`NGA_Get` of 8 bytes' arrays 'NGA_Get | 8 B' 4 - '60 ns' ns
row '`NGA_Get` of 8 bytes: times as fast as on Debian GA over libarmci' arrays 'NGA_Get | 8 B' 9 - 1
row '`NGA_Put` of 128 x 128: times as fast as on Debian GA over libarmci' arrays 'NGA_Put | 128 x 128' 9 - 1
row 'task of 8 bytes, added and run: time beyond that of a stack' tasks '8 bytes, alone' 5 - '0.012 µs' µs
printf '\n### Two hosts\n\n%s\n' "$head"
row 'put and fence' server 'put8-fence | 8' 3 6 ''
row 'get of 8 bytes' server 'get8 | 8' 3 6 ''
row 'get of 8 bytes: rate, divided by that of a ping-pong' server 'get8 | 8' 4 7 0.8
row 'get of 8 bytes: rate, divided by that of ARMCI-MPI' server 'get8 | 8' 5 8 1
row 'get of 8 bytes while the target computes' server-busy 'get8 | 8' 3 6 ''
row 'put of 1 MiB: rate, divided by that of `MPI_Send`' server 'put | 1048576' 4 7 0.9
row 'accumulate of 1 MiB: rate, divided by that of `MPI_Send`' server 'acc | 1048576' 4 7 0.9
row 'many accumulates of 1 KiB: rate, divided by that of `MPI_Send`' updates 1024 5 - 0.8
row 'steal of a task' tasks-hosts 'of 1 task' 3 - '' µs
row 'steal of a task: time, divided by that of a ping-pong' tasks-hosts 'of 1 task' 4 - 2.3
printf '\n### Programs\n\n%s\n' "$head"
row 'NWChem, CCSD(T), 2 processes: time, divided by that on Debian GA' nwchem-compare 'dimer | 2 processes' 8 - 1
row 'NWChem, CCSD(T), 2 hosts: time, divided by that on Debian GA' nwchem-compare 'dimer | 2 hosts' 8 - 1
row 'Unbalanced Tree Search (T1L): 2 processes, times as fast as 1' uts 'T1L | 2 processes' 6 - 1.95
row 'start of 64 processes on 2 cores, after MPI_Init' start '64 | 1 | causeway' 5 - '' s
row 'start of 64 processes on 2 cores: the same with MPI alone' start '64 | 1 | mpi' 5 - '' s
row 'idle server after 200 ms: part of a core' idle 200 4 - '2 %' %
