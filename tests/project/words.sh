# Each noun of the library's identifiers, the first word behind cwi_ in headers of two files or more, must be a word of
# docs/words.md or an ordinary one of words.list, so that no private word is added unnoticed.
set -eu
cd "$SOURCE"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
grep -roE '\bcwi_[a-z]+' --include='*.h' src interfaces | sort -u | sed 's/.*:cwi_//' | sort | uniq -d >"$work/nouns"
{
  grep -v '^#' tests/project/words.list | tr ' ' '\n'
  sed -n 's/^| \([^|]*\) |.*/\1/p' docs/words.md | tr ' ,' '\n\n'
} | sed 's/\([^s]\)s$/\1/' | sort -u >"$work/known"
unknown=$(sed 's/\([^s]\)s$/\1/' "$work/nouns" | sort -u | comm -23 - "$work/known")
[ "$(wc -l <"$work/nouns")" -gt 100 ] || { echo 'hardly any noun was found'; exit 1; }
[ -z "$unknown" ] || { echo "these words are neither in docs/words.md nor in tests/project/words.list:" $unknown; exit 1; }
