# demo.sh TILES LAUNCHER...: tiles on hosts, on devices and on both: where the host plays the device, and where PoCL makes
# the processor one (scripts/pocl-root.sh), if it is there. Every product is compared with cw_array_multiply's.
# When each worker ran tasks stands below each row, and in build/tiles-*.svg.
set -eu
tiles=$1
shift
CW_DEVICE=host "$@" -n 2 "$tiles" --size 2000 --timeline build/tiles-host.svg
pocl=build/pocl-root/pocl
if [ -e $pocl ]; then
  echo
  env $(cat $pocl) POCL_MAX_PTHREAD_COUNT=1 CW_DEVICE=opencl "$@" -n 2 "$tiles" --size 2000 \
    --timeline build/tiles-opencl.svg
fi
