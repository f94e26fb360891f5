# Contexts of two devices (many.c): of two proxies, and of this process and another node's proxy. In the second case the
# service ends while the context is used.
# Usage: many.sh CW-VOCL LIBRARY VOCL_MANY
# OCL_ICD_VENDORS names the vendor's library.
set -eu
program=$1 library=$2 many=$3
name=many
. "$(dirname "$0")/service.sh"

begin 2
expect 0 "$many" "$library" proxies
export CW_VOCL_LOCAL=program
expect 0 "$many" "$library" mixed
expect 0 "$many" "$library" lost "$program"
wait $serve || true
gone
exit $failed
