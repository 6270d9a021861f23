/*
 * Another session may hold an account's row for any time, and only that account may wait for it. So every use of such a lock
 * is listed here with the reason why it delays no other account (docs/architecture.md, "Locks").
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from '@swc/core';
import { expect, it } from 'vitest';
import { textOf, tokensOf, visit } from '../../scripts/lib/table-writers.mjs';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

const OWN_LIMIT = 'waits at most SHARED_LOCK_MS or one turn';
const CHANGE = 'waits at most SHARED_LOCK_MS; `makeChange` repeats it in the turns of the account';
const TURNS = 'runs in `inAccountTransaction`, in the turns of the account';
const LOCKED = 'its callers have locked the account';
const SKIPS = 'SKIP LOCKED waits for nothing';
const OTHER_TABLE = 'locks rows of another table and only reads accounts';

/** By file and top-level name. */
const LIST: Record<string, string> = {
  'src/accounts/account-transaction.ts inAccountTransaction': OWN_LIMIT,
  'src/accounts/account-settings.ts setDefaultCountry': LOCKED,
  'src/accounts/account-settings.ts setLowBalanceThreshold': LOCKED,
  'src/accounts/account-settings.ts setRateCard': LOCKED,
  'src/accounts/account-settings.ts setSenderIds': LOCKED,
  'src/accounts/account-settings.ts setAccountActive': LOCKED,
  'src/accounts/accounts.ts bookCredit': LOCKED,
  'src/accounts/accounts.ts lockRow': CHANGE,
  'src/accounts/locked-accounts.ts FIND_FREE': SKIPS,
  'src/accounts/ledger-store.ts LOCK': OWN_LIMIT,
  'src/accounts/ledger-store.ts buildAccountLock': OWN_LIMIT,
  'src/accounts/ledger-store.ts buildDebit': OWN_LIMIT,
  'src/accounts/ledger-store.ts buildBalanceMoves': LOCKED,
  'src/cli/commands/accounts/account-settings.ts addAccountSettingCommands': CHANGE,
  'src/features/automations/run-store.ts CLAIM': OTHER_TABLE,
  'src/features/campaigns/campaign-store.ts TAKE_TURN': OTHER_TABLE,
  'src/features/campaigns/cancel-store.ts CANCEL_MESSAGES': LOCKED,
  'src/features/credits/credit-once.ts creditOnce': CHANGE,
  'src/features/demo/seed.ts seedAccount': 'nobody else can see the new account',
  'src/features/erasure/pending-work-store.ts CANCEL': LOCKED,
  'src/features/low-balance/watch-store.ts UPDATE_CROSSINGS': SKIPS,
  'src/features/spending/guards.ts changeGuard': CHANGE,
  'src/features/spending/guards.ts setGuard': LOCKED,
  'src/features/cancel-waiting/cancel-store.ts CANCEL_MESSAGES': LOCKED,
  'src/features/cancel-waiting/cancel.ts cancelWaitingStep': CHANGE,
  'src/features/webhooks/callbacks/endpoint-store.ts KEEP_SECRET': LOCKED,
  'src/features/webhooks/callbacks/endpoint-store.ts ROTATE': LOCKED,
  'src/features/webhooks/callbacks/endpoints.ts CallbackEndpoints.findOrCreate': TURNS,
  'src/features/webhooks/callbacks/endpoints.ts CallbackEndpoints.rotateSecret': TURNS,
  'src/features/webhooks/delivery/delivery-store.ts CLAIM': OTHER_TABLE,
  'src/messages/accept/accept-large-store.ts DEBIT_AND_RECORD': OWN_LIMIT,
  'src/messages/accept/accept-large-store.ts commitLarge': OWN_LIMIT,
  'src/messages/accept/accept-plain-store.ts buildCommitPlain': OWN_LIMIT,
  'src/messages/accept/accept-store.ts buildCommitBatch': OWN_LIMIT,
  'src/messages/accept/accept-store.ts findCommitted': OWN_LIMIT,
  'src/messages/accept/guard/commit-guarded.ts commitGuarded': OWN_LIMIT,
  'src/messages/accept/guard/hold-store.ts recordHold': 'waits at most SHARED_LOCK_MS, and is left to a later look',
  'src/messages/accept/accept-within.ts acceptWithin': OWN_LIMIT,
  'src/messages/cancel/cancel-store.ts CANCEL_ONE': LOCKED,
  'src/messages/cancel/cancel-store.ts cancelQueuedSql': LOCKED,
  'src/messages/status/end-store.ts END_AND_REFUND': LOCKED,
  'src/messages/status/end-store.ts LOCK_OWNERS': OWN_LIMIT,
  'src/messages/status/refund-sql.ts refundMessages': LOCKED,
  'src/surfaces/admin/endpoints/account-settings/settings.ts accountSettingsEndpoints': CHANGE,
};

/** Functions that lock an account or change its row. Each call is checked separately. */
const LOCKING = new Set([
  'lockAccounts',
  'buildAccountLock',
  'buildDebit',
  'buildBalanceMoves',
  'refundMessages',
  'cancelQueuedSql',
  'lockAccount',
  'creditAccount',
  'correctCredit',
  'setAccountActive',
  'setLowBalanceThreshold',
  'setSenderIds',
  'setDefaultCountry',
  'setRateCard',
  'setGuard',
  'insertEndpoint',
  'rotateCallbackSecret',
]);
const PRISMA_WRITES = /^(update|upsert|delete)/;
const STRENGTHS = /^(UPDATE|NO|SHARE|KEY)$/;

/** Parts of statements are checked separately. */
async function locksAccounts(text: string): Promise<boolean> {
  if (!/\baccounts\b/i.test(text)) return false;
  const tokens = (await tokensOf(text)).map((token: string) => token.replaceAll('"', ''));
  const words = tokens.map((token: string) => token.toUpperCase());
  const names = new Set(['ACCOUNTS']);
  let isRead = false;
  for (const [at, word] of words.entries()) {
    if (word !== 'ACCOUNTS') continue;
    const before = words[at - 1] === 'ONLY' ? words[at - 2] : words[at - 1];
    if (before === 'UPDATE' || (before === 'FROM' && words[at - 2] === 'DELETE')) return true;
    if (before === 'FROM' || before === 'JOIN' || before === ',') isRead = true;
    names.add(words[at + 1] === 'AS' ? (words[at + 2] ?? '') : (words[at + 1] ?? ''));
  }
  if (!isRead) return false;
  return words.some((word: string, at: number) => {
    if (word !== 'FOR' || !STRENGTHS.test(words[at + 1] ?? '')) return false;
    const end = words.findIndex((each: string, place: number) => place > at && /^(UPDATE|SHARE)$/.test(each));
    return words[end + 1] !== 'OF' || names.has(words[end + 2] ?? '');
  });
}

interface Node {
  type?: string;
  [field: string]: unknown;
}

function* declarationsOf(body: readonly Node[]): Generator<[string, Node]> {
  for (const item of body) {
    const declared = (item.type === 'ExportDeclaration' ? item.declaration : item) as Node;
    if (declared.type === 'ImportDeclaration') continue;
    const name = (declared.identifier as Node | undefined)?.value as string | undefined;
    if (declared.type === 'ClassDeclaration') {
      for (const member of declared.body as Node[]) {
        const key = (member.key ?? {}) as { value?: unknown; id?: { value?: unknown } };
        yield [`${name}.${key.value ?? key.id?.value ?? member.type}`, member];
      }
    } else if (declared.type === 'VariableDeclaration') {
      for (const each of declared.declarations as Node[]) yield [(each.id as Node).value as string, each];
    } else yield [name ?? '', declared];
  }
}

/** The callee of `f(…)` or `….account.update(…)`. */
function callOf({ type, callee }: Node): { name: string; model: unknown } | null {
  if (type !== 'CallExpression') return null;
  const { type: kind, value, object, property } = callee as Record<string, Node> & { type: string; value: string };
  if (kind === 'Identifier') return { name: value, model: null };
  if (kind !== 'MemberExpression') return null;
  const of = object as Node;
  return { name: property?.value as string, model: of.value ?? (of.property as Node | undefined)?.value };
}

async function findPlaces(path: string): Promise<{ places: string[]; called: Set<string> }> {
  const source = readFileSync(join(PROJECT_FOLDER, path), 'utf8');
  const { body } = await parse(source, { syntax: 'typescript', target: 'es2022' });
  const places = new Set<string>();
  const called = new Set<string>();
  for (const [name, declared] of declarationsOf(body as unknown as Node[])) {
    const place = `${path} ${name}`;
    const texts: string[] = [];
    visit(declared, (node: Node) => {
      const text = textOf(node as Parameters<typeof textOf>[0]);
      if (text !== null) texts.push(text);
      const call = callOf(node);
      if (call && LOCKING.has(call.name) && call.model === null) {
        called.add(call.name);
        places.add(place);
      }
      if (call?.model === 'account' && PRISMA_WRITES.test(call.name)) places.add(place);
    });
    for (const text of texts) if (await locksAccounts(text)) places.add(place);
  }
  return { places: [...places], called };
}

it('recognizes statements that lock rows of accounts', async () => {
  const locking = [
    'UPDATE accounts SET a = 1',
    'DELETE FROM accounts WHERE id = $1',
    'WITH gone AS (UPDATE ONLY "accounts" a SET b = 1) SELECT',
    'SELECT id FROM accounts WHERE id = $1 ORDER BY id FOR NO KEY UPDATE',
    'SELECT FROM messages m JOIN accounts AS a ON a.id = m.account_id FOR UPDATE OF a',
    'SELECT FROM messages m JOIN accounts a ON a.id = m.account_id FOR SHARE SKIP LOCKED',
  ];
  const others = [
    'SELECT FROM accounts',
    'INSERT INTO accounts (id) VALUES ($1)',
    'SELECT FROM fallbacks f LEFT JOIN accounts a ON true FOR UPDATE OF f SKIP LOCKED',
    'SELECT FROM messages FOR UPDATE',
    'locks accounts for an update',
  ];
  for (const text of locking) expect(await locksAccounts(text), text).toBe(true);
  for (const text of others) expect(await locksAccounts(text), text).toBe(false);
});

it('the list contains every statement that locks rows of accounts, with the reason why no other account waits', async () => {
  const paths = readdirSync(join(PROJECT_FOLDER, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.includes('generated'))
    .map((path) => `src/${path.replaceAll('\\', '/')}`);
  const found = await Promise.all(paths.sort().map(findPlaces));
  expect(found.flatMap(({ places }) => places).sort()).toEqual(Object.keys(LIST).sort());
  // Detects a renamed function, which would no longer be found.
  expect([...new Set(found.flatMap(({ called }) => [...called]))].sort()).toEqual([...LOCKING].sort());
});
