#!/usr/bin/env node
import { once } from 'node:events';
import { refuseOldNode } from '../platform/machine/node-version.js';

refuseOldNode();
// Not before: an old Node.js refuses to link what imports names that it does not have.
const { runCli } = await import('./program.js');
const { askTerminal } = await import('./ask-terminal.js');

// The reader of the output may close it early, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

// Only the exit code is set: `serve` goes on after its command has returned.
process.exitCode = await runCli(process.argv.slice(2), {
  write: (text) => process.stdout.write(text),
  drained: async () => {
    if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
  },
  writeError: (text) => process.stderr.write(text),
  tellStore: (sentence) => process.stderr.write(`${sentence}\n`),
  isTerminal: process.stderr.isTTY,
  // On standard error, for standard output holds results only.
  ...(process.stdin.isTTY &&
    process.stdout.isTTY &&
    process.stderr.isTTY && {
      ask: (question: string) => askTerminal({ input: process.stdin, output: process.stderr }, question),
    }),
});
