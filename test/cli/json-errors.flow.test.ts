import { expect, it } from 'vitest';
import type { CliContext } from '../../src/cli/context.js';
import { runCli } from '../../src/cli/program.js';

async function runFailingCommand(...args: string[]): Promise<string> {
  let errorOutput = '';
  const context = {
    write: () => undefined,
    writeError: (text: string) => {
      errorOutput += text;
    },
  } as unknown as CliContext;
  expect(await runCli(args, context)).not.toBe(0);
  return errorOutput;
}

it.each([
  ['an unknown command', ['nothing']],
  ['an unknown option', ['account', 'list', '--nothing']],
  ['a missing argument', ['account', 'create']],
  ['a missing --env-file', ['account', 'list', '--env-file', '/nothing/here']],
])('with --json, %s is reported as JSON', async (_, args) => {
  expect(JSON.parse(await runFailingCommand(...args, '--json'))).toEqual({ error: { message: expect.any(String) } });
  expect(await runFailingCommand('--json', ...args)).toMatch(/^\{"error":/);
  expect(await runFailingCommand(...args)).not.toMatch(/^\{/);
});
