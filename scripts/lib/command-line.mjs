import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/**
 * Parses the command line of a script. The comment at the top of its file is its usage: `--help` prints it and exits. An invalid command
 * line exits with 2 and one sentence.
 * @param {string} script `import.meta.url` of its file
 * @param {{options?: import('node:util').ParseArgsConfig['options'], words?: number}} [takes] `words`: maximum number of positional
 *   arguments
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
 * Exits with 2 because the command line is invalid.
 * @param {string} usage
 * @param {string} sentence what is wrong
 */
export function refuse(usage, sentence) {
  console.error(`${sentence}\nUsage: ${usage.split('\n\n')[0]}`);
  process.exit(2);
}

/** The comment at the top of a script: the command, an empty line, and a description. */
export function usageOf(script) {
  const lines = readFileSync(new URL(script), 'utf8').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines
    .slice(0, end)
    .map((line) => line.replace(/^\/\/ ?/, ''))
    .join('\n');
}
