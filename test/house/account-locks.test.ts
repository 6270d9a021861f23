/*
 * Another session may lock an account's row indefinitely, and no other account may be delayed by the lock. LOCK_USES lists
 * every lock of an account's row, with the reason why no other account is delayed (docs/architecture.md, "Locks").
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from '@swc/core';
import { expect, it } from 'vitest';
import { readText, tokenize, visit } from '../../scripts/lib/table-writers.mjs';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

const OWN_LIMIT = 'waits at most SHARED_LOCK_MS or one turn';
const CHANGE = 'waits at most SHARED_LOCK_MS; `makeChange` repeats it in the turns of the account';
const TURNS = 'runs in `inAccountTransaction`, in the turns of the account';
const LOCKED = 'its callers have locked the account';
const SKIPS = 'SKIP LOCKED waits for nothing';
const OTHER_TABLE = 'locks rows of another table and only reads accounts';

/** Reasons why a lock is safe, by file and top-level declaration. */
const LOCK_USES: Record<string, string> = {
  'src/accounts/account-transaction.ts inAccountTransaction': OWN_LIMIT,
  'src/accounts/account-settings.ts setDefaultCountry': LOCKED,
  'src/accounts/account-settings.ts setLowBalanceThreshold': LOCKED,
  'src/accounts/account-settings.ts setRateCard': LOCKED,
  'src/accounts/account-settings.ts setSenderIds': LOCKED,
  'src/accounts/account-settings.ts setAccountActive': LOCKED,
  'src/accounts/account-settings.ts setStopScope': LOCKED,
  'src/accounts/frequency-cap.ts setFrequencyCap': LOCKED,
  'src/messages/quiet-hours/settings.ts setQuietHours': LOCKED,
  'src/accounts/accounts.ts bookCredit': LOCKED,
  'src/accounts/accounts.ts lockRow': CHANGE,
  'src/accounts/locked-accounts.ts FIND_FREE': SKIPS,
  'src/accounts/ledger-store.ts LOCK': OWN_LIMIT,
  'src/accounts/ledger-store.ts buildAccountLock': OWN_LIMIT,
  'src/accounts/ledger-store.ts buildDebit': OWN_LIMIT,
  'src/accounts/ledger-store.ts buildBalanceMoves': LOCKED,
  'src/cli/commands/accounts/account-settings.ts addAccountSettingCommands': CHANGE,
  'src/cli/commands/people/keyword-replies.ts addAccountReplyCommand': CHANGE,
  'src/features/automations/run-store.ts CLAIM': OTHER_TABLE,
  'src/features/campaigns/campaign-store.ts TAKE_TURN': OTHER_TABLE,
  'src/features/campaigns/cancel-store.ts CANCEL_MESSAGES': LOCKED,
  'src/features/campaigns/message/opt-out-line.ts setOptOutLine': LOCKED,
  'src/features/credits/credit-once.ts creditOnce': CHANGE,
  'src/features/demo/seed.ts seedAccount': 'nobody else can see the new account',
  'src/features/erasure/pending-work-store.ts CANCEL': LOCKED,
  'src/features/keyword-replies/change-settings.ts changeAccountReplies': LOCKED,
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
  'src/messages/accept/guard/hold-store.ts recordHold': 'waits at most SHARED_LOCK_MS, and a later check tries again',
  'src/messages/accept/accept-within.ts acceptWithin': OWN_LIMIT,
  'src/messages/cancel/cancel-store.ts CANCEL_ONE': LOCKED,
  'src/messages/cancel/cancel-store.ts cancelQueuedSql': LOCKED,
  'src/messages/status/end-store.ts END_AND_REFUND': LOCKED,
  'src/messages/status/end-store.ts LOCK_OWNERS': OWN_LIMIT,
  'src/messages/status/refund-sql.ts refundMessages': LOCKED,
  'src/surfaces/admin/endpoints/account-settings/links.ts linkSettingsEndpoints': CHANGE,
  'src/surfaces/admin/endpoints/account-settings/settings.ts accountSettingsEndpoints': CHANGE,
  'src/surfaces/admin/endpoints/people/keyword-replies.ts keywordReplyEndpoints': CHANGE,
};

/** Functions that lock an account or change its row, so that LOCK_USES must contain their callers. */
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
  'setStopScope',
  'setRateCard',
  'setGuard',
  'insertEndpoint',
  'rotateCallbackSecret',
]);
const PRISMA_WRITES = /^(update|upsert|delete)/;
const STRENGTHS = /^(UPDATE|NO|SHARE|KEY)$/;

/** Returns whether an SQL string locks rows of accounts, even if the string is only a part of a statement. */
async function locksAccounts(text: string): Promise<boolean> {
  if (!/\baccounts\b/i.test(text)) return false;
  const tokens = (await tokenize(text)).map((token: string) => token.replaceAll('"', ''));
  const words = tokens.map((token: string) => token.toUpperCase());
  const names = new Set(['ACCOUNTS']);
  let isRead = false;
  for (const [index, word] of words.entries()) {
    if (word !== 'ACCOUNTS') continue;
    const previousWord = words[index - 1] === 'ONLY' ? words[index - 2] : words[index - 1];
    if (previousWord === 'UPDATE' || (previousWord === 'FROM' && words[index - 2] === 'DELETE')) return true;
    if (previousWord === 'FROM' || previousWord === 'JOIN' || previousWord === ',') isRead = true;
    names.add(words[index + 1] === 'AS' ? (words[index + 2] ?? '') : (words[index + 1] ?? ''));
  }
  if (!isRead) return false;
  return words.some((word: string, index: number) => {
    if (word !== 'FOR' || !STRENGTHS.test(words[index + 1] ?? '')) return false;
    const end = words.findIndex(
      (candidate: string, position: number) => position > index && /^(UPDATE|SHARE)$/.test(candidate),
    );
    return words[end + 1] !== 'OF' || names.has(words[end + 2] ?? '');
  });
}

interface Node {
  type?: string;
  [field: string]: unknown;
}

function* listDeclarations(body: readonly Node[]): Generator<[string, Node]> {
  for (const item of body) {
    const declaration = (item.type === 'ExportDeclaration' ? item.declaration : item) as Node;
    if (declaration.type === 'ImportDeclaration') continue;
    const name = (declaration.identifier as Node | undefined)?.value as string | undefined;
    if (declaration.type === 'ClassDeclaration') {
      for (const member of declaration.body as Node[]) {
        const key = (member.key ?? {}) as { value?: unknown; id?: { value?: unknown } };
        yield [`${name}.${key.value ?? key.id?.value ?? member.type}`, member];
      }
    } else if (declaration.type === 'VariableDeclaration') {
      for (const declarator of declaration.declarations as Node[])
        yield [(declarator.id as Node).value as string, declarator];
    } else yield [name ?? '', declaration];
  }
}

/** Finds the callee of `f(…)` or `….account.update(…)`. */
function readCall({ type, callee }: Node): { name: string; model: unknown } | null {
  if (type !== 'CallExpression') return null;
  const { type: kind, value, object, property } = callee as Record<string, Node> & { type: string; value: string };
  if (kind === 'Identifier') return { name: value, model: null };
  if (kind !== 'MemberExpression') return null;
  const receiver = object as Node;
  return { name: property?.value as string, model: receiver.value ?? (receiver.property as Node | undefined)?.value };
}

async function findLockUses(path: string): Promise<{ uses: string[]; calledFunctions: Set<string> }> {
  const source = readFileSync(join(PROJECT_FOLDER, path), 'utf8');
  const { body } = await parse(source, { syntax: 'typescript', target: 'es2022' });
  const uses = new Set<string>();
  const calledFunctions = new Set<string>();
  for (const [name, declaration] of listDeclarations(body as unknown as Node[])) {
    const use = `${path} ${name}`;
    const texts: string[] = [];
    visit(declaration, (node: Node) => {
      const text = readText(node as Parameters<typeof readText>[0]);
      if (text !== null) texts.push(text);
      const call = readCall(node);
      if (call && LOCKING.has(call.name) && call.model === null) {
        calledFunctions.add(call.name);
        uses.add(use);
      }
      if (call?.model === 'account' && PRISMA_WRITES.test(call.name)) uses.add(use);
    });
    for (const text of texts) if (await locksAccounts(text)) uses.add(use);
  }
  return { uses: [...uses], calledFunctions };
}

it('recognizes statements that lock rows of accounts', async () => {
  const lockingStatements = [
    'UPDATE accounts SET a = 1',
    'DELETE FROM accounts WHERE id = $1',
    'WITH gone AS (UPDATE ONLY "accounts" a SET b = 1) SELECT',
    'SELECT id FROM accounts WHERE id = $1 ORDER BY id FOR NO KEY UPDATE',
    'SELECT FROM messages m JOIN accounts AS a ON a.id = m.account_id FOR UPDATE OF a',
    'SELECT FROM messages m JOIN accounts a ON a.id = m.account_id FOR SHARE SKIP LOCKED',
  ];
  const otherStatements = [
    'SELECT FROM accounts',
    'INSERT INTO accounts (id) VALUES ($1)',
    'SELECT FROM fallbacks f LEFT JOIN accounts a ON true FOR UPDATE OF f SKIP LOCKED',
    'SELECT FROM messages FOR UPDATE',
    'locks accounts for an update',
  ];
  for (const text of lockingStatements) expect(await locksAccounts(text), text).toBe(true);
  for (const text of otherStatements) expect(await locksAccounts(text), text).toBe(false);
});

it('the list contains every statement that locks rows of accounts, with the reason why no other account waits', async () => {
  const paths = readdirSync(join(PROJECT_FOLDER, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.includes('generated'))
    .map((path) => `src/${path.replaceAll('\\', '/')}`);
  const results = await Promise.all(paths.sort().map(findLockUses));
  expect(results.flatMap(({ uses }) => uses).sort()).toEqual(Object.keys(LOCK_USES).sort());
  // If a function in LOCKING has been renamed, its calls are not found and the comparison fails.
  expect([...new Set(results.flatMap(({ calledFunctions }) => [...calledFunctions]))].sort()).toEqual(
    [...LOCKING].sort(),
  );
});
