import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

const RULE = 'console/one-way-to-ask.grit';

const REFUSED = [
  "import { request } from './request.js';",
  "import { ApiError, request as ask } from '../../api/request.js';",
  "const a = await fetch('/admin/v1/session');",
  "const b = await fetch('/admin/v1/session', { method: 'DELETE' });",
  "const c = await window.fetch('/admin/v1/session');",
];

const ALLOWED = [
  "import { call } from './call.js';",
  "import { ApiError, problemOf } from '../../api/request.js';",
  "const d = await call('GET /session');",
  'const e = refetch();',
];

it('refuses what asks the server past its contract, and nothing else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-rule-'));
  try {
    const config = { root: true, plugins: [join(PROJECT_FOLDER, RULE)], linter: { rules: { preset: 'none' } } };
    writeFileSync(join(folder, 'biome.json'), JSON.stringify(config));
    writeFileSync(join(folder, 'page.ts'), [...REFUSED, ...ALLOWED].map((line) => `${line}\n`).join(''));
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

it('is a rule of the whole console, but for the one file that asks, and the playground, which asks what it is told', () => {
  const { plugins } = JSON.parse(readFileSync(join(PROJECT_FOLDER, 'biome.json'), 'utf8'));
  expect(plugins).toContainEqual({
    path: `./${RULE}`,
    includes: ['**/console/src/**', '!**/api/call.ts', '!**/api/request.ts', '!**/pages/playground/**'],
  });
});
