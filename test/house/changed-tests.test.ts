import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { selectTests } from '../../scripts/lib/changed-tests.mjs';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

const sources = new Map<string, string>(
  readdirSync(join(PROJECT_FOLDER, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => [`test/${path}`, readFileSync(join(PROJECT_FOLDER, 'test', path), 'utf8')] as const),
);

it.each(
  Object.entries({
    'a test': ['test/surfaces/a/v2-list.http.test.ts', 'test/surfaces/a/v2-list.http.test.ts'],
    'a file that a test imports': ['src/carriers/sms/segments.ts', 'test/carriers/sms/segments.unit.test.ts'],
    'a file that no test imports': ['src/surfaces/a/endpoints/v2.ts', 'test/surfaces/a/v2-send.http.test.ts'],
    'a helper of tests': ['test/console/support/walk.ts', 'test/console/across/walk-odd.browser.test.ts'],
    'a page': ['console/src/pages/campaigns/campaigns.tsx', 'test/console/campaigns.browser.test.ts'],
    'a component of every page': ['console/src/ui/basics/button.tsx', 'test/console/navigation.browser.test.ts'],
    'a migration': ['prisma/migrations/20260101000000_one/migration.sql', 'test/house/migrations.test.ts'],
    'a page of the documentation': ['docs/develop/store.md', 'test/house/documents.test.ts'],
  }),
)('a change of %s selects its related tests', (_what, [changed = '', expected]) => {
  const { chosen } = selectTests([changed], sources);
  expect(chosen).toContain(expected);
  expect(chosen.every((path) => sources.has(path))).toBe(true);
});

it('every file of src/ has related tests', () => {
  const paths = readdirSync(join(PROJECT_FOLDER, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && path.includes('/') && !path.includes('generated'))
    .map((path) => `src/${path}`);
  expect(paths.length).toBeGreaterThan(500);
  const unseen = paths.filter((path) => selectTests([path], sources).chosen.length === 0);
  expect(unseen).toEqual([]);
});
