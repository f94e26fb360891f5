#!/bin/sh
# view.sh errors|saved|text|terminal|pictures|large CW-VIEW VIEW_FILES [JOBS mpiexec...]: checks output and messages of
# cw-view. Pictures in characters are compared exactly.
set -eu
what=$1 view=$2 make=$3
shift 3
folder=$(mktemp -d "${TMPDIR:-/tmp}/view it's.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$make" .
export LC_ALL=C
failed=0
say() { echo "FAILED: $*"; failed=1; }

# same ARGUMENTS... <expected: standard output must equal this, with status 0
same() {
  cat >expected
  "$view" "$@" >seen 2>said || say "status $? of cw-view $*: $(cat said)"
  diff expected seen || say "cw-view $* (< expected, > seen)"
}
# refused STATUS WORDS ARGUMENTS...: standard error must have the words, and standard output be empty
refused() {
  status=0 wanted=$1 words=$2
  shift 2
  PATH=${path:-$PATH} "$view" "$@" >seen 2>said || status=$?
  [ $status -eq "$wanted" ] || say "status $status, not $wanted, of cw-view $*"
  grep -qF -- "$words" said || say "cw-view $* does not say '$words' but: $(cat said)"
  [ "$(grep -c . said)" -le 2 ] || say "cw-view $* says too much: $(cat said)"
}
# said WORDS: standard error of the last `same` must have the words
said() { grep -qF -- "$1" said || say "it does not say '$1' but: $(cat said)"; }
no_gnuplot() { command -v gnuplot >/dev/null || { echo 'skipped: no gnuplot'; exit 77; }; }
# fake_gnuplot COMMAND: puts a program gnuplot into bin, which is first in PATH
fake_gnuplot() {
  mkdir -p bin
  printf '#!/bin/sh\n%s\n' "$1" >bin/gnuplot
  chmod +x bin/gnuplot
}
odd='it'\''s "a" b\slash\n `touch hacked` $(touch hacked) <&> @x'

text() {
  same one.h5 <<'END'
signs: 3 x 4 float64
-7 to 7
0 -@-#  ##
1 ..::;;oo
2     @@-.
  0      3
blank 0.07 . 1 : 2 ; 3 o 4 * 5 # 6 @ 7; -: negative
END
  "$view" one.h5 >honest
  printf '%s\n' 'honest: 3 x 4 float64, blocks on 1 x 2 processes' '-7 to 7' '0 -@-#|  ##' >expected.honest
  for liar in 1 2 3 4; do
    sed "s/^signs/liar $liar/" honest >lie
    same many.h5 --array "liar $liar" <lie
  done
  "$view" many.h5 --array honest | sed -n 1,3p | diff - expected.honest || say 'honest (< seen, > expected)'
  same many.h5 --log --array /decades <<'END'
/decades: 2 x 3 float64
-10 to 1; 1 zero; drawn as absolute values
0   ..::
1 oo##@@
  0    2
from 0.001 to . 0.00373 : 0.0139 ; 0.0518 o 0.193 * 0.72 # 2.68 @ 10
END
  same many.h5 --array ones <<'END'
ones: 2 x 2 int32
all 5
0 @@@@
1 @@@@
  0  1
all @ 5
END
  same many.h5 --array zeros <<'END'
zeros: 2 x 2 uint8
all 0
0
1
  0  1
END
  same many.h5 --array single <<'END'
single: 1 x 1 float32
all -3
0 -@
  0
all @ 3; -: negative
END
  same many.h5 --array complex <<'END'
complex: 2 x 2 complex64
0 to 10
0 oo
1 @@..
  0  1
blank 0.1 . 1.43 : 2.86 ; 4.29 o 5.71 * 7.14 # 8.57 @ 10
END
  same many.h5 --array "$odd" <<END
$odd: 2 x 2 int32
all 5
0 @@@@
1 @@@@
  0  1
all @ 5
END
  strange
  slices
  curves
  reduced
}

strange() {
  same many.h5 --array strange <<'END'
strange: 2 x 4 float64
-2 to 2; 3 not finite
0 oo!!@@!!
1 !!-@  oo
  0      3
blank 0.02 . 0.286 : 0.571 ; 0.857 o 1.14 * 1.43 # 1.71 @ 2; -: negative
!: not finite
END
  same many.h5 --array strange --log <<'END'
strange: 2 x 4 float64
-2 to 2; 3 not finite; 1 zero; drawn as absolute values
0 ..!!@@!!
1 !!@@  ..
  0      3
from 1 to . 1.1 : 1.22 ; 1.35 o 1.49 * 1.64 # 1.81 @ 2
!: not finite
END
  same many.h5 --array wild <<'END'
wild: 1 x 3 float64
no value is finite; 3 not finite
0 !!!!!!
  0    2
!: not finite
END
}

slices() {
  same many.h5 --array a/cube <<'END'
a/cube[0]: 2 x 2 x 3 int16
1 to 6
0 ..::;;
1 **##@@
  0    2
from 1 to . 1.714 : 2.429 ; 3.143 o 3.857 * 4.571 # 5.286 @ 6
END
  said 'the plane whose other indices are 0 (--slice chooses another)'
  same many.h5 --array a/four --slice 1,0 <<'END'
a/four[1][0]: 2 x 1 x 2 x 3 int16
10 to 60
0 ..::;;
1 **##@@
  0    2
from 10 to . 17.14 : 24.29 ; 31.43 o 38.57 * 45.71 # 52.86 @ 60
END
  [ ! -s said ] || say "--slice is given: $(cat said)"
}

curves() {
  same many.h5 --array a/line <<'END'
a/line: 10 int64
-4 to 4
         4     *

              *
             *

            *

           *--------*

                   *
                  *

                 *

        -4      *
           0        9
END
  same many.h5 --array curve <<'END'
curve: 8 float64
-2 to 2; 3 not finite
         2   *


           *      *



           ------*-






        -2  ! !!*
           0      7
!: not finite
END
  same many.h5 --array growth --log <<'END'
growth: 6 float64
-10 to 1; 1 zero; drawn as absolute values
        10      *



               *


              *


             *



     0.001  *
           0    5
END
  same many.h5 --array long <<'END'
long: 100000 float64
-0.5 to 20; a column shows the least and the greatest of 1450 elements
        20                                      *
                                                *
                                                *
                                                *
                                                *
                                                *
                                                *
                                                *
                                                *
                                                *
                                                *
                                                *
                                                *
           *********************************************************************
      -0.5 *********************************************************************
           0                                                               99999
END
}

# All cells are +-0.5, except one of -9.
reduced() {
  "$view" many.h5 --array spike >seen
  [ "$(sed -n 2p seen)" = '-9 to 0.5; a cell is the largest of 57 x 57' ] || say "reduced: $(sed -n 2p seen)"
  row=..........................................................................
  other=..........-@..............................................................
  sed -n '3,29s/^.....//p' seen >rows
  { yes "$row" | head -n 16; echo "$other"; yes "$row" | head -n 10; } | diff - rows || say 'the spike is not where it is'
}

errors() {
  head -c 2000 one.h5 >short.h5
  echo text >text.h5
  refused 1 "cannot open 'nowhere.h5': No such file" nowhere.h5
  refused 1 "cannot open '.': it is a folder" .
  refused 1 "'text.h5' is not an HDF5 file" text.h5
  refused 1 'truncated' short.h5
  refused 1 "'none.h5' has no arrays" none.h5
  refused 1 "'one.h5' has no array 'sings'" one.h5 --array sings
  refused 1 "'one.h5' has no array ''" one.h5 --array ''
  refused 1 "has no array 'dangling'" many.h5 --array dangling
  refused 1 "'a' in 'many.h5' is not an array" many.h5 --array a
  refused 1 "'empty' in 'many.h5' is empty" many.h5 --array empty
  refused 1 "'null' in 'many.h5' is empty" many.h5 --array null
  refused 1 "'scalar' in 'many.h5' is a single value" many.h5 --array scalar
  refused 1 "'text' in 'many.h5' is of type string; only numbers" many.h5 --array text
  refused 1 "cannot read 'filtered' in 'many.h5'" many.h5 --array filtered
  refused 2 'must end with .png or .svg' one.h5 -o one.pdf
  refused 2 'must end with .png or .svg' one.h5 -o .png
  refused 1 "cannot write 'nowhere/one.png': No such file" one.h5 -o nowhere/one.png
  refused 1 "cannot write 'text.h5/one.png': Not a directory" one.h5 -o text.h5/one.png
  mkdir folder.png
  refused 1 "cannot write 'folder.png': it is not a regular file" one.h5 -o folder.png
  refused 2 'no file is named'
  refused 2 'more than one file' one.h5 many.h5
  refused 2 'Try cw-view --help' --no-such-option
  refused 2 'Try cw-view --help' one.h5 --array
  refused 2 "--characters is 'x'" one.h5 --characters x
  refused 2 "index 0 of 'a/four' may be 0 to 1" many.h5 --array a/four --slice 2,0
  refused 2 'it takes 2 indices' many.h5 --array a/four --slice 1
  refused 2 'it takes 0 indices' one.h5 --slice 1
  for wrong in 1,-1 , 1, '' x 1.5 99999999999999999999,0; do
    refused 2 "--slice is '$wrong'; it may be indices" many.h5 --array a/four --slice "$wrong"
  done
  refused 2 "'many.h5' has 27 arrays; choose one with --array NAME" many.h5
  grep -qx '  a/cube  *2 x 2 x 3  *int16' seen && grep -qx '  text  *2  *string' seen &&
    grep -qx '  null  *empty  *float64' seen && grep -qx '  scalar  *one value  *int32' seen ||
    say "the list of arrays: $(cat seen)"
  path=/nowhere
  refused 1 'gnuplot is not installed (Debian: apt install gnuplot-nox)' one.h5 -o one.png
  path=
  "$view" one.h5 >/dev/full 2>said && say 'a full disk is not told'
  grep -q 'cannot write to standard output: No space' said || say "a full disk: $(cat said)"
  "$view" --help | grep -q 'Examples' || say 'no help'
  "$view" --version | grep -q '^Causeway [0-9]' || say 'no version'
  left=$(find . -name '*.partial' -o -name '*.png' -type f)
  [ -z "$left" ] || say "left: $left"
}

saved() {
  jobs=$1
  shift
  "$@" -n 2 "$jobs" distributed "$folder/saved.h5" >out 2>&1 || { cat out; say 'cannot save'; }
  same saved.h5 --array vector <<'END'
vector: 9 float64, blocks on 2 processes
-200 to -144
      -144      |   *
                |
                |  *
                | *
                |
                |*
                |
               *|
                |
              * |
             *  |
                |
            *   |
                |
      -200 *    |
           0        8
END
  same saved.h5 --array uneven <<'END'
uneven: 6 x 10 int32, blocks on 1 x 2 processes
-200 to 213
0 -@-@-@-#-#-#-#|-*-*-*
1 -*-*-o-o-o-o-;|-;-;-;
2 -:-:-:-:-:-.-.|-.-...
3 ......::::::::|::;;;;
4 ;;;;oooooooo**|******
5 **########@@@@|@@@@@@
  0                   9
blank 2.13 . 30.4 : 60.9 ; 91.3 o 122 * 152 # 183 @ 213; -: negative
END
  same saved.h5 --array cyclic <<'END'
cyclic: 6 x 10 float64, cyclic in blocks of 3 x 4 on 1 x 2 processes
-200 to 213
0 -@-@-@-#|-#-#-#-*|-*-*
1 -*-*-o-o|-o-o-;-;|-;-;
2 -:-:-:-:|-:-.-.-.|-...
  --------+--------+----
3 ......::|::::::::|;;;;
4 ;;;;oooo|oooo****|****
5 **######|##@@@@@@|@@@@
  0                    9
blank 2.13 . 30.4 : 60.9 ; 91.3 o 122 * 152 # 183 @ 213; -: negative
END
  same saved.h5 --array tiled <<'END'
tiled: 6 x 10 float32, tiled on 1 x 2 processes
-200 to 213
0 -@-@-@-#-#-#-#|-*-*|-*
  --------------+----+--
1 -*-*-o-o-o-o-;|-;-;|-;
2 -:-:-:-:-:-.-.|-.-.|..
3 ......::::::::|::;;|;;
4 ;;;;oooooooo**|****|**
5 **########@@@@|@@@@|@@
  0                    9
blank 2.13 . 30.4 : 60.9 ; 91.3 o 122 * 152 # 183 @ 213; -: negative
END
  same saved.h5 --array dealt --slice 1 <<'END'
dealt[1]: 2 x 4 x 6 int64, dealt in blocks of 2 x 4 x 3
-32 to 129
0 -:-:-.|-.-...
1 ....::|::;;;;
2 ;;oooo|oo****
3 ######|@@@@@@
  0           5
blank 1.29 . 18.4 : 36.9 ; 55.3 o 73.7 * 92.1 # 111 @ 129; -: negative
END
  outlined
  "$view" saved.h5 --array wide >seen
  [ "$(sed -n 2p seen)" = '-500 to 499; a cell is the largest of 3 x 3' ] &&
    [ "$(sed -n 3,36p seen | cut -c38 | sort -u)" = '|' ] || say "wide: the 50th column is in the 17th cell: $(cat seen)"
  "$view" saved.h5 --array ones >seen
  ! grep -qF '|' seen && grep -q 'more than 16 blocks along a dimension are not outlined' seen || say "ones: $(cat seen)"
}

# on_terminal LOCALE COLUMNS ARGUMENTS...: prints the output of cw-view to a terminal
on_terminal() {
  locale=$1 columns=$2
  shift 2
  printf 'stty cols %s rows 20; exec "%s" %s\n' "$columns" "$view" "$*" >commands
  LC_ALL=$locale TERM=xterm script -qec 'sh commands' /dev/null </dev/null | tr -d '\r' >seen
}
plain() { sed "s/$(printf '\033')\\[[0-9;]*m//g" "$@"; }

terminal() {
  command -v script >/dev/null || { echo 'skipped: no script(1), which makes terminals'; exit 77; }
  escape=$(printf '\033')
  on_terminal C 40 many.h5 --array spike
  ! grep -q "$escape" seen || say 'colours without UTF-8'
  [ "$(wc -L <seen)" -le 90 ] && [ "$(sed -n 3p seen)" = '   0 ..................................' ] ||
    say "ASCII on 40 columns: $(cat seen)"
  on_terminal C.UTF-8 60 many.h5 --array spike
  plain seen >text
  [ "$(sed -n 3p text)" = '   0 ▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀' ] || say "half blocks on 60 columns: $(cat text)"
  [ "$(grep -c '▀' text)" -le 14 ] || say "more lines than the terminal: $(cat text)"
  grep -q "$escape\[38;5;17;48;5;224m▀" seen || say 'no blue spike'
  NO_COLOR=1 on_terminal C.UTF-8 60 one.h5
  ! grep -q "$escape" seen || say 'colours with NO_COLOR'
  "$view" one.h5 --characters blocks | plain >seen
  cat >expected <<'END'
signs: 3 x 4 float64
-7 to 7
0 ▀▀▀▀
2 ▀▀▀▀
  0  3
blank 0.07    1    2    3    4    5    6    7; blue: negative
END
  diff expected seen || say 'half blocks (< expected, > seen)'
  "$view" one.h5 --characters blocks | sed -n 3,4p | tr -d '\033' >seen
  cat >expected <<'END'
0 [38;5;17;48;5;224m▀[38;5;19;48;5;217m▀[38;5;231;48;5;210m▀[38;5;160;48;5;203m▀[0m
2 [38;5;231;49m▀[38;5;231;49m▀[38;5;88;49m▀[38;5;189;49m▀[0m
END
  diff expected seen || say 'colours (< expected, > seen)'
}

drawn() { # drawn PICTURE ARGUMENTS...
  picture=$1
  shift
  "$view" "$@" -o "$picture" >seen 2>said || say "status $? of cw-view $* -o $picture: $(cat said)"
  [ ! -s seen ] && [ -s "$picture" ] || say "cw-view $* -o $picture: no picture, or something on standard output"
  case $picture in
  *.[pP][nN][gG]) [ "$(head -c 8 "$picture" | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a ] || say "$picture is no PNG" ;;
  *) head -n 1 "$picture" | grep -q '^<?xml' && [ "$(grep . "$picture" | tail -n 1)" = '</svg>' ] || say "$picture is no SVG" ;;
  esac
}
has() { grep -qF -- "$2" "$1" || say "$1 has no '$2'"; }

pictures() {
  no_gnuplot
  drawn one.png one.h5
  drawn 'a "b" it'\''s `x`.PNG' one.h5
  drawn one.svg one.h5
  has one.svg 'signs: 3 x 4 float64'
  has one.svg '<image '
  drawn odd.svg many.h5 --array "$odd"
  has odd.svg 'it'\''s "a" b\slash\n `touch hacked` $(touch hacked) &lt;&amp;> @x: 2 x 2 int32'
  [ ! -e hacked ] || say 'a name of an array was run'
  for array in ones zeros single wild 'wild line' long a/four; do
    drawn picture.svg many.h5 --array "$array"
  done
  has picture.svg 'a/four[0][0]: 2 x 1 x 2 x 3 int16'
  for array in zeros complex strange wild spike curve growth 'wild line'; do
    drawn picture.png many.h5 --array "$array" --log
  done
  drawn large.png large.h5 --array chunks
  commands
  broken
}

commands() {
  real=$(command -v gnuplot)
  fake_gnuplot "tee '$(echo "$folder" | sed "s/'/'\\\\''/g")/commands' | exec $real \"\$@\""
  keep=$PATH
  PATH=$folder/bin:$PATH
  drawn signs.svg one.h5
  grep -aq "^set cbrange \[-7:7\]" commands || say 'signs: the scale is not symmetric'
  drawn ones.svg many.h5 --array ones
  grep -aq "^set cbrange \[2.5:5\]" commands || say 'ones: the scale'
  drawn log.svg many.h5 --array decades --log
  grep -aq "^set cbrange \[0.001[0-9]*:10\]" commands && grep -aq '^set logscale cb' commands || say 'log: the scale'
  ! grep -aq rgbalpha commands || say 'green cells, and all are finite'
  drawn strange.svg many.h5 --array strange
  grep -aq 'with rgbalpha' commands && od -An -v -tx1 commands | tr -d ' \n' | grep -q 00b050ff ||
    say 'no green cells'
  drawn spike.svg many.h5 --array spike
  grep -aq "array=(700,750) origin=(1,0.5) dx=3 dy=2 " commands || say 'spike: 2100 x 1500 elements are 700 x 750 cells'
  PATH=$keep
}

# A failed run leaves no file, and keeps the old picture.
broken() {
  keep=$PATH
  echo old >old.png
  PATH=$folder/bin:$PATH
  fake_gnuplot 'echo half; echo "no such terminal" >&2; cat >/dev/null; exit 1'
  refused 1 "gnuplot failed and 'old.png' is not written; gnuplot reports: no such terminal" one.h5 -o old.png
  fake_gnuplot 'exit 3'
  refused 1 "gnuplot failed and 'old.png' is not written" large.h5 --array chunks -o old.png
  fake_gnuplot 'cat >/dev/null'
  refused 1 "gnuplot failed and 'old.png' is not written; gnuplot reports: nothing" one.h5 -o old.png
  fake_gnuplot 'cat >/dev/null; touch drawing; while [ -e drawing ]; do sleep 0.05; done'
  "$view" one.h5 -o old.png 2>said &
  until [ -e drawing ]; do sleep 0.01; done
  kill -TERM $!
  wait $! && say 'killed, and it says that all is well'
  rm drawing # gnuplot ends, too
  PATH=$keep
  [ "$(cat old.png)" = old ] || say 'the old picture is gone'
  left=$(find . -name '*.partial')
  [ -z "$left" ] || say "left: $left"
}

# Arrays of 298 GiB each, of which the files store little, under a limit of 1 GiB.
large() {
  [ "${CW_SANITIZED:-}" ] || ulimit -v 1048576
  for array in chunks absent holes; do
    "$view" large.h5 --array $array >seen.$array 2>said || say "status $? of large.h5 $array: $(cat said)"
    [ ! -s said ] || say "$array: $(cat said)"
  done
  planes
  [ "$(sed -n 2p seen.chunks)" = '-5 to 8; a cell is the largest of 5556 x 5556' ] || say "chunks: $(cat seen.chunks)"
  [ "$(grep -c '@' seen.chunks)" -eq 2 ] && grep -q '^150012 -:-:-:@@-:' seen.chunks && grep -q '^     0 .*-:-\*$' seen.chunks ||
    say "chunks: $(cat seen.chunks)"
  [ "$(sed -n 2p seen.absent)" = 'all 1.5; a cell is the largest of 5556 x 5556' ] || say "absent: $(cat seen.absent)"
  [ "$(sed -n 2p seen.holes)" = '-6 to 0; a cell is the largest of 1082 x 1082' ] || say "holes: $(cat seen.holes)"
  [ "$(grep '^11902' seen.holes)" = "11902 $(printf '%74s' '-@')" ] || say "holes: $(cat seen.holes)"
}

# The commands to gnuplot that draw the blocks.
outlined() {
  fake_gnuplot 'cat >commands; echo picture'
  keep=$PATH
  PATH=$folder/bin:$PATH
  "$view" saved.h5 --array tiled -o tiled.svg || say 'tiled is not drawn'
  grep -a '^set arrow' commands | sed 's/ nohead.*//' >seen
  diff - seen <<'END' || say 'outlines of tiled (< expected, > seen)'
set arrow from first 6.5, graph 0 to first 6.5, graph 1
set arrow from first 8.5, graph 0 to first 8.5, graph 1
set arrow from graph 0, first 0.5 to graph 1, first 0.5
END
  "$view" saved.h5 --array vector -o vector.svg || say 'vector is not drawn'
  [ "$(grep -ac '^set arrow from first 4.5, graph 0 to first 4.5, graph 1' commands)" -eq 1 ] || say 'outlines of vector'
  PATH=$keep
}

# Only the chunks of a plane are read, and only the plane's part of a file with holes.
planes() {
  same large.h5 --array bricks --slice 2 <<'END'
bricks[2]: 4 x 6 x 6 float64
1 to 7
0 ............
1 ............
2 ............
3 ............
4 ............
5 ..........@@
  0          5
from 1 to . 1.857 : 2.714 ; 3.571 o 4.429 * 5.286 # 6.143 @ 7
END
  "$view" large.h5 --array bricks --slice 3 | sed -n 2p >seen.planes
  "$view" large.h5 --array bricks --slice 1 | sed -n 2p >>seen.planes
  "$view" large.h5 --array bricks --slice 0 | sed -n 2,3p >>seen.planes
  "$view" large.h5 --array stack --slice 1 | sed -n 2p >>seen.planes
  "$view" large.h5 --array stack --slice 2 | sed -n '2p;/@@/p' >>seen.planes
  "$view" large.h5 --array stack --slice 2 --log | sed -n 2p >>seen.planes
  diff - seen.planes <<END || say 'planes (< expected, > seen)'
all 1
all 1
-3 to 1
0 -@;;;;;;;;;;
all 0; a cell is the largest of 82 x 82
0 to 5; a cell is the largest of 82 x 82
1230 $(printf '%74s' '@@')
0 to 5; 8999999 zero; a cell is the largest of 82 x 82; drawn as absolute values
END
}

case $what in
errors | saved | text | terminal | pictures | large) $what "$@" ;;
esac
exit $failed
