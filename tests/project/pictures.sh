# The pictures of docs/pictures must have the texts of their .dot files.
set -eu
cd "$SOURCE"
failed=0

# labels FILE: prints the text of all labels, a line each
labels() {
  grep -oE 'label="[^"]*"' "$1" | sed 's/^label="//; s/"$//; s/\\n/\n/g' | sort -u
}
for dot in docs/pictures/*.dot; do
  svg=${dot%.dot}.svg
  [ -s "$svg" ] || { echo "$svg is missing: make pictures"; failed=1; continue; }
  sed -n "s/^<text[^>]*>\(.*\)<\/text>\$/\1/p" "$svg" |
    sed "s/&#45;/-/g; s/&#39;/'/g; s/&quot;/\"/g; s/&gt;/>/g; s/&lt;/</g; s/&#160;/ /g; s/&amp;/\&/g" |
    sort -u >"$BUILD/picture.svg"
  labels "$dot" | diff - "$BUILD/picture.svg" || { echo "$svg is not $dot: make pictures"; failed=1; }
done

exit $failed
