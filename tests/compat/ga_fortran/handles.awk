# Makes a table of bad inputs (kit/bad_input.h) of compat/ga_fortran/names.txt: each name that takes an array, with a
# handle that none has. With -v declare=1 the declarations of these names.
# Usage: awk -f handles.awk names.txt >handles.def
BEGIN { FS = "[ \t]*[|][ \t]*" }
/^#/ || NF == 0 { next }
$1 ~ /^kind / {
  n = split($1, part, " +")
  for (i = 3; i <= n; i++) kind[part[i]] = part[2]
  next
}
# These answer, whatever the handle is; what is left out says so whatever it is given.
$1 ~ / (destroy|valid_handle|verify_handle|overlay)( |$)/ || $4 ~ /^!/ { next }
{
  n = split($1, part, " +")
  letters = part[2] ~ /^[idscz]+$/ && part[3] ~ /%/ ? part[2] : ""
  for (at = letters == "" ? 2 : 3; at <= n; at++)
    for (l = 1; l <= (letters == "" ? 1 : length(letters)); l++) {
      name = part[at]
      sub(/%/, substr(letters, l, 1), name)
      if (part[1] != "2") row("ga_" name, part[1] != "2")
      if (part[1] != "1") row("nga_" name, part[1] == "1")
    }
}

# All arguments are addresses; lengths of CHARACTER come last. scalars: patches are of four numbers, elements of two.
function row(name, scalars,    count, argument, i, a, first, list, lengths) {
  count = split($3, argument, " +")
  for (i = 1; i <= count; i++) {
    a = argument[i]
    if (a ~ /^g_/) { list = list ", " (first == "" ? "bad_handle(bad)" : "&matrix"); if (first == "") first = a }
    else if (a == "uplo") { list = list ", upper"; lengths = lengths ", (size_t)1" }
    else if (kind[a] == "text" || kind[a] == "letter" || kind[a] == "answer") { list = list ", letters"; lengths = lengths ", (size_t)1" }
    else if (a ~ /^[POU]$/ && scalars) list = list ", ones, ones, ones, ones"
    else if (a ~ /^[POUQ]$/) list = list ", ones, ones"
    else if (a == "E" && scalars) list = list ", ones, ones"
    else if (a == "E") list = list ", ones"
    else list = list ", ones"
  }
  if (first == "") return
  if (declare) print "void " name "_(" types_of(substr(list lengths, 3)) ");"
  else print "REFUSED(" name ", \"" name ": |" first "\", handles, (" name "_(" substr(list lengths, 3) "), 0))"
}

# The types of these arguments.
function types_of(list,    count, argument, i, types) {
  count = split(list, argument, ", ")
  for (i = 1; i <= count; i++) types = types (i > 1 ? ", " : "") (argument[i] ~ /size_t/ ? "size_t" : "const void *")
  return types
}
