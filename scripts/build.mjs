// node scripts/build.mjs [--if-stale] [--installing]
//
// Builds dist. With --if-stale only when the sources have changed since. With --installing, as the last step of an
// installation: where the development dependencies are left out, the build is made with a temporary copy of them, and a
// build that fails is only reported, so that `npm ci --omit=dev` can go on beside a dist that is brought later.
import { build, buildAside, canBuild } from './lib/build.mjs';
import { commandLine } from './lib/command-line.mjs';
import { BuildError, isFresh, isGenerated } from './lib/dist.mjs';

const { values: options } = commandLine(import.meta.url, {
  options: { 'if-stale': { type: 'boolean' }, installing: { type: 'boolean' } },
});
const withTools = !options.installing || canBuild();
try {
  const current = isFresh() && (isGenerated() || !withTools);
  if (!options['if-stale'] || !current) {
    if (withTools) build();
    else buildAside();
  }
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(error.message);
  if (!options.installing) process.exitCode = 1;
}
