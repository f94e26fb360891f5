# For each line of a file, a word and a message: the command with that word ends with a nonzero status and prints the
# message, and no sanitizer reports an error. Usage: ends.sh FILE command...
file=$1
shift
failed=0
while read -r word sentence; do
  output=$("$@" "$word" 2>&1 </dev/null) && status=0 || status=$?
  case $output in
  *Sanitizer* | *'runtime error'*) ;;
  *"$sentence"*) [ $status -ne 0 ] && continue ;;
  esac
  echo "$word: status $status, and not '$sentence' but"
  echo "$output"
  failed=1
done <"$file"
exit $failed
