# The library must compile for aarch64 without a warning, and its small transfers must order memory: x86 keeps the order of two
# puts or gets by itself, aarch64 only with a barrier. No run can show that here, because qemu on x86 keeps x86's order (a flag
# that was put after its data, without barriers, was never seen before the data in 6 million tries). So this checks the
# instructions.
set -eu
cc=aarch64-linux-gnu-gcc objdump=aarch64-linux-gnu-objdump
for tool in $cc $objdump; do
  command -v $tool >/dev/null || { echo "no $tool (gcc-aarch64-linux-gnu)"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$SOURCE"
failed=0

cat >"$work/flags" <<END
-std=gnu11 -O2 -fPIC -Wall -Wextra -Wshadow -Werror -D_GNU_SOURCE '-DCW_VERSION="x"'
-Iinclude -Isrc/core -Isrc/move -Isrc/data -Isrc/work -Isrc/observe -Ivocl/src -Isrc -Iinterfaces -Iinterfaces/armci/include -Iinterfaces/ga/include -I$BUILD/texts $MPI_CFLAGS
END
export work cc
# linear and file need BLAS and HDF5 of that processor; the launcher needs definitions that CMake passes to it.
# shellcheck disable=SC2016 # for the shells that xargs starts
find src interfaces vocl/src -name '*.c' | grep -vE '^(src/data/(external|linear|solvers|file)|vocl/src/launcher)/' |
  xargs -P 2 -n 1 sh -c '"$cc" @"$work/flags" -c "$0" -o "$work/$(echo "$0" | tr / -).o"' || {
  echo 'does not compile for aarch64 (messages above)'
  exit 1
}
echo "$(ls "$work" | grep -c "\.o$") files compiled"

# events FILE FUNCTION: prints its barriers, moves and returns, one letter each, in the order of the code: W orders all before
# all (dmb ish), R loads before all (dmb ishld), A is an acquiring load, M a move, N an addition with release order, e a return
events() {
  "$objdump" -dr --no-show-raw-insn "$work/$1.o" | awk -v name="<$2>:" '
    $2 == name { inside = 1; next }
    inside && /^$/ { exit }
    !inside { next }
    /\tdmb\tish$/ { printf "W" }
    /\tdmb\tishld$/ { printf "R" }
    /\tldarb\t/ { printf "A" }
    /R_AARCH64_(CALL|JUMP)26.*(memmove|cwi_copy_rows|cwi_planes_next)/ { printf "M" }
    /R_AARCH64_(CALL|JUMP)26.*__aarch64_ldadd8_(rel|acq_rel)/ { printf "N" }
    /\tret$/ { printf "e" }'
}

# expect FILE FUNCTION PATTERN WHAT
expect() {
  seen=$(events "$1" "$2")
  echo "$seen" | grep -qE "$3" && return
  echo "$2: $4; its code has: $seen"
  failed=1
}
expect src-move-route-transfer_calls.c cw_put '^[A]*W[^M]*M' 'no barrier before its stores'
expect src-move-route-transfer_calls.c cw_get '^[^e]*Re.*MRe' 'no barrier after its loads'
expect src-move-route-transfer_calls.c cw_put 'A.*A' 'reads the kind of a granule without acquiring'
expect src-move-sync-notification_sets.c cw_put_notify 'W[^e]*N' 'no barrier before its stores, or none between them and the count'
expect src-move-route-direct-direct_route.c direct_start '^W.*M.*R' 'no barrier before the stores of a put or after the loads of a get'
expect src-move-route-direct-direct_route.c cwi_direct_accumulate 'W' 'no barrier before its stores'
expect src-core-memory-zone.c cwi_zone_find 'A.*A' 'reads the kind of a granule without acquiring'
exit $failed
