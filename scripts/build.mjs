// node scripts/build.mjs [--if-stale] [--installing]
//
// Builds dist. --if-stale builds only if the sources have changed. --installing is for npm's `prepare` script: if the
// development dependencies are missing, it installs them in a temporary folder and builds there. With --installing a failed
// build is only reported, so that `npm ci --omit=dev` succeeds if dist is added later.
import { build, buildInTemporaryFolder, canBuild } from './lib/build.mjs';
import { parseCommandLine } from './lib/command-line.mjs';
import { BuildError, isFresh, isGenerated } from './lib/dist.mjs';

const { values: options } = parseCommandLine(import.meta.url, {
  options: { 'if-stale': { type: 'boolean' }, installing: { type: 'boolean' } },
});
const hasTools = !options.installing || canBuild();
try {
  const isCurrent = isFresh() && (isGenerated() || !hasTools);
  if (!options['if-stale'] || !isCurrent) {
    if (hasTools) build();
    else buildInTemporaryFolder();
  }
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(error.message);
  if (!options.installing) process.exitCode = 1;
}
