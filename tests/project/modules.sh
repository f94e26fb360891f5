# modules.txt and vocl/modules.txt must list each folder with sources of src/, interfaces/ and vocl/src/, as a module or as a
# part of one. The table of CONTRIBUTING.md and the picture of modules, which are made of these lists, must be up to date.
set -eu
cd "$SOURCE"
failed=0
sh scripts/modules.sh --check || failed=1
listed=$(sed -n 's/^\([a-z][^ ]*\) .*/\1/p' modules.txt vocl/modules.txt)
for module in $listed; do
  [ -d "$module" ] || { echo "modules.txt: there is no folder $module"; failed=1; }
done
for folder in $(find src interfaces vocl/src -name '*.[ch]' ! -path '*/include/*' ! -path '*/cxx/*' | sed 's|/[^/]*$||' | sort -u); do
  echo "$listed" | grep -qx "$folder" || { echo "modules.txt lacks $folder"; failed=1; }
done
exit $failed
