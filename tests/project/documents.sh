# Everything that the documents name must exist: files and headings of links, and functions, files and settings.
set -eu
cd "$SOURCE"
failed=0
say() { echo "$*"; failed=1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints "file#anchor" for each heading; GitHub makes the anchor from the heading.
documents=$(ls *.md docs/*.md docs/guide/*.md docs/reference/*.md docs/man/*.md docs/design/*.md docs/reports/*.md docs/results/*.md vocl/docs/*.md)
# shellcheck disable=SC2086 # a list of files
awk '/^##* / {
  end = tolower($0)
  sub(/^##* /, "", end)
  gsub(/[^a-z0-9 _-]/, "", end)
  gsub(/ /, "-", end)
  print FILENAME "#" end
}' $documents | LC_ALL=C sort -u >"$work/headings"
# Prints "document link" for each link to a file or a heading.
# shellcheck disable=SC2086 # a list of files
grep -oE '\]\([^)" ]+\)' $documents | sed 's/:](/ /; s/)$//' | grep -v ' http' | sort -u >"$work/links"
links=0
while read -r document link; do
  links=$((links + 1))
  path=${link%%#*}
  file=$document
  case $document in */*) folder=${document%/*}/ ;; *) folder= ;; esac
  [ -z "$path" ] || file=$folder$path
  [ -e "$file" ] || { say "$document: there is no $link"; continue; }
  case $link in *'#'*) echo "$(realpath --relative-to=. "$file")#${link#*#} $document" ;; esac >>"$work/ends"
done <"$work/links"
LC_ALL=C sort "$work/ends" | LC_ALL=C join -v 1 - "$work/headings" | while read -r end document; do
  echo "$document: there is no heading $end"
done >"$work/wrong"
[ ! -s "$work/wrong" ] || say "$(cat "$work/wrong")"

# A guide with commands of the source tree leads to what a user of the packages types instead.
for guide in $(grep -lE '(^|`)make |HOME/causeway|PKG_CONFIG_PATH|(^|[^./])(examples|apps|bench|build)/' docs/guide/*.md); do
  [ "$guide" = docs/guide/packages.md ] || grep -qF '](packages.md' "$guide" ||
    say "$guide has commands of the source tree and no link to packages.md"
done

# The words of the sources, each once. grep searches the sources only for names that are not among them.
grep -rohE '[A-Za-z0-9_]+' src include interfaces | LC_ALL=C sort -u >"$work/words"
grep -ohE '[A-Za-z0-9_]+' docs/reference/settings.md $(find include -name '*.h') | grep '^CW_' | sort -u >"$work/constants"
for document in docs/design/*.md docs/words.md; do
  [ ! -e "$document" ] || grep -oE '`[A-Za-z0-9_./]+`' "$document" | tr -d '`' | sort -u | sed "s|$| $document|"
done | LC_ALL=C sort >"$work/names"
names=$(wc -l <"$work/names")
{ LC_ALL=C join -v 1 "$work/names" "$work/words"; grep "^CW_" "$work/names" || true; } | sort -u >"$work/others"
while read -r name document; do
  case $name in
  CW_*) grep -qxF "$name" "$work/constants" || say "$document: no setting or constant $name" ;;
  *.[ch]) [ -e "$name" ] || [ -e "src/$name" ] || [ -e src/*/"$name" ] || [ -e "include/$name" ] || say "$document: no file $name" ;;
  /*) ;;
  */*) [ -e "$name" ] || [ -e "src/$name" ] || [ -e src/*/"$name" ] || say "$document: no $name" ;;
  *_*) grep -qrwF "$name" src include interfaces || say "$document: no $name in the sources" ;;
  esac
done <"$work/others"
echo "$links links, $names names"
[ $links -ge 60 ] && [ $names -ge 60 ] || say 'hardly anything was looked at'
exit $failed
