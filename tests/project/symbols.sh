# The shared libraries export what the public headers declare, and nothing else; the static one keeps
# to its prefixes. Usage: symbols.sh LIBCAUSEWAY_SO LIBARMCI_SO LIBARMCI_A
set -eu
cd "$SOURCE"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
report() { [ ! -s "$1" ] || { echo "$2"; cat "$1"; failed=1; }; }

exported() { nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u; }
# Functions declared in headers: the name before a parenthesis, where a declaration starts a line.
declared() { sed -nE "s/^[a-z][a-zA-Z0-9_ *]*[ *]($1[a-zA-Z0-9_]+)\(.*/\1/p" $2 | sort -u; }

exported "$1" >"$work/causeway"
exported "$2" >"$work/armci"
declared cw_ "$(find include -name '*.h')" >"$work/native"
declared 'P?(ARMCI|ARMCIX|armci|parmci)_' 'compat/armci/armci.h compat/armci/armcix.h compat/armci/message.h' \
  >"$work/binding"
for list in native binding; do [ -s "$work/$list" ] || { echo "no declarations: $list"; failed=1; }; done

comm -13 "$work/causeway" "$work/native" >"$work/missing"
report "$work/missing" 'declared in include/, but not exported by libcauseway:'
sort -u "$work/native" "$work/binding" | comm -13 "$work/armci" - >"$work/missing"
report "$work/missing" 'declared, but not exported by libarmci:'

# One foreign name: libmpich is to take it from us (src/mpi/disconnect.c).
foreign=ucp_disconnect_nb
for list in causeway armci; do
  grep -qx $foreign "$work/$list" || { echo "lib$list does not export $foreign"; failed=1; }
done
grep -vE "^(cw_|$foreign\$)" "$work/causeway" >"$work/extra" || true
report "$work/extra" 'libcauseway exports these too:'
grep -vE "^(cw_|P?ARMCIX?_|p?armci_|$foreign\$|MPI_Init(_thread)?\$|(mpi_init|MPI_INIT)(_thread|_THREAD)?_{0,2}\$)" \
  "$work/armci" >"$work/extra" || true
report "$work/extra" 'libarmci exports these too:'

nm -g --defined-only "$3" | awk 'NF == 3 { print $3 }' | sort -u |
  grep -vE "^(cwi?_|P?ARMCIX?_|p?armci_|MPI_Init|mpi_init|MPI_INIT|$foreign\$)" >"$work/extra" || true
report "$work/extra" 'global names in the static libarmci that may clash with a program:'
exit $failed
