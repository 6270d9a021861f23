import { createInterface } from 'node:readline/promises';

interface Terminal {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
}

/**
 * Asks whoever sits at a terminal.
 * @returns what was entered, without blanks around it
 * @throws {Error} where the input ends, or is broken off, before there is an answer
 */
export async function askTerminal({ input, output }: Terminal, question: string): Promise<string> {
  const terminal = createInterface({ input, output });
  const ended = new Promise<never>((_resolve, reject) => {
    terminal.once('close', () => reject(new Error('There was no answer; nothing was changed.')));
  });
  try {
    return (await Promise.race([terminal.question(question), ended])).trim();
  } finally {
    // Closing tells this promise as well, which nobody waits for any more.
    ended.catch(() => undefined);
    terminal.close();
  }
}
