# The site is made without a warning, all its links lead to a file and a place, names of calls in guides lead to the reference,
# and the reference names examples. Usage: site.sh PYTHON SPHINX
set -eu
python=${1:-} sphinx=${2:-}
[ -n "$python" ] && [ -x "$sphinx" ] && "$python" -c 'import furo, myst_parser' 2>/dev/null ||
  { echo 'skipped: Sphinx, furo or myst-parser is not installed'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$python" -B "$SOURCE/docs/site/stage.py" "$SOURCE" source
"$sphinx" -q -W --keep-going -c "$SOURCE/docs/site" -d doctrees source html
"$python" -B "$SOURCE/docs/site/links.py" html

found() { grep -q "$2" "html/$1" || { echo "$1 has no $2"; exit 1; }; }
found docs/guide/examples.html 'calls/native/sync.html#c.cw_mutex_lock'
found calls/native/sync.html 'examples/ledger.c.html'
found examples/ledger.c.html 'class="highlight-c '
found docs/guide/hangs.html 'class="highlight-c '
found searchindex.js cw_put_notify
[ -s html/_images/modules.svg ]
! grep -rlE '<pre>(<span></span>)?</pre>' html || { echo 'these pages have empty blocks of code'; exit 1; }
# The style sheet and the script are complete: the dark theme, and no import that a browser does not load from a file.
grep -qE 'body:not\(\[data-theme="?light' html/_static/styles/furo.css
! grep -nE '^(import |@import)' html/_static/scripts/furo.js html/_static/styles/furo.css || exit 1
for page in docs/results/scf.html docs/design/server.html CHANGELOG.html programs/cw-top.html vocl/docs/vocl.html; do
  [ -s "html/$page" ] || { echo "there is no $page"; exit 1; }
done
# A wrong link, and a wrong place, are found.
mkdir seeded
echo '<a href="nowhere.html">x</a><a href="#nowhere">y</a>' >seeded/index.html
! "$python" -B "$SOURCE/docs/site/links.py" seeded >log || { echo 'the test itself is wrong: links.py finds nothing'; exit 1; }
[ "$(wc -l <log)" = 3 ] || { cat log; exit 1; }
printf '# Place\n[x](nowhere.md), [y](index.md#nowhere), [z](#place)\n' >seeded/index.md
! "$python" -B "$SOURCE/docs/site/links.py" seeded >log || { echo 'the test itself is wrong: links.py accepts a wrong link of Markdown'; exit 1; }
[ "$(wc -l <log)" = 5 ] || { cat log; exit 1; }
