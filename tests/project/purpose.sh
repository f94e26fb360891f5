# Every file of src/ and compat/ begins with a comment that says what it is for.
set -eu
cd "$SOURCE"
missing=0 count=0
for file in $(find src compat -name '*.[ch]' | sort); do
  count=$((count + 1))
  case $(head -n 1 "$file") in
  '/* '?????*) ;;
  *) echo "$file: its first line is no comment that says what it is for"; missing=$((missing + 1)) ;;
  esac
done
echo "$count files, $missing without a purpose line"
[ $count -ge 100 ] && [ $missing -eq 0 ]
