# Put, get and accumulate must need no additional instruction because of devices: their machine code, including the slow
# branch, is that of a build without devices. They need none for observers either (CW_STATS, CW_CHECK, CW_PROFILE, CW_TIMELINE,
# tools), which share one test.
set -eu
cd "$SOURCE"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/without/memory" "$work/without/route/device"

# Replaces the headers of devices by ones without devices.
cat >"$work/without/memory/device_address.h" <<'END'
#define cwi_is_device_address(address) ((void)(address), false)
END
echo '#define cwi_device_stage(given, start) ((void)(given), CW_OK)' >"$work/without/route/device/device_route.h"

# assemble SOURCE NAME INCLUDES...: to NAME.s
assemble() {
  source=$1 name=$2
  shift 2
  # shellcheck disable=SC2086 # lists of words
  $CC -std=gnu11 -D_GNU_SOURCE -O2 -w -S $MPI_CFLAGS "$@" -Iinclude -Isrc/core -Isrc/move -o "$work/$name.s" "$source"
}

# body FUNCTION NAME: prints its instructions, hot and cold, with labels by their order.
body() {
  awk -v name="$1" '
    $1 == name ":" || $1 == name ".cold:" { inside = 1; print "part"; next }
    $1 == ".size" || $1 == ".cfi_endproc" { inside = 0 }
    inside && $1 !~ /^\.(cfi|p2align|align|section|text|type|loc)/ {
      line = $0
      while (match(line, /\.L[A-Z]*[0-9]+/)) {
        label = substr(line, RSTART, RLENGTH)
        if (!(label in number)) number[label] = ++labels
        line = substr(line, 1, RSTART - 1) "label" number[label] substr(line, RSTART + RLENGTH)
      }
      print line
    }' "$work/$2.s"
}

# same FUNCTION ONE OTHER
same() {
  body "$1" "$2" >"$work/one"
  body "$1" "$3" >"$work/other"
  [ "$(wc -l <"$work/one")" -gt "$least" ] || { echo "$1 has hardly any instructions in $2.s"; exit 1; }
  cmp -s "$work/one" "$work/other"
}

calls=src/move/route/transfer_calls.c
sed 's/local != NULL && cwi_zone_holds(/!cwi_is_device_address(remote) \&\& &/' $calls >"$work/dear.c"
assemble $calls with
assemble $calls without "-I$work/without"
assemble "$work/dear.c" dear
failed=0
least=40
for function in cw_put cw_get cw_accumulate; do
  same $function with without || {
    echo "$function differs from a compile without devices:"
    diff "$work/one" "$work/other" || failed=1
  }
  ! same $function with dear || { echo "$function: a dear one was not noticed"; failed=1; }
  echo "$function: $(wc -l <"$work/one") lines of assembly"
  [ "$(grep -c 'cwi_settings' "$work/one")" -eq 1 ] || { echo "$function asks more than one setting"; failed=1; }
  ! grep -E 'cwi_(heard|profile|call|programs|timeline)' "$work/one" || { echo "$function knows who looks"; failed=1; }
done

# Pools of tasks: adding a task, a worker's loop and stealing need no instruction because of pools that survive failures.
work_includes='-Isrc/data -Isrc/work'
sed '/survive/,+1d' src/work/task/task_add.c >"$work/task_add.c"
grep -q survive src/work/task/task_add.c || { echo "task_add.c does not know surviving pools"; failed=1; }
# shellcheck disable=SC2086 # lists of words
assemble src/work/task/task_add.c add $work_includes
# shellcheck disable=SC2086
assemble "$work/task_add.c" add_without $work_includes
least=20
same cw_tasks_add add add_without || { echo "cw_tasks_add needs more instructions because of surviving pools"; failed=1; }
for source in task_queue inbox overflow wave worker worker_search; do
  ! grep -E 'robust|surviv' src/work/worker/$source.c || { echo "$source.c knows surviving pools"; failed=1; }
done

least=10
! cmp -s "$work/with.s" "$work/without.s" || { echo "devices are not left out"; failed=1; }
exit $failed
