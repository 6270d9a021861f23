import { testRule } from '../support/lint-rule.js';

testRule('console/one-api-client.grit', {
  subject: 'requests to the server that bypass its contract',
  scope: 'the whole console, except the file that makes requests and the playground, which makes arbitrary ones',
  refused: [
    "import { request } from './request.js';",
    "import { ApiError, request as ask } from '../../api/client/request.js';",
    "const a = await fetch('/admin/v1/session');",
    "const b = await fetch('/admin/v1/session', { method: 'DELETE' });",
    "const c = await window.fetch('/admin/v1/session');",
  ],
  allowed: [
    "import { call } from './call.js';",
    "import { ApiError, problemOf } from '../../api/client/request.js';",
    "const d = await call('GET /session');",
    'const e = refetch();',
  ],
  files: ['**/console/src/**', '!**/api/client/call.ts', '!**/api/client/request.ts', '!**/pages/playground/**'],
});
