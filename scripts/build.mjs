// node scripts/build.mjs [--if-stale] [--installing]
//
// Builds dist. --if-stale builds only if the sources have changed. --installing is for the last step of an installation: without
// development dependencies the build uses a temporary copy of them, and a failed build is only reported, so that
// `npm ci --omit=dev` succeeds if dist is added later.
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
