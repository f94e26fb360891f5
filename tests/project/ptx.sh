# The PTX files in the tree must be clang's output for the kernels' source. Each release of clang has a different output, so
# only the release that wrote the files is used.
set -eu
cd "$SOURCE"
release=14
found=$("${CLANG:-clang}" --version 2>/dev/null | sed -n 's/.*clang version \([0-9]*\).*/\1/p' | head -n 1)
[ "$found" = $release ] || { echo "clang $release is not here (${found:-none})"; exit 77; }
failed=0
files=$(git ls-files '*.ptx' 2>/dev/null || true)
[ -n "$files" ] || files=$(find src tests apps -name '*.ptx')
for ptx in $files; do
  text=$(echo "${ptx%.ptx}.cl" | sed 's|/generated/|/|')
  sh scripts/ptx.sh "$text" | cmp - "$ptx" || { echo "$ptx is not $text: sh scripts/ptx.sh $text >$ptx"; failed=1; }
done
[ "$(echo "$files" | wc -l)" -ge 2 ] || { echo "hardly anything was compared: $files"; failed=1; }
exit $failed
