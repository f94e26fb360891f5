# Sourced by tests that wait for other processes.

# Repeats a command until it succeeds, for a minute: on a busy machine a millisecond becomes seconds.
soon() { # COMMAND...
  for _ in $(seq 1200); do
    if "$@"; then return 0; fi
    sleep 0.05
  done
  return 1
}

# Of a service whose process is $serve, and which writes to $work/serve; the caller's proxies names its proxies.
is_ready_or_gone() { grep -q '^cw-vocl: ready' "$work/serve" || ! kill -0 $serve 2>/dev/null; }
no_proxies() { [ -z "$(proxies)" ]; }
# Ticks that the proxies have run; clock ticks are hundredths of a second.
ticks() {
  sum=0
  for process in $(proxies); do sum=$((sum + $(awk '{ print $14 + $15 }' "/proc/$process/stat"))); done
  echo $sum
}
# Succeeds if the proxies use at most 15 ticks of the processor each in a second, over four seconds or more. Callers try
# again: a thread that returns to a busy processor finds its caches cold. (50 polls a second took 6 ticks on a
# slow, busy machine; a thread that never sleeps gets 25 even if eight share two cores.)
use_little() { # PROXIES
  used=$(ticks) from=$(cut -d' ' -f1 /proc/uptime)
  sleep 4
  used=$(($(ticks) - used)) until=$(cut -d' ' -f1 /proc/uptime)
  echo "idle proxies used $used hundredths of a second from $from to $until"
  awk "BEGIN { exit !($used <= 15 * $1 * ($until - $from)) }"
}
no_socket() { ! grep "causeway-vocl.*$CW_VOCL_SERVICE\$" /proc/net/unix; }
