# Makes C of names.txt, which says what each of its lines means: a function for each of Fortran's names of Global
# Arrays. It takes the addresses that Fortran gives, makes of each what C's call takes (convert.h), calls it, and
# hands back what Fortran is to get. Usage: awk -f names.awk -f generate.awk names.txt >names.c
BEGIN {
  split("12 1 2 x", none)
  c_type["-"] = "void"; c_type["I"] = "Integer"; c_type["L"] = "Integer"
  c_type["D"] = "double"; c_type["R"] = "float"
  c_type["C"] = "float _Complex"; c_type["Z"] = "double _Complex"
  # The letters of types: code, C's letter, the result of a function of this type.
  code["i"] = "MT_F_INT"; code["d"] = "MT_F_DBL"; code["s"] = "MT_F_REAL"; code["c"] = "MT_F_SCPL"; code["z"] = "MT_F_DCPL"
  word["i"] = "I"; word["d"] = "D"; word["s"] = "F"; word["c"] = "C"; word["z"] = "Z"
  result_of["i"] = "I"; result_of["d"] = "D"; result_of["s"] = "R"; result_of["c"] = "C"; result_of["z"] = "Z"
  print "/* Fortran's names of Global Arrays, made of interfaces/ga/fortran/names.txt by generate.awk. */"
  print "#include \"ga/fortran/convert.h\"\n"
}

# The kind of an argument.
function kind_of(a) {
  if (a ~ /^g_/) return "array"
  if (a ~ /^new_/) return "new"
  if (a ~ /^[PQNORSTUV]$/) return "patch"
  if (a == "E") return "element"
  if (a == "ld" || a == "map") return a
  if (!(a in kind)) { print FILENAME ": " FNR ": no kind of argument: " a >"/dev/stderr"; failed = 1 }
  return kind[a]
}

function parameter(text) { parameters = parameters (parameters == "" ? "" : ", ") text }
function before(text) { conversions = conversions "  " text ";\n" }
function last(text) { late = late "  " text ";\n" }
function after(text) { results = results "  " text ";\n" }
function pass(text) { arguments = arguments (arguments == "" ? "" : ", ") text }

# One argument. scalars: patches and elements have scalars. array: the one before, as g_a.
function convert(a, scalars,    k, p) {
  k = kind_of(a)
  if (k ~ /^(patch|element|extents|place)$/) counted = 1
  p = substr(array, 3)
  if (k == "array") { array = a; parameter("const Integer *f_" a); before("const int " a " = cwi_gaf_handle(\"" a "\", *f_" a ")"); pass(a); arrays = arrays " " a }
  else if (k == "new") { parameter("Integer *f_" a); made = a }
  else if (k == "patch") {
    bounds = a ~ /[NR]/ ? "CWI_GAF_OR_EMPTY" : a == "T" ? "CWI_GAF_CLIPPED" : a == "O" ? "CWI_GAF_ORDERED" : a ~ /[SUV]/ ? "CWI_GAF_ANY" : "CWI_GAF_INSIDE"
    if (a !~ /[QRS]/ && scalars) {
      parameter("const Integer *" p "_ilo, const Integer *" p "_ihi, const Integer *" p "_jlo, const Integer *" p "_jhi")
      before("struct cwi_gaf_patch " p); before("cwi_gaf_matrix_patch(\"" array "\", " array ", (const Integer *const[]){" p "_ilo, " p "_ihi, " p "_jlo, " p "_jhi}, " bounds ", &" p ")")
      if (a == "O") before("cwi_ga_fortran.matrix = true")
    } else {
      parameter("const Integer *" p "_lo, const Integer *" p "_hi")
      before("struct cwi_gaf_patch " p); before("cwi_gaf_patch(\"" array "\", " array ", " p "_lo, " p "_hi, " bounds ", &" p ")")
    }
    pass(a == "U" ? "&" p : p ".lo, " p ".hi")
  }
  else if (k == "element") {
    if (scalars) {
      parameter("const Integer *i, const Integer *j")
      before("struct cwi_gaf_patch at"); before("cwi_gaf_matrix_patch(\"" array "\", " array ", (const Integer *const[]){i, i, j, j}, CWI_GAF_ELEMENT, &at)")
    } else {
      parameter("const Integer *sub")
      before("struct cwi_gaf_patch at"); before("cwi_gaf_patch(\"" array "\", " array ", sub, sub, CWI_GAF_ELEMENT, &at)")
    }
    pass("at.lo")
  }
  else if (k == "ld") { parameter("const Integer *f_ld"); before("struct cwi_ga_index ld = cwi_gaf_ld(" array ", f_ld)"); pass("ld.at") }
  else if (k == "int") { parameter("const Integer *f_" a); before("const int " a " = cwi_gaf_int(\"" a "\", *f_" a ")"); pass(a) }
  else if (k == "wide") { parameter("const Integer *f_" a); before("const int64_t " a " = *f_" a); pass(a) }
  else if (k == "size") { parameter("const Integer *f_" a); before("const size_t " a " = cwi_gaf_size(*f_" a ")"); pass(a) }
  else if (k == "flag") { parameter("const Integer *f_" a); before("const int " a " = *f_" a " != 0"); pass(a) }
  else if (k == "unused") { parameter("const Integer *f_" a); before("(void)f_" a) }
  else if (k == "buffer") { parameter("void *" a); pass(a) }
  else if (k == "raw") { parameter("Integer *" a); pass(a) }
  else if (k == "index") { parameter("MA_AccessIndex *" a); pass(a) }
  else if (k == "text") {
    parameter("const char *f_" a); lengths = lengths ", size_t " a "_length"
    before("struct cwi_gaf_text " a " = cwi_gaf_text(f_" a ", " a "_length)"); pass(a ".at")
  }
  else if (k == "letter") {
    parameter("const char *f_" a); lengths = lengths ", size_t " a "_length"
    before("const char " a " = cwi_gaf_letter(f_" a ", " a "_length)"); pass(a)
  }
  else if (k == "answer") {
    parameter("char *" a); lengths = lengths ", size_t " a "_length"; answer = a
  }
  else if (k == "extents" || k == "place") {
    parameter("const Integer *f_" a)
    last("struct cwi_ga_index " a " = cwi_gaf_" k "(" count ", f_" a ")"); pass(a ".at")
  }
  else if (k == "map") {
    parameter("const Integer *f_" a)
    maps = maps "  int64_t *map = cwi_gaf_map(" count ", " (count == "ndim" ? "dims.at" : "cwi_ga_dims(" array ")") ", &nblock, f_map);\n"; after("free(map)")
  }
  else if (k == "found") { parameter("Integer *f_" a); before("int " a "[GA_MAX_DIM] = {0}"); pass(a); after("cwi_gaf_found(" array ", " a ", f_" a ")") }
  else if (k == "place_made") { parameter("Integer *f_" a); before("int64_t " a "[GA_MAX_DIM] = {0}"); pass(a); after("cwi_gaf_place_found(\"" substr(a, 1, index(a, "_") - 1) "\", " array ", " a ", f_" a ")") }
  else if (k == "wide_made") { parameter("Integer *f_" a); before("int64_t " a " = 0"); pass("&" a); after("*f_" a " = cwi_gaf_result(\"" a "\", " a ")") }
  else if (k == "ticket") { parameter("Integer *f_" a); before("ga_nbhdl_t " a " = cwi_gaf_handle_slot(*f_" a ")"); pass("&" a); after("cwi_gaf_store_handle(f_" a ", " a ")") }
  else if (k == "waited") {
    parameter("Integer *f_" a)
    before("ga_nbhdl_t " a " = cwi_gaf_handle_slot(*f_" a "), before = " a); pass("&" a); after("cwi_gaf_store_waited(f_" a ", before, " a ")")
  }
}

# name: a whole one. letter: of its type; none: "".
function name_found(name, scalars, letter,    i, n, argument, call, how) {
  counted = 0
  parameters = conversions = late = maps = results = arguments = lengths = arrays = made = answer = array = ""
  n = split($3, argument, " +")
  # How many dimensions indices have: what the call says, or what the array has.
  count = ""
  for (i = 1; i <= n; i++) if (argument[i] == "ndim") count = "ndim"
  for (i = 1; i <= n && count == ""; i++) if (argument[i] ~ /^g_/) count = "cwi_ga_ndim(" argument[i] ")"
  for (i = 1; i <= n; i++) {
    if (argument[i] ~ /^g_/ && count != "ndim") count = "cwi_ga_ndim(" argument[i] ")"
    if (argument[i] != "") convert(argument[i], scalars)
  }
  if (arrays != "" && !counted) { split(arrays, argument, " "); before("cwi_gaf_whole(" argument[1] ")") }
  how = $2 == "@" ? result_of[letter] : $2
  call = $4
  gsub(/@/, letter == "i" ? "" : word[letter], call)
  if (letter == "i" && $4 ~ /@/) { call = $4; sub(/@/, "I", call); call = "CWI_GAF_" substr(call, index(call, "_") + 1) }
  printf "CWI_FORTRAN(%s, %s_, (%s%s))\n{\n", c_type[how], name, parameters == "" ? "void" : parameters, lengths
  printf "  cwi_gaf_enter(\"%s\");\n", name
  printf "%s%s%s", conversions, late, maps
  if (letter != "") {
    n = split(arrays, argument, " ")
    for (i = 1; i <= n; i++) printf "  cwi_gaf_check_type(\"%s\", %s, %s);\n", argument[i], argument[i], code[letter]
  }
  if (call !~ /[(=]/) call = call "(" arguments ")"
  if (made != "") printf "  const int made = %s;\n  *f_%s = made;\n", call, made
  else if (answer != "") printf "  cwi_fortran_give(%s, %s, %s_length);\n", call, answer, answer
  else if (how == "-") printf "  %s;\n", call
  else if (how == "C" || how == "Z") printf "  const %s got = cwi_gaf_%s(%s);\n", c_type[how], how == "C" ? "single" : "double", call
  else if (how == "L") printf "  const Integer got = (%s) != 0;\n", call
  else if (how == "I") printf "  const Integer got = cwi_gaf_result(\"the result\", %s);\n", call
  else printf "  const %s got = %s;\n", c_type[how], call
  printf "%s  cwi_gaf_leave();\n", results
  if (made != "") print "  return made != 0;"
  else if (how != "-" ) print "  return got;"
  print "}\n"
}
END { exit failed }
