import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

/** Harmless uses of `__dirname` and `__filename` in packages, whose values differ in the bundle. */
const KNOWN = [
  /** ioredis uses `__dirname` only with the option `showFriendlyErrorStack`, which we do not set. */
  'optimizeErrorStack)(err, this.errorStack.stack, __dirname)',
  /** BullMQ uses `__filename` only for processors in separate files, which we do not use. */
  'path$1.dirname(module.filename || __filename)',
  /** Without its own file name, undici's `fetch` leaves stack traces unchanged. */
  'typeof __filename !== "undefined" ? __filename : void 0',
  /** Prisma's generated client loads its runtime from a folder other than `__dirname`. */
  'globalThis["__dirname"] = ',
];

it('no package in the bundle of the server opens files next to its own', () => {
  const folder = join(PROJECT_FOLDER, 'dist', 'bundled');
  const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
  expect(files.length).toBeGreaterThan(5);
  const uses = files.flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => /\b__(dirname|filename)\b/.test(line) && !/^(\*|\/\/)/.test(line)),
  );
  // A package that needs its own folder belongs in EXTERNAL_PACKAGES in scripts/lib/bundle-server.mjs.
  expect(uses.filter((line) => !KNOWN.some((known) => line.includes(known)))).toEqual([]);
});
