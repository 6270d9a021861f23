// npm start
//
// Builds dist if needed (after npm ci --ignore-scripts, or after a change of the sources), and runs the server in this process,
// so that signals reach it. The server is configured by settings (.env.example) instead of options.
import { build } from './lib/build.mjs';
import { parseCommandLine } from './lib/command-line.mjs';
import { BuildError, isFresh } from './lib/dist.mjs';

parseCommandLine(import.meta.url);

let isBuilt = isFresh();
if (!isBuilt) {
  console.error('Building first: dist is missing or older than the sources.');
  try {
    build();
    isBuilt = true;
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
if (isBuilt) {
  process.setSourceMapsEnabled(true);
  await import('../dist/main.js');
}
