# Manual pages of all headers, programs and concepts are made without a warning, mandoc finds neither errors nor warnings,
# and `man -k` finds them. A public call without a comment fails.
# Usage: manual.sh PYTHON, one that has markdown-it.
set -eu
python=${1:-}
command -v mandoc >/dev/null && command -v mandb >/dev/null && [ -n "$python" ] ||
  { echo 'skipped: mandoc, man-db or python3-markdown-it is not installed'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$python" -B -W error "$SOURCE/docs/site/manual.py" "$SOURCE" "$work/man" /usr/share/doc/causeway --check >log 2>&1 || { cat log; exit 1; }
[ ! -s log ] || { cat log; exit 1; }

# Notes on style are left out: mandoc wants titles in upper case, but names of calls distinguish the case.
lint() { grep -rL '^\.so ' "$1" | xargs mandoc -T lint -W warning; }
lint man >log || { head -n 20 log; exit 1; }
pages=$(find man -type f | wc -l)
[ "$pages" -gt 800 ] || { echo "only $pages pages"; exit 1; }
# Each link leads to a page.
grep -rhs '^\.so ' man | sort -u | while read -r _ page; do
  [ -f "man/$page" ] || { echo "a page includes $page, which does not exist"; exit 1; }
done
# mandoc finds an error in a seeded page.
mkdir seeded
printf '.TH x 3 2026-11-29 y\n.SH NAME\nx \\- y\n.nonsense\n' >seeded/x.3
! lint seeded >log || { echo 'the test itself is wrong: mandoc finds nothing in a seeded page'; exit 1; }
# Each page of calls has a command that compiles; where an example is installed, it is its own.
grep -L '^\.so ' man/man3/* | xargs grep -L 'mpi[cx]*\.mpich .*\.c' >log
[ ! -s log ] || { cat log; echo 'these pages have no command that compiles a program'; exit 1; }
grep -q 'mpicc.mpich /usr/share/doc/causeway/examples/queens.c' man/man3/* || { echo 'no page compiles queens.c'; exit 1; }
# A call without a comment, and one whose comment is no page, are errors.
mkdir copy
cp -r "$SOURCE"/*.md "$SOURCE/include" "$SOURCE/interfaces" "$SOURCE/docs" copy
printf '\n/* ---- Seeded ---- */\n\nint cw_seeded(void);\n\n/* Seeded as above. Local. Errors: none. */\nint cw_other(void);\n' \
  >>copy/include/causeway/runtime.h
! "$python" -B "$SOURCE/docs/site/manual.py" copy seeded /usr/share/doc/causeway --check >log 2>&1 && grep -q 'cw_seeded has no comment' log &&
  grep -q cw_other log || { echo 'the test itself is wrong: a seeded call is no error'; cat log; exit 1; }

# The commands of a user find the pages.
mandb --quiet --create --user-db man
export MANPATH=$work/man
man -k causeway >found
for name in 'causeway (7)' 'causeway-settings (7)' 'causeway-routes (7)' 'causeway.h (3)' 'causeway_transfer.h (3)' 'cw-info (1)'; do
  grep -qF "$name" found || { echo "man -k causeway does not find $name"; cat found; exit 1; }
done
# The page of the whole comes first, and types of interfaces are not among the pages about Causeway.
head -n 1 found | grep -q '^causeway (7)' && ! grep -E '^[A-Za-z_]+_[te] \(' found || { cat found; echo 'man -k causeway does not begin with causeway(7), or lists types'; exit 1; }
for name in cw_accumulate CW_MUST ARMCI_PutS PARMCI_PutS NGA_Put cw_transfer; do
  man "$name" >page 2>log || { echo "man $name:"; cat log; exit 1; }
  grep -q "${name#P}" page || { echo "man $name does not show it"; exit 1; }
done
echo "$pages pages"
