# log.sh command...: checks that a program that calls llog writes to log.000 and log.001 only.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$@" >out 2>&1 || { cat out; exit 1; }
! grep -q 'in the log' out || { echo 'printed, though llog was called'; exit 1; }
[ ! -e log.002 ] || { echo 'there are more than 2 logs'; exit 1; }
for log in log.000 log.001; do
  grep -q 'in the log' $log || { echo "it is not in $log"; exit 1; }
done
