# Reads names.txt: calls name_found(name, scalars, letter) for each of Fortran's names. scalars: its patches and elements
# have scalars; letter: of its type, or "". $3 holds the arguments, kind[] what each of them is. Usage: with the file
# that has this function, awk -f names.awk -f FILE names.txt
BEGIN { FS = "[ \t]*[|][ \t]*" }
/^#/ || NF == 0 { next }
$1 ~ /^kind / {
  n = split($1, part, " +")
  for (i = 3; i <= n; i++) kind[part[i]] = part[2]
  next
}
{
  n = split($1, part, " +")
  letters = part[2] ~ /^[idscz]+$/ && part[3] ~ /%/ ? part[2] : ""
  for (at = letters == "" ? 2 : 3; at <= n; at++)
    for (l = 1; l <= (letters == "" ? 1 : length(letters)); l++) {
      letter = substr(letters, l, 1)
      name = part[at]
      sub(/%/, letter, name)
      if (part[1] != "2") name_found("ga_" name, part[1] != "2", letter)
      if (part[1] != "1") name_found("nga_" name, part[1] == "1", letter)
    }
}
