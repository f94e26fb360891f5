#!/bin/sh
# Passes if compare.sh, with these arguments, finds a difference and no program failed.
output=$(sh "$(dirname "$0")/compare.sh" "$@") && status=0 || status=$?
echo "$output"
[ "$status" -ne 0 ] || exit 1
case $output in *"ended with status"*) exit 1 ;; esac
case $output in *"difference in "*"to repeat this round"*) ;; *) exit 1 ;; esac
