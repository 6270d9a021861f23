import { expect, it } from 'vitest';
import { filesOf, refusedBy } from '../support/lint-rule.js';

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
  expect(refusedBy(RULE, [...REFUSED, ...ALLOWED])).toEqual(REFUSED);
});

it('is a rule of the whole console, but for the one file that asks, and the playground, which asks what it is told', () => {
  expect(filesOf(RULE)).toEqual([
    '**/console/src/**',
    '!**/api/call.ts',
    '!**/api/request.ts',
    '!**/pages/playground/**',
  ]);
});
