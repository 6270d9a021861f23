import { testRule } from '../support/lint-rule.js';

testRule('src/change-and-line.grit', {
  subject: 'an audit log entry outside the transaction of its change',
  scope: 'all of src/ except the file that makes changes',
  refused: [
    'await makeChange(prisma, by, async () => ({ result: null, audit }));',
    'await makeChange(prisma, by, async () => { return { result: null, audit }; });',
    'makeChange(prisma, { actor, accountId: null }, () => made);',
    'await withChange(context, async () => undefined, () => line);',
    'await withChange(context, () => done, describe);',
  ],
  allowed: [
    'await makeChange(prisma, by, async (change) => await work(change));',
    'await makeChange(prisma, by, async ({ client }) => ({ result: await made(client), audit }));',
    'await makeChange(prisma, by, work);',
    'await withChange(context, (prisma) => perform(prisma, value), () => line);',
    'await withChange(context, async (prisma, client) => undefined, describe);',
  ],
  files: ['**/src/**', '!**/console/**', '!**/test/**', '!**/accounts/audit/change.ts'],
});
