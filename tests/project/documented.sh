# Every public function must be right below a comment, or in a group of functions below one, and the comment must have the
# fixed parts: completion ("Local" or "Collective") and errors ("Errors"). The thread level is in it,
# or in the header's first comment ("Thread level of all calls").
set -eu
cd "$SOURCE"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check() {
  awk '
    function says(what) { print FILENAME ":" FNR ": " what ": " $0; missing++ }
    FNR == 1 { first = 1; all = 0 }
    FNR == 1 || /^$/ { comment = "" }
    /^\/\*/ { comment = ""; inside = 1 }
    inside {
      comment = comment " " $0
      if (first && /Thread level of all calls/) all = 1
      if (/\*\/[ \t]*$/) { inside = 0; first = 0 }
      next
    }
    /^[a-zA-Z].*[ *]cw_[a-z0-9_]+\(/ && !/typedef/ {
      functions++
      if (comment == "") says("no comment above")
      else {
        if (comment !~ /[^A-Za-z](Local|Collective)[^A-Za-z]/) says("the comment tells neither Local nor Collective")
        if (comment !~ /[^A-Za-z]Errors[^A-Za-z]/) says("the comment tells no Errors")
        if (!all && comment !~ /Thread level/) says("neither the comment nor the header tells the thread level")
      }
    }
    END {
      print functions + 0 " public functions, " missing + 0 " parts are missing"
      exit missing > 0
    }' "$@"
}

# Checks that this test finds errors.
cat >"$work/seeded.h" <<'END'
/* A header. */

int cw_bare(void);

/* Local. Errors: none. Thread level: any. */
int cw_whole(void);
int cw_whole_too(void);

/* Collective. */
int cw_half(void);
END
if found=$(check "$work/seeded.h") || [ "${found##*functions, }" != '3 parts are missing' ]; then
  printf 'the test itself is wrong: it finds\n%s\n' "$found"
  exit 1
fi

headers=$(find include interfaces/ga/include/cwga.h -name '*.h' | sort)
# shellcheck disable=SC2086 # a list of words
result=$(check $headers) || { echo "$result"; exit 1; }
echo "$result"
[ "${result%% *}" -ge 60 ]
