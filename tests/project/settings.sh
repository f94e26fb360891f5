# docs/reference/settings.md is the table that the library prints.
set -eu
"$1" --settings-markdown >"$BUILD/settings.table"
sed -n '/^|/p' "$SOURCE/docs/reference/settings.md" | diff - "$BUILD/settings.table" || {
  echo "docs/reference/settings.md is not what cw-info --settings-markdown prints"
  exit 1
}
