#!/usr/bin/env node
import { refuseOldNode } from '../platform/machine/node-version.js';

refuseOldNode();
// Not before: an old Node.js refuses to link what imports names that it does not have.
const { runCli } = await import('./program.js');
const { askTerminal } = await import('./ask-terminal.js');
const { CommandOutput } = await import('./command-output.js');

const output = new CommandOutput(process.stdout);
// Messages for people; a command must not fail because nobody can read them.
process.stderr.on('error', () => undefined);

// Only the exit code is set: `serve` goes on after its command has returned.
process.exitCode = await runCli(process.argv.slice(2), {
  write: (text) => output.write(text),
  drained: () => output.drained(),
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
await output.drained().catch(() => undefined);
if (output.failure) {
  const { exitCode, isReaderGone, message } = output.failure;
  process.exitCode = exitCode;
  if (!isReaderGone) process.stderr.write(`${message}\n`);
}
