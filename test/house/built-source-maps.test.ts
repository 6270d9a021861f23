import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

const dist = join(PROJECT_FOLDER, 'dist');

it('a stack trace of the built server names source files', () => {
  const maps = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js.map'));
  expect(maps.length).toBeGreaterThan(100);
  const missing = maps.flatMap((name) => {
    const { sources } = JSON.parse(readFileSync(join(dist, name), 'utf8')) as { sources: string[] };
    return sources.filter((source) => !existsSync(resolve(dist, dirname(name), source)));
  });
  expect(missing).toEqual([]);
});
