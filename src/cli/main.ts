#!/usr/bin/env node
import { refuseOldNode } from '../platform/machine/node-version.js';

refuseOldNode();
// These imports come after the version check, because static imports of missing names would fail first on an old Node.js.
const { runCli } = await import('./program.js');
const { promptTerminal } = await import('./prompt-terminal.js');
const { CommandOutput } = await import('./command-output.js');

const output = new CommandOutput(process.stdout);
// A command must not fail because it cannot write to standard error.
process.stderr.on('error', () => undefined);

// The process must not exit here, because `serve` keeps running after its command has returned.
process.exitCode = await runCli(process.argv.slice(2), {
  write: (text) => output.write(text),
  waitForOutput: () => output.waitForOutput(),
  writeError: (text) => process.stderr.write(text),
  showStore: (sentence) => process.stderr.write(`${sentence}\n`),
  isTerminal: process.stderr.isTTY,
  // Questions go to standard error, because standard output contains only results.
  ...(process.stdin.isTTY &&
    process.stdout.isTTY &&
    process.stderr.isTTY && {
      prompt: (question: string) => promptTerminal({ input: process.stdin, output: process.stderr }, question),
    }),
});
await output.waitForOutput().catch(() => undefined);
if (output.failure) {
  const { exitCode, isReaderGone, message } = output.failure;
  process.exitCode = exitCode;
  if (!isReaderGone) process.stderr.write(`${message}\n`);
}
