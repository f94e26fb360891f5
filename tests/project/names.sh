# Names in a debugger must identify their file: no two structs, unions or enums of src/ and interfaces/ share a tag, and
# functions that are static in more than two files begin with their file's noun.
set -eu
cd "$SOURCE"
failed=0
report() { [ -z "$1" ] || { printf '%s\n%s\n' "$2" "$1"; failed=1; }; }
sources=$(find src interfaces vocl/src -name '*.[ch]' ! -path 'interfaces/ga/include/*')

tags=$(awk '/^[ \t]*(static |typedef )?(struct|union|enum) [a-z_0-9]+ \{/ {
    sub(/^[ \t]*(static |typedef )?(struct|union|enum) /, "")
    print $1, FILENAME
  }' $sources | sort)
[ "$(echo "$tags" | wc -l)" -gt 150 ] || report "$tags" 'So few structs were found:'
report "$(echo "$tags" | awk '$1 == last { print $1 ": " file ", " $2 } { last = $1; file = $2 }')" \
  'These tags are used twice:'

functions=$(awk 'match($0, /^static [^=;(]*[ *][a-z_0-9]+\(/) && !/;$/ {
    name = substr($0, 1, RLENGTH - 1)
    sub(/.*[ *]/, "", name)
    if (name != "__attribute__") print name, FILENAME
  }' $sources | sort -u)
[ "$(echo "$functions" | wc -l)" -gt 1500 ] || report "$(echo "$functions" | wc -l)" 'So few functions were found:'
report "$(echo "$functions" | awk '{ n[$1]++; files[$1] = files[$1] " " $2 }
  END { for (name in n) if (n[name] > 2) print name ":" files[name] }')" 'These functions are static in three files or more:'
exit $failed
