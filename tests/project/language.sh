# Comments and documents are plain English: none has a construction or a private word that language.py lists. Guides are short.
set -eu
cd "$SOURCE"
{
  find include src interfaces vocl programs bench apps examples -name '*.[ch]' -o -name '*.inc'
  find bindings -name '*.[ch]' -o -name '*.py' -o -name CMakeLists.txt
  find tests bench apps -name '*.[ch]' -o -name '*.inc' -o -name '*.def' -o -name '*.cpp' -o -name '*.F' -o -name '*.F90' \
    -o -name '*.sh' -o -name '*.awk' -o -name '*.py' -o -name '*.cmake' -o -name CMakeLists.txt
  # Generated pages are left out: src/core/base/settings.c and bench/show.sh have their text.
  find README.md CONTRIBUTING.md docs vocl/docs apps -name '*.md' ! -path 'docs/results/*' ! -path docs/reference/settings.md
} | sort -u |
  xargs python3 tests/project/language.py tests/project/language.exceptions
for guide in docs/guide/*.md vocl/docs/vocl.md; do
  [ "$guide" = docs/guide/first-hour.md ] || [ "$(wc -l <"$guide")" -le 120 ] || { echo "$guide has more than 120 lines"; exit 1; }
done
# Checks that a sentence of each kind is found.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$work/none"
while IFS='|' read -r rule sentence; do
  printf '/* %s */\nint x;\n' "$sentence" >"$work/one.c"
  python3 tests/project/language.py "$work/none" "$work/one.c" >"$work/found" && { echo "not found: $sentence"; exit 1; }
  grep -q ": $rule: " "$work/found" || { echo "not found as $rule: $sentence"; cat "$work/found"; exit 1; }
done <<'END'
behind|A part has its events behind its summary, 8 bytes behind the start.
host plays|Tests use a device that the host plays.
who has than|The array has other processes than the group.
brought|The patch was not brought.
headless|Who waits goes on looking while their data comes.
headless|What was rejected at the target is reported by a fence.
no subject|Of one context, at most.
no subject|How much there is.
like what|The same, but at once.
telegraph|Number of the node, -1: none.
question|Is it by the processor, from and to memory that exists?
told|A failure is told by a fence.
refuse|The call refuses an empty list.
nobody|If NULL, nobody waits.
in vain|The server polls in vain.
so many|Returns at most so many bytes.
goes on|The phase goes on.
there is not|Returns an error for a region that there is not.
private word|The server dozes.
private word|The thread looks again.
END
