import { createInterface } from 'node:readline/promises';

interface Terminal {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
}

export async function promptTerminal({ input, output }: Terminal, question: string): Promise<string> {
  const terminal = createInterface({ input, output });
  const inputEnded = new Promise<never>((_resolve, reject) => {
    terminal.once('close', () => reject(new Error('There was no answer; nothing was changed.')));
  });
  try {
    return (await Promise.race([terminal.question(question), inputEnded])).trim();
  } finally {
    // Closing the terminal rejects `inputEnded`, which no code awaits any more.
    inputEnded.catch(() => undefined);
    terminal.close();
  }
}
