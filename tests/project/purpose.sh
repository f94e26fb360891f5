# Every file of src/ and compat/ begins with a comment that says what it is for; and in each room the first
# comment of one header says of every .c file what it has.
set -eu
cd "$SOURCE"
missing=0 count=0
for file in $(find src compat -name '*.[ch]' | sort); do
  count=$((count + 1))
  case $(head -n 1 "$file") in
  '/* '?????*) ;;
  *) echo "$file: its first line is no comment that says what it is for"; missing=$((missing + 1)) ;;
  esac
done
echo "$count files, $missing without a purpose line"

# A room of one or two files needs no map, and one without a header has no place for it.
for room in src/*/*/ src/runtime/ src/move/route/*/ compat/armci/ compat/ga/[bgam]*/; do
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
