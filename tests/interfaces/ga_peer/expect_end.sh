# Checks that the job ends with a nonzero status and prints the message, and that no sanitizer reports an error.
# Usage: expect_end.sh SENTENCE command...
sentence=$1
shift
output=$("$@" 2>&1) && status=0 || status=$?
echo "$output"
echo "the job ended with status $status"
[ $status -ne 0 ] || exit 1
case $output in
*Sanitizer* | *'runtime error'*) exit 1 ;;
*"$sentence"*) ;;
*) exit 1 ;;
esac
