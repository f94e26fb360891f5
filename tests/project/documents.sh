# What the documents name is there: files and headings behind links, and the functions,
# files and settings of docs/design.
set -eu
cd "$SOURCE"
failed=0
say() { echo "$*"; failed=1; }

# The end of a link to a heading, as GitHub makes it of the heading.
ends_of() {
  sed -n 's/^##* //p' "$1" | tr 'A-Z' 'a-z' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}
links=0
for document in *.md docs/*.md docs/design/*.md docs/reports/*.md docs/results/*.md; do
  for link in $(grep -oE '\]\([^)" ]+\)' "$document" | sed 's/^](//; s/)$//' | sort -u); do
    case $link in http*) continue ;; esac
    links=$((links + 1))
    path=${link%%#*}
    file=$document
    [ -z "$path" ] || file=$(dirname "$document")/$path
    [ -e "$file" ] || { say "$document: there is no $link"; continue; }
    case $link in
    *'#'*) ends_of "$file" | grep -qxF "${link#*#}" || say "$document: $file has no heading ${link#*#}" ;;
    esac
  done
done

names=0
for document in docs/design/*.md docs/words.md; do
  [ -e "$document" ] || continue
  for name in $(grep -oE '`[A-Za-z0-9_./]+`' "$document" | tr -d '`' | sort -u); do
    names=$((names + 1))
    case $name in
    CW_*) grep -qrwF "$name" docs/settings.md include || say "$document: no setting or constant $name" ;;
    *.[ch]) [ -e "$name" ] || [ -e "src/$name" ] || [ -e src/*/"$name" ] || [ -e "include/$name" ] || say "$document: no file $name" ;;
    /*) ;;
    */*) [ -e "$name" ] || [ -e "src/$name" ] || [ -e src/*/"$name" ] || say "$document: no $name" ;;
    *_*) grep -qrwF "$name" src include compat || say "$document: no $name in the sources" ;;
    esac
  done
done
echo "$links links, $names names"
[ $links -ge 60 ] && [ $names -ge 60 ] || say 'hardly anything was looked at'
exit $failed
