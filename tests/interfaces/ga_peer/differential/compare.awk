# Compares two logs of the differential test; prints the first difference and fails. With across=1,
# lines that depend on the number of processes (marked @) are left out. Words ~VALUE+-ERROR agree if
# the values do within the larger error. Numbers of handles, which GA_Print and other calls print, differ: GA reuses a handle
# at once, Causeway only after many others.

function next_line(file,   line) {
  while ((getline line < file) > 0)
    if (!across || line !~ /^[0-9.]+ @/) {
      gsub(/[Hh]andle(: |=)-?[0-9]+/, "handle", line)
      return line
    }
  return "(nothing)"
}

# The words are numbers with an error, and near each other.
function near(x, y,   a, b, error, gap) {
  if (x !~ /^~/ || y !~ /^~/)
    return 0
  split(substr(x, 2), a, /\+-/)
  split(substr(y, 2), b, /\+-/)
  if (a[1] !~ /^-?[0-9]/ || b[1] !~ /^-?[0-9]/) # nan
    return 0
  error = a[2] + 0 > b[2] + 0 ? a[2] + 0 : b[2] + 0
  gap = a[1] - b[1]
  return gap <= error && -gap <= error
}

function agree(x, y,   n, i, a, b) {
  if (x == y)
    return 1
  n = split(x, a, " ")
  if (split(y, b, " ") != n)
    return 0
  for (i = 1; i <= n; i++)
    if (a[i] != b[i] && !near(a[i], b[i]))
      return 0
  return 1
}

BEGIN {
  one = ARGV[1]
  other = ARGV[2]
  do {
    x = next_line(one)
    y = next_line(other)
    if (!agree(x, y)) {
      split(x, word, " ")
      if (x == "(nothing)")
        split(y, word, " ")
      n = split(x, a, " ")
      m = split(y, b, " ")
      for (i = 1; i <= n && i <= m && (a[i] == b[i] || near(a[i], b[i])); i++)
        ;
      printf "difference in %s, word %d: %s against %s\n  one:   %s\n  other: %s\n", word[1], i, a[i], b[i], substr(x, 1, 3000), substr(y, 1, 3000)
      exit 1
    }
  } while (x != "(nothing)")
}
