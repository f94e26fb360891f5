# vocl/scripts/demo-vocl.sh BUILD: ffmpeg and hashcat, which know nothing of Causeway, use the OpenCL devices of three nodes.
# BUILD is build/mpich/vocl, or where vocl/ was built alone. The nodes are virtual: three processes of this machine, each with PoCL, which makes the processor an OpenCL device.
# `make demo-vocl` builds what is needed and fetches the programs (vocl/scripts/opencl-programs.sh).
# Called again by itself, as "demo-vocl.sh BUILD there", among the proxies.
set -eu
build=$1
for file in build/pocl-root/pocl build/opencl-programs/programs; do
  [ -e $file ] || { echo "demo-vocl: there is no $file: it needs Debian packages that could not be fetched" && exit 1; }
done
vendor=${CW_VOCL_VENDORS:-}
while IFS= read -r line; do
  case $line in OCL_*=*) [ -z "$vendor" ] || continue ;; esac
  export "${line?}"
done <build/pocl-root/pocl
while IFS= read -r line; do export "${line?}"; done <build/opencl-programs/programs
export CW_VOCL_VENDORS="${vendor:-$OCL_ICD_VENDORS}" CW_VOCL_LOCAL=proxy CW_NODE_SIZE=1
export LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$PROGRAMS_LIBRARIES" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export POCL_CACHE_DIR="$PWD/$build/demo-vocl-cache"
work=${DEMO_WORK:-$(mktemp -d)}
say() { printf '\n-- %s\n' "$*"; }

blur() { # DEVICE: the check sum of 3 seconds of film that two filters have blurred and sharpened
  "$PROGRAMS/ffmpeg" -v error -init_hw_device opencl=ocl:0."$1" -filter_hw_device ocl -f lavfi -i testsrc=s=640x360:d=3 \
    -vf format=yuv420p,hwupload,avgblur_opencl=3,unsharp_opencl,hwdownload,format=yuv420p -f md5 -
}
search() { # finds the password whose MD5 is in hash.txt, on all devices that it sees; prints what it found, or which used
  (cd "$HASHCAT" && ./hashcat -m 0 -a 3 -D 1 --force --potfile-disable "$@" "$work/hash.txt" 'passw?l?l?l' 2>&1)
}

if [ "${2:-}" = there ]; then
  list="$build/cw-vocl list"
  say 'What ffmpeg and hashcat see: one platform, with a device of each node'
  "$PROGRAMS/clinfo" -l
  $list
  say 'Three ffmpeg at once, each on the device of another node. What travels meanwhile (cw-vocl list):'
  for device in 0 1 2; do blur $device >"$work/film$device" & eval "film$device=\$!"; done
  for _ in 1 2 3 4 5 6 7 8; do
    sleep 0.5
    $list >"$work/list"
    [ "$(grep -c ffmpeg "$work/list")" -lt 3 ] || sed '1,/^$/d' "$work/list" >"$work/seen"
    session=$(awk '$2 == "ffmpeg" && $6 == "0.0" { print $1 }' "$work/list")
    [ -n "$session" ] && [ ! -e "$work/moved" ] || continue
    "$build/cw-vocl" move "$session" 0.0 1.0 >"$work/moved" 2>&1 || true
  done
  cat "$work/seen" 2>/dev/null || sed '1,/^$/d' "$work/list"
  # shellcheck disable=SC2154 # set by eval
  wait "$film0" "$film1" "$film2"
  [ ! -e "$work/moved" ] || printf 'The first one, meanwhile (cw-vocl move): %s\n' "$(cat "$work/moved")"
  for device in 0 1 2; do
    printf 'node %s: %s' $device "$(cat "$work/film$device")"
    cmp -s "$work/native" "$work/film$device" && echo ', as natively' || { echo ', natively another one' && exit 1; }
  done
  say 'One hashcat on the devices of all three nodes'
  search --quiet >"$work/found" &
  hashcat=$!
  while kill -0 $hashcat 2>/dev/null; do
    sleep 0.5
    $list >"$work/list"
    [ "$(grep -c hashcat "$work/list")" -lt 3 ] || sed '1,/^$/d' "$work/list" >"$work/searches"
  done
  cat "$work/searches" 2>/dev/null || true
  wait $hashcat || true
  grep -E '^[0-9a-f]{32}:' "$work/found" || { cat "$work/found" && exit 1; }
  exit 0
fi

trap 'rm -rf "$work"' EXIT
export DEMO_WORK="$work"
printf password | md5sum | cut -d' ' -f1 >"$work/hash.txt"
say 'Natively, on this machine'"'"'s own device'
blur 0 >"$work/native"
cat "$work/native"
"$build/cw-vocl" run -n 3 -- sh "$0" "$build" there
say 'No program was changed: OCL_ICD_VENDORS names libcw-vocl.so, which cw-vocl run sets. The three devices are one
   processor here, so nothing is faster; on three machines with GPUs the commands are the same, with --hosts.'
