# The first C program in README.md compiles against the public headers and runs on two processes.
# Usage: readme.sh LIBCAUSEWAY_A
set -eu
[ -f "$SOURCE/README.md" ] || { echo 'no README.md yet'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
awk '/^```/ && inside { exit } inside { print } /^```c$/ { inside = 1 }' "$SOURCE/README.md" >program.c
[ -s program.c ] || { echo 'README.md has no ```c block'; exit 1; }
"$MPICC" -Wall -Wextra -Werror program.c -I "$SOURCE/include" "$1" -o program
$MPIEXEC -n 2 ./program
