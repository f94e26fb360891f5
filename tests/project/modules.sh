# modules.txt lists each folder with sources of src/ and compat/, as a module or as a part of one, and what is made of
# the list is up to date: the table of CONTRIBUTING.md, and the picture of modules.
set -eu
cd "$SOURCE"
failed=0
sh tools/modules.sh --check || failed=1
listed=$(sed -n 's/^\([a-z][^ ]*\) .*/\1/p' modules.txt)
for module in $listed; do
  ls "$module"/*.h "$module"/*.c >/dev/null 2>&1 || [ -n "$(ls "$module"/*.h 2>/dev/null)" ] ||
    [ -n "$(ls "$module"/*.c 2>/dev/null)" ] || { echo "modules.txt: $module has no sources"; failed=1; }
done
for folder in $(find src compat -name '*.[ch]' ! -path '*/include/*' ! -path '*/cxx/*' | sed 's|/[^/]*$||' | sort -u); do
  echo "$listed" | grep -qx "$folder" || { echo "modules.txt lacks $folder"; failed=1; }
done
exit $failed
