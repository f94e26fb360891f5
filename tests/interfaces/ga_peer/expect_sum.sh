# Checks that the job succeeds and prints "sum: SUM", and no other sum. With a VERSION, the test is skipped if the Debian
# package of Global Arrays has another version.
# Usage: expect_sum.sh SUM VERSION|any command...
sum=$1 version=$2
shift 2
if [ "$version" != any ]; then
  installed=$(dpkg-query -W -f '${Version}' libglobalarrays-dev 2>/dev/null) || installed=none
  case $installed in
    "$version"-*) ;;
    *) echo "skipped: the sum is known for GA $version, the package here is: $installed"; exit 77 ;;
  esac
fi
output=$("$@") && status=0 || status=$?
echo "$output"
[ $status -eq 0 ] || { echo "the job ended with status $status"; exit 1; }
[ "$(echo "$output" | grep '^sum: ')" = "sum: $sum" ] || { echo "expected: sum: $sum"; exit 1; }
