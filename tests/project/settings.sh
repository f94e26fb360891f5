# The tables of docs/reference/settings.md are those that the library prints: no setting is missing, and each has an example.
set -eu
"$1" --settings-markdown >"$BUILD/settings.table"
sed -n '/^## /,$p' "$SOURCE/docs/reference/settings.md" | diff - "$BUILD/settings.table" || {
  echo "docs/reference/settings.md is not what cw-info --settings-markdown prints"
  exit 1
}
grep '^| `' "$BUILD/settings.table" | awk -F ' [|] ' '{ name = substr($1, 4, length($1) - 4) }
  index($6, "`" name "=") != 1 { print name " has no example"; bad = 1 } END { exit bad }'
