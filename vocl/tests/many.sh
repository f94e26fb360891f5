# Contexts of two devices (many.c): of two proxies, and of this process and another node's proxy. In the second case the
# service ends while the context is used. `fails`: with writes that fail, and nothing else. `leaves`: the vendor takes
# longer to release what a program has left than a service waits where nothing happens. `crowded`, with vocl_crowded in
# place of vocl_many: a proxy has room for one session.
# Usage: many.sh CW-VOCL LIBRARY VOCL_MANY FAILING [fails|leaves|crowded]; FAILING: a vendor's library (failing.c)
# OCL_ICD_VENDORS names the vendor's library.
set -eu
program=$1 library=$2 many=$3 failing=$4
name=many
. "$(dirname "$0")/service.sh"

if [ "${5:-}" = leaves ]; then
  export VOCL_FAILING_VENDOR="$vendor" VOCL_FAILING_RELEASE=2 CW_VOCL_VENDORS="$failing"
  begin 2
  expect 0 "$many" "$library" leaves
  finish
  exit $failed
fi
if [ "${5:-}" = fails ]; then
  export VOCL_FAILING_VENDOR="$vendor" CW_VOCL_VENDORS="$failing"
  begin 2
  for local in proxy program; do
    CW_VOCL_LOCAL=$local expect 0 "$many" "$library" fails
  done
  finish
  exit $failed
fi
if [ "${5:-}" = crowded ]; then
  export CW_VOCL_SESSIONS=1 CW_VOCL_LOCAL=program
  begin 2
  expect 0 "$many" "$library"
  finish
  exit $failed
fi
begin 2
expect 0 "$many" "$library" proxies
export CW_VOCL_LOCAL=program
expect 0 "$many" "$library" mixed
expect 0 "$many" "$library" lost "$program"
wait $serve || true
gone
exit $failed
