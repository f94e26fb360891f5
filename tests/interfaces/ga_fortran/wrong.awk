# Makes a table of bad inputs (kit/bad_input.h) of interfaces/ga/fortran/names.txt: each name with arguments that it must
# reject. These are handles of no array, patches and elements outside of an array, arrays of another type or with another
# number of dimensions, buffers with rows that are too short, and invalid processes, groups, letters and operators. With -v
# declare=1 it makes the declarations of these names.
# Usage: awk -f names.awk -f wrong.awk names.txt >wrong.def
BEGIN {
  takes["i"] = "MT_INT"; takes["d"] = "MT_DBL"; takes["s"] = "MT_REAL"; takes["c"] = "MT_SCPL"; takes["z"] = "MT_DCPL"
}
# Scalars: a patch is four numbers, an element two.
function name_found(name, scalars, unused,    i, a, array) {
  call = name
  count = split($3, argument, " +")
  lengths = ""
  for (i = 1; i <= count; i++) {
    a = argument[i]
    given[i] = good(a, scalars)
    if (kind[a] == "text" || kind[a] == "letter" || kind[a] == "answer") lengths = lengths ", (size_t)1"
  }
  if (declare) {
    print "void " name "_(" types() ");"
    return
  }
  # These calls return for any handle; overlay reports that Causeway does not have it.
  if (name !~ /a_(destroy|deallocate|valid_handle|verify_handle|overlay)$/) handles()
  for (i = 1; i <= count; i++) {
    a = argument[i]
    if (a ~ /^g_/) array = i
    if (a ~ /^g_/ && letter != "") row("is |of type|takes " takes[letter], i, letter == "i" ? "&typed_d" : "&typed_i", a)
    if (a ~ /^[PQTNR]$/) outside(i, array, a !~ /[QR]/ && scalars)
    if (a ~ /^[PQTO]$/) reversed(i, array, a != "Q" && scalars)
    if (a == "O" && name ~ /matmul/) beyond(i, array, scalars)
    if (a == "E") element(i, array, scalars)
    if (a == "ld" && name !~ /field/) short_rows(i, array, scalars)
    if (a == "ta" || a == "tb" || a == "trans" || a == "uplo") row("'?'", i, "\"?\"", "")
    if (a == "op" && name !~ /select_elem/) row("'?'", i, "\"?\"", a)
    # nga_distribution reports that such a process has no elements.
    if (a == "group" && name !~ /set_pgroup|pgroup_destroy/ || a == "process" && name !~ /distribution/ || a == "node" || a == "mutex") row("999", i, "number(999)", a)
    if (a == "type" && name ~ /create|gop/) row("is 77", i, "number(77)", a)
  }
  if (scalars && name !~ /^nga/ && $3 ~ /^(type )?g_a .*(^| )([PTNUV]|E|is js|i j|made_dim1|jlo|prow)( |$)/) row("of 3 dimensions", 1, "&cube", "g_a")
}

# Returns a valid argument.
function good(a, scalars) {
  if (a ~ /^g_/) return letter != "" ? "&typed_" letter : "&matrix"
  if (a == "uplo") return "upper"
  if (a == "group") return "&world"
  if (a == "type") return "&doubles"
  if (kind[a] == "text" || kind[a] == "letter" || kind[a] == "answer") return "letters"
  if (a ~ /^[PTNOUV]$/ && scalars) return "ones, ones, ones, ones"
  if (a ~ /^[PTNOUQVRS]$/ || (a == "E" && scalars)) return "ones, ones"
  return "ones"
}

# Prints a row with one invalid argument, whose name is `what`.
function row(words, wrong, text, what,    kept) {
  kept = given[wrong]
  given[wrong] = text
  print "REJECTED(" call ", \"" call ": |" what "|" words "\", once, (renew(), " call "_(" list() "), 0))"
  given[wrong] = kept
}

function list(    i, text) {
  for (i = 1; i <= count; i++) text = text (i > 1 ? ", " : "") given[i]
  return text lengths
}

# The first array is invalid, all others are valid.
function handles(    i, first, kept) {
  for (i = count; i >= 1; i--) if (argument[i] ~ /^g_/) first = i
  if (first == "") return
  kept = given[first]
  given[first] = "bad_handle(bad)"
  print "REJECTED(" call ", \"" call ": |" argument[first] "\", handles, (renew(), " call "_(" list() "), 0))"
  given[first] = kept
}

# Patches with one invalid bound, of a matrix or a cube with extents of 8. In words, % is the dimension and @ its lower bound.
function wrong_patches(i, array, scalars, end, lo, hi, words, what,    d, kept, text) {
  kept = given[array]
  if (!scalars) given[array] = "&cube"
  for (d = 1; d <= (scalars ? 2 : 3); d++) {
    text = words
    gsub(/%/, d, text)
    gsub(/@/, bound("lo", d, scalars), text)
    row(bound(end, d, scalars) text, i, patch(scalars, d, lo, hi), what)
  }
  given[array] = kept
}

function outside(i, array, scalars) {
  wrong_patches(i, array, scalars, "lo", 0, 1, " is 0; dimension % of|1 to 8", argument[array])
  wrong_patches(i, array, scalars, "hi", 1, 9, " is 9; dimension % of|1 to 8", argument[array])
}

function reversed(i, array, scalars) {
  wrong_patches(i, array, scalars, "hi", 2, 1, " is 1, less than @, which is 2", argument[array])
}

# The factors of a product are checked when both are known.
function beyond(i, array, scalars) {
  wrong_patches(i, array, scalars, "lo", 9, 9, " is 9; dimension % of|1 to 8", argument[array])
}

function element(i, array, scalars,    d, kept) {
  kept = given[array]
  if (!scalars) given[array] = "&cube"
  for (d = 1; d <= (scalars ? 2 : 3); d++)
    row((scalars ? d == 1 ? "i" : "j" : "sub(" d ")") " is 9; dimension " d " of|1 to 8", i,
        scalars ? (d == 1 ? "number(9), ones" : "ones, number(9)") : "with(" d ", 9)", "")
  given[array] = kept
}

# A patch with extents of 2, and a buffer with rows of one element.
function short_rows(i, array, scalars,    at, kept, whole) {
  for (at = i; argument[at] !~ /^[PTO]$/; at--) ;
  kept = given[array]
  whole = given[at]
  if (!scalars) given[array] = "&cube"
  given[at] = scalars ? "ones, number(2), ones, number(2)" : "ones, twos"
  row("is 1; the patch has 2 elements in dimension 1", i, scalars ? "ones" : "with(2, 2)", "ld(1)")
  if (!scalars) row("is 1; the patch has 2 elements in dimension 2", i, "with(1, 2)", "ld(2)")
  given[at] = whole
  given[array] = kept
}

function bound(end, d, scalars) { return scalars ? (d == 1 ? "i" : "j") end : end "(" d ")" }

# Returns bounds that are 1 except in dimension d.
function patch(scalars, d, lo, hi) {
  if (!scalars) return "with(" d ", " lo "), with(" d ", " hi ")"
  return d == 1 ? "number(" lo "), number(" hi "), ones, ones" : "ones, ones, number(" lo "), number(" hi ")"
}

# All arguments are addresses; lengths of CHARACTER come last.
function types(    n, each, i, text) {
  n = split(list(), each, ", ")
  for (i = 1; i <= n; i++) text = text (i > 1 ? ", " : "") (each[i] ~ /size_t/ ? "size_t" : "const void *")
  return n > 0 ? text : "void"
}
