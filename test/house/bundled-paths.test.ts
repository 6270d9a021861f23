import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

/** Uses of a package's own folder, which is another one in the bundle. */
const KNOWN = [
  /** ioredis shortens stack traces with `showFriendlyErrorStack`, which we do not set. */
  'optimizeErrorStack)(err, this.errorStack.stack, __dirname)',
  /** For BullMQ's processors in separate files, which we do not use. */
  'path$1.dirname(module.filename || __filename)',
  /** Without its own file name, undici's `fetch` leaves stack traces unchanged. */
  'typeof __filename !== "undefined" ? __filename : void 0',
  /** Prisma's generated client, which loads its runtime from another folder. */
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
  // Add a new use to LEFT in scripts/lib/bundle-server.mjs, unless it cannot matter.
  expect(uses.filter((line) => !KNOWN.some((knownUse) => line.includes(knownUse)))).toEqual([]);
});
