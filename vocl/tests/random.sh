# Random programs of OpenCL calls (random.c) write the same log natively, through libcw-vocl over this machine's devices,
# through the proxy of this node, and through the proxy of another one; with DEVICES 2, those that have two devices in
# one context: natively, of two proxies, and of this process and a proxy.
# Usage: random.sh CW-VOCL LIBRARY VOCL_RANDOM DEVICES FIRST_SEED PROGRAMS STEPS [THREADS]
# OCL_ICD_VENDORS names the vendor's library.
set -eu
program=$1 library=$2 random=$3 devices=$4
shift 4
name=random
. "$(dirname "$0")/service.sh"
set -- "$1" "$2" "$(rounds "$3")" ${4:+"$4"}

say() { # WHO LIBRARY DEVICE SEED...
  who=$1
  shift
  status=0
  timeout 1200 "$random" "$@" >"$work/$who" 2>"$work/$who.err" || status=$?
  [ $status -eq 0 ] || { fail "$who: exit status $status" && tail -n 5 "$work/$who.err"; }
}
same() { # WHO
  model=$work/native
  cmp -s "$model" "$work/$1" || {
    fail "$1 differs from native: seed $(diff "$model" "$work/$1" >"$work/diff" || true
      line=$(sed -n '1s/^\([0-9]*\).*/\1/p' "$work/diff")
      head -n "$line" "$model" | grep '^seed' | tail -n 1)"
    head -n 12 "$work/diff"
  }
}
if [ "$devices" = 1 ]; then
  say native "$vendor" 0 "$@"
  CW_VOCL_LOCAL=program CW_VOCL_SERVICE=nobody say local "$library" 0 "$@"
  same local
  begin 2
  for device in 0 1; do
    say proxy$device "$library" $device "$@"
    same proxy$device
  done
else
  POCL_DEVICES='pthread pthread' say native "$vendor" 0+1 "$@"
  begin 2
  for local in proxy program; do
    CW_VOCL_LOCAL=$local say two_$local "$library" 0+1 "$@"
    same two_$local
  done
fi
echo "$(wc -l <"$work/native") lines, $(grep -c ': -[0-9]*$' "$work/native") of them errors"
finish
exit $failed
