# Every file of src/ and compat/ begins with a comment that says what it is for; and in each room the first
# comment of one header says of every .c file what it has.
set -eu
cd "$SOURCE"
missing=0
files=$(find src compat -name '*.[ch]' ! -name msgtypesf.h | sort) # that one is Fortran
count=$(echo "$files" | wc -l)
without=$(awk 'FNR == 1 && !/^\/\* ...../ { print FILENAME }' $files)
[ -z "$without" ] || { echo "the first line is no comment that says what the file is for: $without"; missing=1; }
echo "$count files"

# A room of one or two files needs no map, and one without a header has no place for it.
for room in src/*/*/ src/report/ src/runtime/ src/move/route/*/ compat/armci/ compat/ma/ compat/tcgmsg/ compat/ga_fortran/ compat/pario/ compat/ga/[bgam]*/; do
  ls "$room"*.h >/dev/null 2>&1 || continue
  sources=$(cd "$room" && ls ./*.c | sed 's|.*/||')
  [ "$(echo "$sources" | wc -l)" -gt 2 ] || continue
  map=
  for header in "$room"*.h; do
    lines=$(sed -n '1,/\*\//s/^ \* \([a-z_0-9]*\.c\) .*/\1/p' "$header" | sort)
    [ "$lines" != "$sources" ] || map=$header
  done
  [ -n "$map" ] || { echo "$room: no header begins with a map of its .c files (see src/move/server/serve.h)"; missing=1; }
done
[ $count -ge 100 ] && [ $missing -eq 0 ]
