// node scripts/build.mjs [--if-stale] [--if-possible]
//
// Builds dist. With --if-stale only when the sources have changed since; with --if-possible a missing compiler is only
// reported, so that `npm ci --omit=dev` can go on beside a dist that was built elsewhere.
import { parseArgs } from 'node:util';
import { BuildError, build, isFresh } from './lib/build.mjs';

const { values: options } = parseArgs({
  options: { 'if-stale': { type: 'boolean' }, 'if-possible': { type: 'boolean' } },
});
try {
  if (!options['if-stale'] || !isFresh()) build();
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(error.message);
  if (!options['if-possible']) process.exitCode = 1;
}
