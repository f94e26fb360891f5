# CONTRIBUTING.md must name every folder, and every test of this folder; the names in it must exist.
set -eu
cd "$SOURCE"
failed=0
say() { echo "CONTRIBUTING.md: $*"; failed=1; }
names() { grep -qF "$1" CONTRIBUTING.md; }

for folder in */ .ci/; do
  case $folder in build*/ | src/ | tests/) continue ;; esac
  # A folder that is not in git does not count.
  [ ! -e .git ] || [ -n "$(git ls-files "$folder" | head -n 1)" ] || continue
  names "\`$folder\`" || say "no $folder"
done
for folder in bench/*/ docs/*/; do
  names "\`$folder\`" || say "no $folder"
done
for folder in tests/*/; do
  [ -d src/*/"${folder#tests/}" ] || [ -d "src/${folder#tests/}" ] || names "\`$folder\`" || say "no $folder"
done
for folder in $(grep -oE '`[a-z./]+/`' CONTRIBUTING.md | tr -d '`' | sort -u); do
  [ -d "$folder" ] || say "$folder is not there"
done

for test in tests/project/*.sh; do
  name=$(basename "$test" .sh)
  names "\`project.$name\`" || names "\`.$name\`" || say "no project.$name"
done
for name in $(grep -oE '`(project)?\.[a-z_]+`' CONTRIBUTING.md | tr -d '`' | sed 's/.*\.//' | grep -v '^c$' | sort -u); do
  [ -f "tests/project/$name.sh" ] || say "there is no test project.$name"
done
exit $failed
