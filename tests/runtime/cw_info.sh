# cw_info.sh MPI CW_INFO: cw-info must show the bugs of this MPI, and of no other, and the cores that it may use. With --all it
# must list each bug with a program in tests/mpi/reproducers once.
set -eu
mpi=$1 program=$2
reproducers=$(dirname "$0")/../mpi/reproducers
case $mpi in mpich) other=openmpi ;; *) other=mpich ;; esac
failed=0

named() { sed -n 's/^   \([a-z_]*\) .* to before [0-9.]*$/\1/p'; }
own=$("$program" --bugs | named)
[ "$(echo "$own" | wc -l)" -ge 2 ] || { echo "hardly any bugs: $own"; failed=1; }
case $own in *$other*) echo "bugs of $other: $own"; failed=1 ;; esac
one=$(taskset -pc $$ | sed 's/.*: \([0-9]*\).*/\1/')
taskset -c "$one" sh -c '"$1"; true' launcher "$program" | grep -q '^cores: *1 of' || { echo 'bound to one core it tells of others'; failed=1; }
"$program" --all | named | sort >shown
(cd "$reproducers" && ls ./*.c | sed 's|^\./\(.*\)\.c$|\1|') | sort | diff - shown ||
  { echo 'cw-info --all and tests/mpi/reproducers differ (above)'; failed=1; }
# The line before the devices names the cores.
"$program" >shown
line=$(echo "$own" | tr '\n' ',' | sed 's/,$//; s/,/, /g')
grep -qx "MPI bugs:  $line (from the table of known bugs, all avoided; .*)" shown || { cat shown; echo 'not one line of what is avoided'; failed=1; }
[ -z "$(named <shown)" ] || { echo 'bugs without --bugs'; failed=1; }
! grep -E '[,:;] *$' shown | grep -v '^devices:$' || { echo 'a line is cut (above)'; failed=1; }
# wrong WORDS ARGUMENT...
wrong() {
  words=$1
  shift
  if "$program" "$@" >said 2>&1 || ! grep -q Usage said || ! grep -qx "cw-info: $words" said; then
    cat said
    echo "not refused by '$words': $*"
    failed=1
  fi
}
wrong "there is no option '--al'" --al
wrong "'--settings' cannot follow --bugs" --bugs --settings
wrong "--nodes needs a number of nodes" --nodes
wrong "'5' cannot follow --nodes" --nodes 4 5
exit $failed
