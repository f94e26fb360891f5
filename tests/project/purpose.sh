# Every file of src/ and interfaces/ must begin with a comment about its purpose. In each module the first comment of one
# header must be a map of its .c files.
set -eu
cd "$SOURCE"
missing=0
files=$(find src interfaces vocl/src -name '*.[ch]' ! -name msgtypesf.h | sort) # that one is Fortran
count=$(echo "$files" | wc -l)
without=$(awk 'FNR == 1 && !/^\/\* ...../ { print FILENAME }' $files)
[ -z "$without" ] || { echo "the first line is no comment that says what the file is for: $without"; missing=1; }
echo "$count files"

# A module of one or two files, or without a header, needs no map. One awk reads all headers.
echo "$files" | awk '
  /\/(include|cxx)\// { next }
  { file = $0; sub(/.*\//, "", file); module = substr($0, 1, length($0) - length(file)) }
  /[.]c$/ { sources[module]++; is_source[module file]; next }
  { headers[module] = headers[module] " " $0 }
  END {
    for (module in headers) {
      found = sources[module] <= 2
      count = split(headers[module], names, " ")
      for (i = 1; i <= count && !found; i++)
        found = has_map(names[i], module)
      if (!found) {
        print module ": no header begins with a map of its .c files (see src/move/server/server_loop.h)"
        bad = 1
      }
    }
    exit bad
  }
  # Returns true if the first comment of the header names each source of its module once, and no other.
  function has_map(header, module,   line, words, listed, right) {
    while ((getline line <header) > 0) {
      if (line ~ /^ \* [a-z_0-9]*[.]c /) {
        split(line, words, " ")
        listed++
        if ((module words[2]) in is_source && !((header words[2]) in seen))
          right++
        seen[header words[2]]
      }
      if (line ~ /\*\//)
        break
    }
    close(header)
    return listed == right && right == sources[module]
  }' || missing=1
[ $count -ge 100 ] && [ $missing -eq 0 ]
