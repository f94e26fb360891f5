# Conditional compilation is allowed only in src/core/{base,wait,machine,mpi}/, and where programs choose the size of Fortran's
# INTEGER, with fewer than 5 conditions in 1000 lines. Include guards of public headers and __cplusplus do not count.
set -eu
cd "$SOURCE"
find include src interfaces -name '*.[ch]' | sort | xargs awk '
  FNR == 1 { guard = "" }
  { lines++ }
  /^[ \t]*#[ \t]*(if|ifdef|ifndef|elif)/ && !/__cplusplus/ {
    if (guard == "" && FILENAME ~ /^(include|interfaces)\/.*\.h$/ && /#[ \t]*ifndef/) { guard = $2; next }
    conditions++
    if (FILENAME !~ /^src\/core\/(mpi|base|wait|machine)\/|typesf2c\.h$/) { print FILENAME ":" FNR ": " $0; misplaced++ }
  }
  END {
    printf "%d conditions in %d lines: %.1f per 1000\n", conditions, lines, 1000 * conditions / lines
    if (misplaced) print "those shown above belong into src/core/{base,wait,machine,mpi}/"
    exit misplaced || 1000 * conditions >= 5 * lines
  }'
