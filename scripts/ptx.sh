#!/bin/sh
# Writes what an NVIDIA driver takes, PTX, of a file of OpenCL C. Usage: scripts/ptx.sh FILE.cl >FILE.ptx
# Only clang is needed (14 wrote what is in the tree); every card since Turing, of 2018, takes sm_75.
set -eu
file=${1:?usage: scripts/ptx.sh FILE.cl}
"${CLANG:-clang}" -x cl -cl-std=CL1.2 -O2 -fno-unroll-loops -ffp-contract=off -Werror -target nvptx64-nvidia-cuda \
  -Xclang -target-cpu -Xclang sm_75 -S -o - "$file" | sed 's|^//.*||; s/[ \t]*$//' | cat -s
