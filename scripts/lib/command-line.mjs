import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/**
 * Parses the command line of a script. `--help` prints the comment at the top of the script and exits. An invalid command line
 * prints an error and the usage, and exits with 2.
 * @param {string} script `import.meta.url` of the script
 * @param {{options?: import('node:util').ParseArgsConfig['options'], maxArguments?: number}} [accepted]
 * @returns {{values: Record<string, any>, args: string[]}}
 */
export function parseCommandLine(script, { options = {}, maxArguments = 0 } = {}) {
  const help = { type: 'boolean', short: 'h' };
  let parsed;
  try {
    parsed = parseArgs({ options: { ...options, help }, allowPositionals: true });
  } catch (error) {
    exitWithUsage(script, error.message);
  }
  const { values, positionals: args } = parsed;
  if (values.help) {
    console.log(readUsage(script));
    process.exit(0);
  }
  if (args.length > maxArguments) {
    exitWithUsage(script, `Unexpected argument: ${args.slice(maxArguments).join(' ')}`);
  }
  return { values, args };
}

/**
 * Prints a problem with the command line and the usage of the script, and exits with 2.
 * @param {string} script `import.meta.url` of the script
 * @param {string} problem a sentence
 */
export function exitWithUsage(script, problem) {
  console.error(`${problem}\nUsage: ${readUsage(script).split('\n\n')[0]}`);
  process.exit(2);
}

/** Returns the comment at the top of a script, which contains the command, an empty line, and a description. */
function readUsage(script) {
  const lines = readFileSync(new URL(script), 'utf8').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines
    .slice(0, end)
    .map((line) => line.replace(/^\/\/ ?/, ''))
    .join('\n');
}
