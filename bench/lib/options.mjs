import { parseCommandLine } from '../../scripts/lib/command-line.mjs';

/**
 * Whether the benchmark runs only for a few seconds, to show that it still works. The figures of a short run are meaningless.
 */
export const SHORT = process.argv.includes('--short');

/**
 * Reads the command line of a benchmark. Every benchmark accepts `--short` and `--help`.
 * @param {string} script `import.meta.url` of the benchmark
 * @param {Record<string, string | undefined>} defaults
 * @param {Record<string, string>} short defaults with `--short`
 * @returns {Record<string, string | undefined>}
 */
export function readOptions(script, defaults, short) {
  const names = Object.keys(defaults).map((name) => [name, { type: 'string' }]);
  // Calling `process.exit` runs the handlers registered with `atExit`; the signal alone would not run them.
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  const { values } = parseCommandLine(script, {
    options: { ...Object.fromEntries(names), short: { type: 'boolean' } },
  });
  return { ...defaults, ...(values.short && short), ...values };
}
