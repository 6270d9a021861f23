import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { askTerminal } from '../../src/cli/ask-terminal.js';

function terminal() {
  return { input: new PassThrough(), output: new PassThrough({ encoding: 'utf8' }) };
}

it('asks, and gives what is entered without blanks around it', async () => {
  const { input, output } = terminal();
  const answer = askTerminal({ input, output }, 'Country: ');
  input.write(' DE \n');
  expect(await answer).toBe('DE');
  expect(output.read()).toBe('Country: ');
});

it('fails where the input ends without an answer', async () => {
  const { input, output } = terminal();
  const answer = askTerminal({ input, output }, 'Country: ');
  input.end();
  await expect(answer).rejects.toThrow('There was no answer; nothing was changed.');
});
