# Every public function stands right below a comment, or in a group that does.
set -eu
cd "$SOURCE"
find include -name '*.h' | sort | xargs awk '
  FNR == 1 || /^$/ { documented = 0 }
  /\*\/[ \t]*$/ { documented = 1 }
  /^[a-z].*[ *]cw_[a-z0-9_]+\(/ && !/typedef/ {
    functions++
    if (!documented) { print FILENAME ":" FNR ": no comment above: " $0; missing++ }
  }
  END {
    print functions " public functions, " missing + 0 " without a comment"
    exit missing || functions < 20
  }'
