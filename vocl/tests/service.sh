# Functions for tests that need a service of cw-vocl: begin it, end it, check that nothing is left. Sourced, with set -eu, after
# `program` is the path of cw-vocl and `library` that of libcw-vocl.so; OCL_ICD_VENDORS names the vendor's library.
# Programs afterwards use the service alone, with all devices. A failed check sets `failed`.
. "$(dirname "$0")/soon.sh"
vendor=$OCL_ICD_VENDORS
export CW_VOCL_SERVICE="test-${name:-service}-$$" CW_VOCL_VENDORS="$vendor" CW_VOCL_LOCAL=proxy CW_NODE_SIZE=1
export CW_VOCL_SILENCE=100 # a proxy that has no core for long is not lost
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 UCX_ERROR_SIGNALS=
work=$(mktemp -d)
serve=
leave() {
  [ -z "$serve" ] || kill "$serve" 2>/dev/null || true
  rm -rf "$work"
}
trap leave EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }

# Number of random operations times CW_TEST_TIMES, like kit_rounds; at least ten.
rounds() { awk "BEGIN { rounds = int($1 * ${CW_TEST_TIMES:-1}); print (rounds < 10 ? 10 : rounds) }"; }

# Starts a service of N proxies, each of which is a node of its own.
begin() { # NUMBER
  : >"$work/serve"
  "$program" serve -n "$1" >"$work/serve" 2>&1 &
  serve=$!
  soon is_ready_or_gone || true
  ! grep -q '^cw-vocl: ready' "$work/serve" || return 0
  cat "$work/serve"
  fail 'the service does not start'
  exit 1
}
# Prints the processes that are proxies, in their order, and no others.
proxies() { pgrep -f -- "proxy --name $CW_VOCL_SERVICE( |\$)" | while read -r each; do
  case $(readlink "/proc/$each/exe") in */cw-vocl) echo "$each" ;; esac
done; }

expect() { # STATUS COMMAND...: ends with it, within four minutes
  wanted=$1
  shift
  status=0
  timeout 250 "$@" >"$work/out" 2>"$work/err" || status=$?
  [ "$status" -eq "$wanted" ] || { fail "$* gave $status, not $wanted:" && cat "$work/out" "$work/err"; }
}

# It ends properly, and nothing of it is left.
finish() {
  expect 0 "$program" stop
  status=0
  wait $serve || status=$?
  [ $status -eq 0 ] || { fail "serve gave $status:" && cat "$work/serve"; }
  gone
}
gone() {
  soon no_proxies || true
  for process in $(proxies); do fail "left: $(tr '\0' ' ' <"/proc/$process/cmdline")"; done
  soon no_socket >/dev/null || fail 'left: a socket'
}
