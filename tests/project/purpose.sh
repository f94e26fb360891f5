# Every file of src/ and compat/ begins with a comment that says what it is for; and in each module the first
# comment of one header says of every .c file what it has.
set -eu
cd "$SOURCE"
missing=0
files=$(find src compat -name '*.[ch]' ! -name msgtypesf.h | sort) # that one is Fortran
count=$(echo "$files" | wc -l)
without=$(awk 'FNR == 1 && !/^\/\* ...../ { print FILENAME }' $files)
[ -z "$without" ] || { echo "the first line is no comment that says what the file is for: $without"; missing=1; }
echo "$count files"

# A module of one or two files needs no map, and one without a header has no place for it.
for module in $(sed -n 's/^\([a-z][^ ]*\) .*/\1/p' modules.txt); do
  ls "$module"/*.h >/dev/null 2>&1 || continue
  sources=$(cd "$module" && ls ./*.c 2>/dev/null | sed 's|.*/||')
  [ "$(echo "$sources" | wc -l)" -gt 2 ] || continue
  map=
  for header in "$module"/*.h; do
    lines=$(sed -n '1,/\*\//s/^ \* \([a-z_0-9]*\.c\) .*/\1/p' "$header" | sort)
    [ "$lines" != "$sources" ] || map=$header
  done
  [ -n "$map" ] || { echo "$module: no header begins with a map of its .c files (see src/move/server/serve.h)"; missing=1; }
done
[ $count -ge 100 ] && [ $missing -eq 0 ]
