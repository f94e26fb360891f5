# Proves from the #include lines and from the symbols of the object files that a room of src/ and compat/ uses
# only itself and the rooms before it, and that no two files call each other in a circle; that src/
# knows nothing of compat/, that apps and examples use public headers only, and that only src/core/mpi/
# asks which MPI it is.
set -eu
cd "$SOURCE"
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
order="core/base vocl/executor vocl/wire vocl/remote vocl/sites vocl/client vocl/service core/profile core/mpi core/number core/team core/memory
  move/transfer move/device move/link move/route move/server move/sync move/view move/collective
  data/array data/arithmetic data/matrix data/linear data/file
  work/task report runtime vocl/proxy"
above="start armci fortran ma tcgmsg ga/include ga/base ga/group ga/memory ga/array ga/arithmetic ga/sparse ga/runtime
  ga_fortran pario"
report() { [ -z "$1" ] || { printf '%s\n%s\n' "$2" "$1"; failed=1; }; }

# room(FILE): src/core/team, src/runtime, compat/armci, compat/ga/group; level[ROOM]: its place in the order.
rooms='BEGIN {
    n = split(order, rooms, " ")
    for (i = 1; i <= n; i++) level["src/" rooms[i]] = i
    m = split(above, rooms, " ")
    for (i = 1; i <= m; i++) level["compat/" rooms[i]] = n + i
  }
  function room(file, path) {
    split(file, path, "/")
    return path[1] "/" path[2] (path[2] ~ /^(ga|core|move|data|work|vocl)$/ ? "/" path[3] : "")
  }'

# Names are by room, without the storey: #include "team/team.h", "ga/group/group.h". Installed headers, and those
# beside the file, have no room in their name.
report "$(awk -F'["]' -v order="$order" -v above="$above" "$rooms"'
  BEGIN {
    for (each in level) {
      name = each
      sub(/^compat\/|^src\/([a-z]*\/)?/, "", name)
      level_of[name] = level[each]
    }
  }
  /^[ \t]*#[ \t]*include[ \t]*"/ {
    mine = room(FILENAME)
    if ($2 !~ /\// && FILENAME ~ /^compat/) next
    split($2, path, "/")
    name = path[1] (path[1] == "ga" ? "/" path[2] : "")
    if (!(mine in level)) print FILENAME ": room " mine " has no place in the order"
    else if (!(name in level_of)) print FILENAME ": " $0 " is in no room"
    else if (level_of[name] > level[mine]) print FILENAME ": " $0
  }' $(find src compat -name '*.[ch]'))" 'These include a room below their own:'

# calls: "FROM TO SYMBOL", files without .c: what is used in one and defined in another. (opencl_none and source_none stand in for others; MPI is before all.)
find src compat -name '*.c' ! -name opencl_none.c ! -name source_none.c | awk -v build="$BUILD" '{
  split($0, path, "/")
  target = /^src\/data\/(linear|file)\// ? "math" : path[2]
  if (/^src\/vocl\/(service|proxy)\//) target = target "_" path[3]
  # What libcwga and libcwga-i4 share is apart.
  object = build "/CMakeFiles/" target "_either_objects.dir/" $0 ".o"
  if ((getline line <object) < 0) object = build "/CMakeFiles/" target "_objects.dir/" $0 ".o"
  else close(object)
  print object }
  END { for (i = 0; i < 2; i++) print build "/CMakeFiles/ga_fortran" (i ? "_i4" : "") "_objects.dir/ga_fortran/names.c.o" }' | xargs nm -g -A |
  sed -e 's|^.*_objects\.dir/\(.*\)\.c\.o: *|\1 |' -e 's|^ga_fortran/names |compat/&|' >"$work/symbols"
awk 'NF == 4 && $3 != "W" { defined[$4] = $1 }
  NF == 3 && $2 == "U" && $3 !~ /^MPI_/ { used[++n] = $1; name[n] = $3 }
  END {
    for (i = 1; i <= n; i++)
      if (name[i] in defined && defined[name[i]] != used[i])
        print used[i], defined[name[i]], name[i]
  }' "$work/symbols" >"$work/calls"
[ "$(wc -l <"$work/calls")" -gt 500 ] || report "$(wc -l <"$work/calls")" 'So few calls between files were found:'

report "$(awk -v order="$order" -v above="$above" "$rooms"'
  level[room($2)] > level[room($1)] { print $1 ".c uses " $3 " of " $2 ".c" }
  ' "$work/calls")" 'These use something of a room below their own:'

# tsort prints each circle after a line that says so.
report "$(cut -d' ' -f1,2 "$work/calls" | sort -u | tsort 2>&1 >/dev/null |
  sed -e 's/^tsort: -: .*/a circle:/' -e 's/^tsort: \(.*\)/  \1.c/')" 'These call each other in a circle:'

report "$(find src compat/ga -maxdepth 2 -name '*.[ch]' ! -path 'src/runtime/*' ! -path 'src/report/*' ! -path 'compat/ga/*/*')" \
  'These are in no room:'

# What no other file of the library uses, and no test, tool or benchmark, is static or dead.
others=$(find tests tools bench -name '*.[ch]' -o -name '*.def')
awk 'NF == 4 && $3 ~ /^[TDBRC]$/ && $4 ~ /^cwi_/ { print $4 }' "$work/symbols" | sort -u >"$work/global"
awk 'NF == 3 && $2 == "U" { print $3 }' "$work/symbols" | sort -u >"$work/wanted"
report "$(comm -23 "$work/global" "$work/wanted" | while read -r symbol; do
  grep -qw "$symbol" $others || echo "$symbol"
done)" 'Nothing outside their own file uses these:'

report "$(grep -rnE '#[ 	]*include[ 	]*[<"](armci|armcix|armciconf|message|mp3|ga|ga-mpi|gacommon|macdecls|macommon)\.h' \
  --include='*.[ch]' src include)" 'The runtime must not know the ARMCI and GA headers:'

folders=; for folder in apps examples; do [ ! -d $folder ] || folders="$folders $folder"; done
rooms=$(echo $order | sed 's/[a-z]*\///g' | tr ' ' '|')
report "$([ -z "$folders" ] || grep -rnE "#[ 	]*include[ 	]*\"($rooms)/" \
  --include='*.[ch]' $folders)" 'Apps and examples use public headers only:'

report "$(grep -rnE '\b(MPICH_(NUM)?VERSION|MPICH_NAME|OMPI_[A-Z]+_VERSION|OPEN_MPI)\b' --include='*.[ch]' \
  include src compat | grep -v '^src/core/mpi/')" 'Only src/core/mpi/ may ask which MPI this is:'
exit $failed
