# Every native call is used in an example, an application, a guide's tested code or the comment of its header. In ARMCI and GA,
# which have many variants of a call, at least one call below each comment is used there or in a test. shown.exceptions lists others.
set -eu
command -v python3 >/dev/null || { echo 'skipped: no python3'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
exceptions=$SOURCE/tests/project/shown.exceptions
sed '/^#/d; s/ .*//' "$exceptions" | sort >"$work/allowed"
check() { python3 -B "$1/docs/site/pages.py" "$1" | tee "$work/found" | sed 's/.*: //' | sort >"$work/calls"; }

check "$SOURCE"
if ! cmp -s "$work/calls" "$work/allowed"; then
  echo 'nothing shows these public calls:'
  comm -23 "$work/calls" "$work/allowed" | grep -wf - "$work/found" || :
  comm -13 "$work/calls" "$work/allowed" | sed 's/^/shown.exceptions has a call that is shown, or no call: /'
  exit 1
fi

# A call that nothing shows is found.
mkdir -p "$work/copy/docs"
cp -r "$SOURCE/include" "$SOURCE/interfaces" "$SOURCE/examples" "$SOURCE/README.md" "$work/copy"
cp -r "$SOURCE/docs/site" "$work/copy/docs"
mkdir -p "$work/copy/apps"
printf '\n/* Seeded. Local. Errors: none. */\nint cw_seeded(void);\n' >>"$work/copy/include/causeway/runtime.h"
check "$work/copy"
grep -qx 'include/causeway/runtime.h: cw_seeded' "$work/found" || { echo 'the test itself is wrong: it does not find a seeded call'; exit 1; }
