# apps/nwchem/run.sh must notice wrong energies and derivatives, a run that fails and one that prints no energy. A shell script
# replaces NWChem: its result is right on one process, and on two it depends on MODE.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/$MPI/bin/LINUX64"
cat >"$folder/$MPI/bin/LINUX64/nwchem" <<'FAKE'
#!/bin/sh
[ "${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-0}}" = 0 ] || exit 0
sleep 0.2 # MPICH's mpiexec may die of a program that ends at once (SIGPIPE)
energy=-76.056856444844
if [ "${PMI_SIZE:-${OMPI_COMM_WORLD_SIZE:-1}}" != 1 ]; then
  case $CW_TEST_NWCHEM in
  near) energy=-76.056856444845 ;;
  wrong) energy=-76.056856424844 ;;
  derivatives) echo '     isotropic =     0.0001' ;;
  fails) exit 3 ;;
  silent) exit 0 ;;
  esac
fi
echo "         Total SCF energy =    $energy"
echo ' Total times  cpu:        1.0s     wall:        2.0s'
FAKE
chmod +x "$folder/$MPI/bin/LINUX64/nwchem"

failed=0
expect() { # MODE STATUS WORDS: run.sh ends with the status and prints the words
  if CW_TEST_NWCHEM=$1 sh "$SOURCE/apps/nwchem/run.sh" "$MPI" "$folder" water >"$folder/output" 2>&1; then
    status=0
  else
    status=$?
  fi
  if [ "$status" -ne "$2" ] || ! grep -qE "$3" "$folder/output"; then
    cat "$folder/output"
    echo "'$1': status $status, not $2, or it does not say '$3'"
    failed=1
  fi
}
expect near 0 'water +[|] 2 processes +[|] +-76\.056856444845 [|] +-9\.[0-9]e-13'
expect wrong 1 'water on 2 processes: energy and derivatives are -76\.056856424844 0\.0000; Debian'
expect wrong 1 'water +[|] 2 processes +[|] +-76\.056856424844 [|] +2\.0e-08'
expect derivatives 1 'water on 2 processes: energy and derivatives are -76\.056856444844 0\.0001; Debian'
expect fails 1 'water on 2 processes failed with status'
expect silent 1 'water on 2 processes failed with status 0'
exit $failed
