// npm start
//
// Builds dist if needed (after npm ci --ignore-scripts, or after a change of the sources), and runs the server in this process, so
// that signals reach it. It has settings instead of options: see .env.example.
import { build } from './lib/build.mjs';
import { commandLine } from './lib/command-line.mjs';
import { BuildError, isFresh } from './lib/dist.mjs';

commandLine(import.meta.url);

let ready = isFresh();
if (!ready) {
  console.error('Building first: dist is missing or older than the sources.');
  try {
    build();
    ready = true;
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
if (ready) {
  process.setSourceMapsEnabled(true);
  await import('../dist/main.js');
}
