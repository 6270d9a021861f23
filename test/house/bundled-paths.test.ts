import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

/** What packages in the bundle do with the folder of their own files, which the bundle is not. */
const KNOWN = [
  /** ioredis shortens stack traces where `showFriendlyErrorStack` is set, as it is nowhere. */
  'optimizeErrorStack)(err, this.errorStack.stack, __dirname)',
  /** BullMQ's processors in a file of their own, of which there is none. */
  'path$1.dirname(module.filename || __filename)',
  /** undici's `fetch` leaves a stack trace as it is where it does not know its own file. */
  'typeof __filename !== "undefined" ? __filename : void 0',
  /** Prisma's generated client, before its run time is loaded from where it lies. */
  'globalThis["__dirname"] = ',
];

it('no package in the bundle of the server looks for files beside its own', () => {
  const folder = join(PROJECT_FOLDER, 'dist', 'bundled');
  const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
  expect(files.length).toBeGreaterThan(5);
  const uses = files.flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => /\b__(dirname|filename)\b/.test(line) && !/^(\*|\/\/)/.test(line)),
  );
  // A new one belongs into LEFT of scripts/lib/bundle-server.mjs, unless it cannot matter.
  expect(uses.filter((line) => !KNOWN.some((known) => line.includes(known)))).toEqual([]);
});
