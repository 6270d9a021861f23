import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/**
 * What a script is told on its command line. Its usage is the comment that its file begins with: `--help` prints that and
 * ends the process; what is not understood ends it with 2, in a sentence and without a trace.
 * @param {string} script `import.meta.url` of its file
 * @param {{options?: import('node:util').ParseArgsConfig['options'], words?: number}} [takes] `words`: how many arguments
 *   that are no options it takes at the most
 * @returns {{values: Record<string, any>, words: string[]}}
 */
export function commandLine(script, { options = {}, words: most = 0 } = {}) {
  const usage = usageOf(script);
  const help = { type: 'boolean', short: 'h' };
  let parsed;
  try {
    parsed = parseArgs({ options: { ...options, help }, allowPositionals: true });
  } catch (error) {
    refuse(usage, error.message);
  }
  const { values, positionals: words } = parsed;
  if (values.help) {
    console.log(usage);
    process.exit(0);
  }
  if (words.length > most) refuse(usage, `There is nothing to be done with ${words.slice(most).join(' ')}.`);
  return { values, words };
}

/**
 * Ends the process with 2, for a command line that cannot be meant.
 * @param {string} usage
 * @param {string} sentence what is wrong
 */
export function refuse(usage, sentence) {
  console.error(`${sentence}\nUsage: ${usage.split('\n\n')[0]}`);
  process.exit(2);
}

/** The comment that a script begins with: the command, an empty line, and what it does. */
export function usageOf(script) {
  const lines = readFileSync(new URL(script), 'utf8').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines
    .slice(0, end)
    .map((line) => line.replace(/^\/\/ ?/, ''))
    .join('\n');
}
