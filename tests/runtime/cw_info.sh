# cw_info.sh MPI CW_INFO: cw-info shows the bugs of the MPI that runs, and no other's, and the cores that it may use; with --all each that has a program in
# tests/mpi/reproducers stands there once.
set -eu
mpi=$1 program=$2
reproducers=$(dirname "$0")/../mpi/reproducers
case $mpi in mpich) other=openmpi ;; *) other=mpich ;; esac
failed=0

named() { sed -n 's/^   \([a-z_]*\) .* to before [0-9.]*$/\1/p'; }
own=$("$program" | named)
[ "$(echo "$own" | wc -l)" -ge 2 ] || { echo "hardly any bugs: $own"; failed=1; }
case $own in *$other*) echo "bugs of $other: $own"; failed=1 ;; esac
one=$(taskset -pc $$ | sed 's/.*: \([0-9]*\).*/\1/')
taskset -c "$one" sh -c '"$1"; true' launcher "$program" | grep -q '^cores: *1 of' || { echo 'bound to one core it tells of others'; failed=1; }
"$program" --all | named | sort >shown
(cd "$reproducers" && ls ./*.c | sed 's|^\./\(.*\)\.c$|\1|') | sort | diff - shown ||
  { echo 'cw-info --all and tests/mpi/reproducers differ (above)'; failed=1; }
"$program" | grep -q "cw-info --all" || { echo 'it does not tell of --all'; failed=1; }
if "$program" --al >wrong 2>&1 || ! grep -q Usage wrong; then
  echo 'a wrong option is not refused'
  failed=1
fi
exit $failed
