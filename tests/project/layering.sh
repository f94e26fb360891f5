# Proves from the #include lines that a folder of src/ uses only itself and the folders above it, that
# src/ knows nothing of compat/, that apps and examples use public headers only, and that only
# src/mpi/ asks which MPI it is.
set -eu
cd "$SOURCE"
failed=0
report() { [ -z "$1" ] || { printf '%s\n%s\n' "$2" "$1"; failed=1; }; }

report "$(awk -F'[/"]' '
  BEGIN {
    n = split("base mpi team memory transfer link route server sync window array matrix task runtime", order, " ")
    for (i = 1; i <= n; i++) level[order[i]] = i
  }
  /^[ \t]*#[ \t]*include[ \t]*"/ {
    split(FILENAME, path, "/")
    if (!(path[2] in level)) print FILENAME ": folder src/" path[2] " has no place in the order"
    else if (!($2 in level)) print FILENAME ": " $0 " is not in a folder of src/"
    else if (level[$2] > level[path[2]]) print FILENAME ": " $0
  }' $(find src -name '*.[ch]'))" 'These include a folder below their own:'

report "$(find src -maxdepth 1 -name '*.[ch]')" 'These are in no folder of src/:'

report "$(grep -rnE '#[ 	]*include[ 	]*[<"](armci|armcix|armciconf|message|mp3|ga|macdecls)\.h' \
  --include='*.[ch]' src include)" 'The runtime must not know the ARMCI and GA headers:'

folders=; for folder in apps examples; do [ ! -d $folder ] || folders="$folders $folder"; done
report "$([ -z "$folders" ] || grep -rnE '#[ 	]*include[ 	]*"(base|mpi|team|memory|transfer|link|route|server|sync|runtime)/' \
  --include='*.[ch]' $folders)" 'Apps and examples use public headers only:'

report "$(grep -rnE '\b(MPICH_(NUM)?VERSION|MPICH_NAME|OMPI_[A-Z]+_VERSION|OPEN_MPI)\b' --include='*.[ch]' \
  include src compat | grep -v '^src/mpi/')" 'Only src/mpi/ may ask which MPI this is:'
exit $failed
