#!/usr/bin/env node
import { runCli } from './cli/program.js';

// Only the exit code is set: `serve` goes on after its command has returned.
process.exitCode = await runCli(process.argv.slice(2), {
  write: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
});
