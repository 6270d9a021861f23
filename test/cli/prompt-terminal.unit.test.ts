import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { promptTerminal } from '../../src/cli/prompt-terminal.js';

function createTerminal() {
  return { input: new PassThrough(), output: new PassThrough({ encoding: 'utf8' }) };
}

it('promptTerminal returns the trimmed input', async () => {
  const { input, output } = createTerminal();
  const answer = promptTerminal({ input, output }, 'Country: ');
  input.write(' DE \n');
  expect(await answer).toBe('DE');
  expect(output.read()).toBe('Country: ');
});

it('promptTerminal fails when the input ends without an answer', async () => {
  const { input, output } = createTerminal();
  const answer = promptTerminal({ input, output }, 'Country: ');
  input.end();
  await expect(answer).rejects.toThrow('There was no answer; nothing was changed.');
});
