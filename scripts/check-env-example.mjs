// node scripts/check-env-example.mjs [--write] [FILE]
//
// Checks that .env.example, or FILE, matches the settings and defaults in src/process/settings/settings.ts. The script reads
// the settings from dist, which must be built. --write rewrites the file.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { settings } from '../dist/process/settings/settings.js';
import { parseCommandLine } from './lib/command-line.mjs';

const HEADING = `Heliograph's settings with their defaults. Copy this file to .env in the working directory and remove the # from lines
that you change. Environment variables override the file. If settings are invalid, the server does not start and lists
all of them.`;

function renderEnvExample() {
  const blocks = Object.entries(settings.properties).map(([name, { description, enum: choices, default: value }]) => {
    const allowed = choices ? ` One of: ${choices.join(', ')}.` : '';
    return `${toComment(wrap(description + allowed))}\n#${name}=${value ?? ''}\n`;
  });
  return `${toComment(HEADING)}\n\n${blocks.join('\n')}`;
}

function toComment(text) {
  return text.replace(/^/gm, '# ');
}

function wrap(text) {
  return text.replace(/(.{1,116})(?:\s+|$)/g, '$1\n').trimEnd();
}

const {
  values: { write },
  args: [path = fileURLToPath(new URL('../.env.example', import.meta.url))],
} = parseCommandLine(import.meta.url, { options: { write: { type: 'boolean' } }, maxArguments: 1 });
if (write) {
  writeFileSync(path, renderEnvExample());
} else if (readFileSync(path, 'utf8') !== renderEnvExample()) {
  console.error(
    `${path} does not match src/process/settings/settings.ts. Run \`npm run check:env -- --write\` and review the change.`,
  );
  process.exitCode = 1;
}
