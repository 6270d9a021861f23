import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

const RULE = 'src/surfaces/no-spread-of-requests.grit';

const REFUSED = [
  'const x = { id, ...request.body };',
  'const x = { id, ...body };',
  'const x = { ...params, id };',
  'const x = { id, ...request.query };',
  'const x = { id, ...(request.body as object) };',
  'const x = { id, ...(body ?? {}) };',
  'const x = { ...request };',
  'const x = Object.assign({ id }, request.body);',
  'const { name, ...rest } = request.body;',
  'const handler = async ({ body: { name, ...rest } }) => rest;',
];

const ALLOWED = [
  'const { name, role } = request.body;',
  'const x = { id, name: request.body.name };',
  'const x = { id, ...(request.query.name !== undefined && { name: request.query.name }) };',
  'const x = { ...cursorPage(request.query), id };',
  'const ids = [...request.body.contactIds];',
];

it('refuses what mixes a request with what the server knows, and nothing else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-rule-'));
  try {
    const config = { root: true, plugins: [join(PROJECT_FOLDER, RULE)], linter: { rules: { preset: 'none' } } };
    writeFileSync(join(folder, 'biome.json'), JSON.stringify(config));
    writeFileSync(join(folder, 'handlers.ts'), [...REFUSED, ...ALLOWED].map((line) => `${line}\n`).join(''));
    const biome = join(PROJECT_FOLDER, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
    const { stdout } = spawnSync(process.execPath, [biome, 'lint', '--reporter=json', '--max-diagnostics=none', '.'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { location: { start: { line: number } } }[] };
    const lines = diagnostics.map(({ location }) => location.start.line).sort((a, b) => a - b);
    expect(lines).toEqual(REFUSED.map((_, index) => index + 1));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('is a rule of every surface', () => {
  const { plugins } = JSON.parse(readFileSync(join(PROJECT_FOLDER, 'biome.json'), 'utf8'));
  expect(plugins).toContainEqual({ path: `./${RULE}`, includes: ['**/src/surfaces/**'] });
});
