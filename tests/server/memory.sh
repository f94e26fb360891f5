#!/bin/sh
# memory.sh CW-INFO: cw-info --nodes reports the memory that servers need. The numbers were computed by hand.
set -eu
output=$(CW_SERVER_BUFFER=65536 CW_SERVER_CREDITS=8 "$1" --nodes 100)
has() {
  printf '%s\n' "$output" | grep -qE "$1" || { printf 'no "%s" in:\n%s\n' "$1" "$output"; exit 1; }
}
has '^fcg +99 +0 +792 +49\.5 MiB +<- this setting' # 99 neighbours
has '^mfcg +18 +1 +144 +9\.0 MiB$'                 # 10 x 10: 9 + 9
has '^cfcg +11 +2 +88 +5\.5 MiB$'                  # 5 x 5 x 4: 4 + 4 + 3
has '^hypercube +7 +6 +56 +3\.5 MiB$'              # 2^7
output=$("$1" --nodes 256)
has '^fcg .* <- this setting'
output=$("$1" --nodes 257)
has '^mfcg .* <- this setting'
! "$1" --nodes 0 2>/dev/null || { echo '--nodes 0 is accepted'; exit 1; }
! "$1" --nodes many 2>/dev/null || { echo '--nodes many is accepted'; exit 1; }
