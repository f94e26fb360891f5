# Checks the #include lines and the symbols of the object files: a module uses only itself and the modules above it in
# modules.txt, and calls between files have no cycle. src/ does not use interfaces/, apps and examples use public headers only,
# and only src/core/mpi/ distinguishes MPI libraries.
set -eu
cd "$SOURCE"
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
report() { [ -z "$1" ] || { printf '%s\n%s\n' "$2" "$1"; failed=1; }; }

# level[MODULE] is its line in modules.txt, or after those its line in vocl/modules.txt. module(FILE) returns the module of the
# file; a part of a module, such as src/move/route/rma, counts as the module.
modules='BEGIN {
    for (list = 0; list < 2; list++)
      while ((getline line <(list ? "vocl/modules.txt" : "modules.txt")) > 0)
        if (line ~ /^[a-z]/) {
          sub(/ .*/, "", line)
          if (!(module(line "/") in level)) level[line] = ++n
        }
  }
  function module(file) {
    do sub(/\/[^\/]*$/, "", file); while (!(file in level) && file ~ /\//)
    return file
  }'

# The path of a header begins with the module's name, without the layer: #include "team/team.h", "ga/group/group.h". Installed
# headers, and those beside the file, have no module in their name.
report "$(awk -F'["]' "$modules"'
  BEGIN {
    for (each in level) {
      name = each
      sub(/^interfaces\/|^vocl\/src\/|^src\/((core|move|data|work|observe)\/)?/, "", name)
      path_of[each ~ /^vocl/, name] = each
    }
  }
  /^[ \t]*#[ \t]*include[ \t]*"/ {
    mine = module(FILENAME)
    if ($2 !~ /\//) next
    name = $2
    own = mine ~ /^vocl/
    do sub(/\/[^\/]*$/, "", name); while (!((own, name) in path_of) && !((0, name) in path_of) && name ~ /\//)
    theirs = (own, name) in path_of ? path_of[own, name] : path_of[0, name]
    if (!(mine in level)) print FILENAME ": its folder is not in modules.txt"
    else if (theirs == "") print FILENAME ": " $0 " is in no module"
    else if (level[theirs] > level[mine]) print FILENAME ": " $0
  }' $(find src interfaces vocl/src -name '*.[ch]'))" 'These include a module above their own:'

# `calls` has lines "FROM TO SYMBOL", with files without .c: symbols that one file uses and another one defines. (*_none.c
# replace other files; MPI is below all.)
[ -d "$BUILD/vocl" ] && vocl=vocl/src || vocl= # CW_VOCL=OFF
find src interfaces $vocl -name '*.c' ! -name "*_none.c" | awk -v build="$BUILD" '{
  split($0, path, "/")
  target = /^src\/data\/(external|linear|solvers|file)\// ? "math" : path[2]
  if (path[1] == "vocl") {
    target = path[3] ~ /^(service|handler)$/ ? "_service" : path[3] ~ /^(relay|proxy|launcher)$/ ? "_proxy" : ""
    print build "/vocl/CMakeFiles/vocl" target "_objects.dir" substr($0, 5) ".o"
    next
  }
  # Objects that libcwga and libcwga-i4 share are separate.
  object = build "/CMakeFiles/" target "_either_objects.dir/" $0 ".o"
  if ((getline line <object) < 0) object = build "/CMakeFiles/" target "_objects.dir/" $0 ".o"
  else close(object)
  print object }
  END { for (i = 0; i < 2; i++) print build "/CMakeFiles/ga" (i ? "_i4" : "") "_objects.dir/ga_fortran/names.c.o" }' | xargs nm -g -A |
  sed -e 's|^.*/vocl/CMakeFiles/.*_objects\.dir/|_objects.dir/vocl/|' -e 's|^.*_objects\.dir/\(.*\)\.c\.o: *|\1 |' -e 's|^ga_fortran/names |interfaces/ga/fortran/names |' >"$work/symbols"
awk 'NF == 4 && $3 != "W" { defined[$4] = $1 }
  NF == 3 && $2 == "U" && $3 !~ /^MPI_/ { used[++n] = $1; name[n] = $3 }
  END {
    for (i = 1; i <= n; i++)
      if (name[i] in defined && defined[name[i]] != used[i])
        print used[i], defined[name[i]], name[i]
  }' "$work/symbols" >"$work/calls"
[ "$(wc -l <"$work/calls")" -gt 500 ] || report "$(wc -l <"$work/calls")" 'So few calls between files were found:'

report "$(awk "$modules"'
  level[module($2)] > level[module($1)] { print $1 ".c uses " $3 " of " $2 ".c" }
  ' "$work/calls")" 'These use something of a module above their own:'

report "$(awk '$1 ~ /^vocl/ && $2 !~ /^vocl/ && $2 !~ /^src\/core\/(base|wait)\// && $3 !~ /^cw_/ ||
    $1 !~ /^vocl/ && $2 ~ /^vocl/ { print $1 ".c uses " $3 " of " $2 ".c" }' "$work/calls")" \
  'Virtual OpenCL uses public calls and causeway_base only, and nothing uses it:'

# tsort prints each cycle after a line that announces it.
report "$(cut -d' ' -f1,2 "$work/calls" | sort -u | tsort 2>&1 >/dev/null |
  sed -e 's/^tsort: -: .*/a circle:/' -e 's/^tsort: \(.*\)/  \1.c/')" 'These call each other in a circle:'

# A function that no other file, test, tool or benchmark uses must be static or removed.
others=$(find tests programs bench vocl/tests vocl/bench -name '*.[ch]' -o -name '*.def')
awk 'NF == 4 && $3 ~ /^[TDBRC]$/ && $4 ~ /^cwi_/ { print $4 }' "$work/symbols" | sort -u >"$work/global"
awk 'NF == 3 && $2 == "U" { print $3 }' "$work/symbols" | sort -u >"$work/wanted"
report "$(comm -23 "$work/global" "$work/wanted" | while read -r symbol; do
  grep -qw "$symbol" $others || echo "$symbol"
done)" 'Nothing outside their own file uses these:'

report "$(grep -rnE '#[ 	]*include[ 	]*[<"](armci|armcix|armciconf|message|mp3|ga|ga-mpi|gacommon|macdecls|macommon)\.h' \
  --include='*.[ch]' src include)" 'The runtime must not know the ARMCI and GA headers:'

folders=; for folder in apps examples; do [ ! -d $folder ] || folders="$folders $folder"; done
names=$(sed -nE 's/^src\/([a-z]*\/)?([a-z_]+) .*/\2/p' modules.txt | paste -sd'|')
report "$([ -z "$folders" ] || grep -rnE "#[ 	]*include[ 	]*\"($names)/" \
  --include='*.[ch]' $folders)" 'Apps and examples use public headers only:'

report "$(grep -rnE '\b(MPICH_(NUM)?VERSION|MPICH_NAME|OMPI_[A-Z]+_VERSION|OPEN_MPI)\b' --include='*.[ch]' \
  include src interfaces | grep -v '^src/core/mpi/')" 'Only src/core/mpi/ may ask which MPI this is:'
exit $failed
