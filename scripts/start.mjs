// npm start
//
// Builds dist where that is needed (after npm ci --ignore-scripts, or a change of the sources), and runs the server in this
// very process, so that signals reach it. It is told by settings, not by options: .env.example has them all.
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
