# Sourced by tests that wait for other processes.

# Until a command succeeds, for a minute: what takes a millisecond takes seconds on a busy machine.
soon() { # COMMAND...
  for _ in $(seq 1200); do
    if "$@"; then return 0; fi
    sleep 0.05
  done
  return 1
}
