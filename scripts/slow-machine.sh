#!/usr/bin/env bash
# Usage: scripts/slow-machine.sh [RUNS] [ARGUMENTS OF VITEST …]
#
# Runs the tests on one core next to a busy loop, as on a slow and busy machine: `npm test`, twice unless RUNS says otherwise.
# With arguments only the named files run. Stops at the first run that fails.
set -euo pipefail
cd "$(dirname "$0")/.."

runs="${1:-2}"
shift || true
core="$(taskset -pc $$ | sed 's/.*[:, -]//')"

taskset -c "$core" sh -c 'while :; do :; done' &
busy=$!
trap 'kill "$busy"' EXIT

for ((run = 1; run <= runs; run += 1)); do
  echo "==> run $run of $runs, on core $core"
  start=$SECONDS
  if [ "$#" -gt 0 ]; then
    time taskset -c "$core" npx vitest run "$@"
  else
    time taskset -c "$core" npm test
  fi
  echo "==> run $run passed in $((SECONDS - start)) s"
done
