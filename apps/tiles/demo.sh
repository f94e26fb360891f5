# demo.sh TILES LAUNCHER...: runs tiles on hosts, on devices and on both. The device is emulated by the host, and then the
# processor by PoCL (scripts/pocl-root.sh), if that is installed. Every product is compared with that of cw_array_multiply. The
# timeline of each worker is below each row, and in build/tiles-*.svg.
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
