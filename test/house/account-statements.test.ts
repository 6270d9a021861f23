import { expect, it } from 'vitest';
import { allStatements, statementsOf, tablesOfAccounts } from '../../scripts/lib/account-statements.mjs';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

const SCHEMA = `
model Thing {
  id        String @id
  accountId String
  @@map("things")
}

model Other {
  id String @id
}
`;

it('finds statements on tables of accounts that name no account', async () => {
  const tables = tablesOfAccounts(SCHEMA);
  expect(tables).toEqual(['things']);
  const source = `
    const one = 'SELECT * FROM things WHERE id = $1';
    const two = \`UPDATE "things" t SET a = \${value} WHERE t.account_id = $1\`;
    const three = 'SELECT * FROM other';
    const four = 'things from elsewhere';`;
  const found = await statementsOf(source, new Set(tables));
  expect(found.map(({ tables: asked, hasAccount }) => [asked, hasAccount])).toEqual([
    [['things'], false],
    [['things'], true],
  ]);
});

it('reads all of src/, where some name it and some do not', async () => {
  const all = await allStatements(PROJECT_FOLDER);
  const ofAccepting = all.filter(({ path }) => path === 'src/messages/accept/accept-store.ts');
  expect(ofAccepting.some(({ hasAccount, tables }) => hasAccount && tables.includes('messages'))).toBe(true);
  expect(all.some(({ path, hasAccount }) => path === 'src/messages/queue/relay-store.ts' && !hasAccount)).toBe(true);
});
