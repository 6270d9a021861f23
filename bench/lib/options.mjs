import { commandLine } from '../../scripts/lib/command-line.mjs';

/** Whether the run takes seconds and only shows that the benchmark works: what it measures then says nothing. */
export const SHORT = process.argv.includes('--short');

/**
 * What a benchmark is told on its command line. Every benchmark takes `--short`, and `--help`.
 * @param {string} script `import.meta.url` of its file
 * @param {Record<string, string | undefined>} defaults each option, and what it is unless told
 * @param {Record<string, string>} short what it is with `--short`, unless told
 * @returns {Record<string, string | undefined>}
 */
export function readOptions(script, defaults, short) {
  const names = Object.keys(defaults).map((name) => [name, { type: 'string' }]);
  // Whatever runs is ended by what `atExit` was told.
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  const { values } = commandLine(script, { options: { ...Object.fromEntries(names), short: { type: 'boolean' } } });
  return { ...defaults, ...(values.short && short), ...values };
}
