# Writes what is made of modules.txt: the table of CONTRIBUTING.md, and docs/pictures/modules.dot with the calls between
# modules as their #include lines show them, less those that follow from others. `make pictures` draws that.
# Usage: modules.sh [--check]   --check: writes nothing, and fails if a file is not what it would write.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

grep -vE '^(#|$)' modules.txt | sed 's/  */\t/' >"$work/modules"
{
  printf '| module | purpose |\n|---|---|\n'
  awk -F'\t' '{ printf "| `%s/` | %s |\n", $1, $2 }' "$work/modules"
} >"$work/table"
awk -v table="$work/table" '
  /^<!-- modules/ { print; while ((getline line <table) > 0) print line; skip = 1; next }
  /^<!-- end of modules/ { skip = 0 }
  !skip' CONTRIBUTING.md >"$work/CONTRIBUTING.md"

# A line "FROM<tab>TO" for each pair of modules of which one includes a header of the other.
find $(cut -f1 "$work/modules") -maxdepth 1 -name '*.[ch]' | xargs grep -HE '^ *# *include *"[^"]*/' |
  awk -F'\t' -v modules="$work/modules" '
    BEGIN { while ((getline <modules) > 0) { path[$1]; name = $1; sub(/^(interfaces|src\/(core|move|data|work|observe)|src)\//, "", name); of[name] = $1 }
            FS = ":" }
    { n = split($0, part, "\""); from = $0; sub(/:.*/, "", from); sub(/\/[^\/]*$/, "", from)
      to = part[2]; sub(/\/[^\/]*$/, "", to)
      if (to in of && of[to] != from) print from "\t" of[to] }' | sort -u >"$work/calls"

awk -F'\t' -v calls="$work/calls" '
  function id(path) { gsub(/[^a-z]/, "_", path); return path }
  function layer(path) { sub(/\/[^\/]*$/, "", path); return path }
  function wrapped(text,  n, word, i, line, all) {
    n = split(text, word, " ")
    for (i = 1; i <= n; i++) {
      if (line != "" && length(line word[i]) > 34) { all = all line "\\n"; line = "" }
      line = line (line == "" ? "" : " ") word[i]
    }
    gsub(/"/, "", all)
    return all line
  }
  # Parts of a module are drawn in it; their calls are its calls.
  function module(path) { while (!(path in place) && path ~ /\//) path = layer(path); return path }
  { n++; path[n] = $1; purpose[n] = $2
    owner = layer($1)
    if (owner in place) part_of[n] = owner; else place[$1] = n }
  END {
    while ((getline <calls) > 0) {
      from = module($1); to = module($2)
      if (from in place && to in place && from != to) { edge[from, to]; reach[from, to] }
    }
    for (k in place) for (i in place) for (j in place) if ((i, k) in reach && (k, j) in reach) reach[i, j]
    print "// Written by scripts/modules.sh from modules.txt."
    print "digraph modules {\n  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", fontsize=10, fillcolor=\"#f4f4f4\", color=\"#888888\"]"
    print "  edge [color=\"#888888\", arrowsize=0.6]\n  fontname=\"Helvetica\"\n  fontsize=11"
    for (i = 1; i <= n; i++) {
      if (i in part_of) continue
      l = layer(path[i])
      name = path[i]; sub(/.*\//, "", name)
      members[l] = members[l] sprintf("    %s [label=\"%s\\n%s\"]\n", id(path[i]), name, wrapped(purpose[i]))
      if (!(l in seen)) { order[++layers] = l; seen[l] }
    }
    for (i = 1; i <= layers; i++)
      printf "  subgraph cluster_%s {\n    label=\"%s\"\n    color=\"#888888\"\n%s  }\n", id(order[i]), order[i], members[order[i]]
    for (a = 1; a <= n; a++) for (b = 1; b <= n; b++) if ((path[a], path[b]) in edge) {
      needed = 1
      for (c in place) if ((path[a], c) in edge && c != path[b] && (c, path[b]) in reach) needed = 0
      if (needed) printf "  %s -> %s\n", id(path[a]), id(path[b])
    }
    print "}"
  }' "$work/modules" >"$work/modules.dot"

status=0
for file in CONTRIBUTING.md docs/pictures/modules.dot; do
  if [ "${1:-}" != --check ]; then
    cp "$work/${file##*/}" $file
  elif ! diff -u $file "$work/${file##*/}"; then
    echo "$file is not what modules.txt says: make modules"
    status=1
  fi
done
exit $status
