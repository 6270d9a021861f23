import type pg from 'pg';
import type { Statement } from '../platform/store/connections/pool.js';
import { AccountLocked, isLockTimeout, SHARED_LOCK_MS } from './locked-accounts.js';

/*
 * Every statement that changes a balance also writes a ledger entry. A transaction locks its accounts before any other
 * rows and in the order of their IDs, so that two transactions cannot deadlock.
 */

function buildLocationCondition(location: string | undefined, row = ''): string {
  return location ? `${row}ctid = ${location} AND ` : '';
}

/**
 * Builds an SQL condition that limits how long the rest of the transaction waits for row locks. PostgreSQL evaluates the
 * condition before it locks the row. `limit` is an SQL expression for the milliseconds as text, such as `$2::text`.
 */
function buildLockLimit(limit: string | undefined): string {
  return limit ? `set_config('lock_timeout', ${limit}, true) IS NOT NULL AND ` : '';
}

/**
 * Builds a query that locks accounts and returns their `id`, `balance_micros` and `location`. PostgreSQL releases before
 * November 2025 follow concurrent updates, so the returned location can differ from the requested location.
 * @param condition SQL condition on `accounts`.
 * @param options See `buildDebit`.
 */
export function buildAccountLock(
  condition: string,
  { location, limit }: { location?: string; limit?: string } = {},
): string {
  return `SELECT id, balance_micros, ctid AS location FROM accounts WHERE ${buildLocationCondition(location)}${buildLockLimit(limit)}${condition} ORDER BY id FOR NO KEY UPDATE`;
}

const LOCK: Statement = {
  name: 'accounts-lock-within',
  text: buildAccountLock('id = ANY($1::uuid[])', { limit: '$2::text' }),
};

/**
 * Locks accounts in the order of their IDs, and waits at most `lockMs` milliseconds for each account. Lock accounts first in a
 * transaction, because a transaction that waits for an account must hold no other locks.
 * @throws {AccountLocked}
 */
export async function lockAccounts(
  client: pg.PoolClient,
  accountIds: readonly string[],
  lockMs = SHARED_LOCK_MS,
): Promise<void> {
  const values = [accountIds, `${lockMs}`];
  await withinLockTimeout(client, () => client.query({ ...LOCK, values }), accountIds);
}

export async function withinLockTimeout<T>(
  client: pg.PoolClient,
  runStatement: () => Promise<T>,
  accountIds: readonly string[] = [],
): Promise<T> {
  try {
    const result = await runStatement();
    await client.query('SET LOCAL lock_timeout TO DEFAULT');
    return result;
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    const [accountId = null, ...otherIds] = accountIds;
    throw new AccountLocked(error, otherIds.length === 0 ? accountId : null);
  }
}

const FIND_BALANCE: Statement = {
  name: 'accounts-find-balance',
  text: 'SELECT balance_micros FROM accounts WHERE id = $1',
};

export async function findBalance(pool: pg.Pool | pg.PoolClient, accountId: string): Promise<bigint> {
  const { rows } = await pool.query<{ balance_micros: string }>({ ...FIND_BALANCE, values: [accountId] });
  return BigInt(rows[0]?.balance_micros ?? 0);
}

/** `from` is a row source, and every other field except `kind` is an SQL expression over its columns. */
export interface LedgerLines {
  from: string;
  kind: 'charge' | 'refund';
  id: string;
  accountId: string;
  /** Amount in millionths of the currency unit, negative for a charge. */
  amount: string;
  /** Balance after the ledger entry, in millionths of the currency unit. */
  balance: string;
  messageCount: string;
  at: string;
}

export function buildLedgerInsert(lines: LedgerLines): string {
  const { from, kind, id, accountId, amount, balance, messageCount, at } = lines;
  return `
  INSERT INTO ledger_entries (id, account_id, kind, amount_micros, balance_after_micros, message_count, created_at)
  SELECT ${id}, ${accountId}, '${kind}', ${amount}, ${balance}, ${messageCount}, ${at} FROM ${from}`;
}

export interface BalanceMoves {
  kind: 'charge' | 'refund';
  /** Name of a CTE with one row per account: `account_id`, `total` (positive, in millionths) and `message_count`. */
  totals: string;
  /** SQL row source with the columns `account_id` and `id`, where `id` is the ID of the account's new ledger entry. */
  lineIds: string;
  at: string;
  /** As in `buildDebit`. Without a location, the statement finds account rows by ID. */
  location?: string;
}

/** `balance_changed_at` never moves back, although the clocks of processes can differ. */
function buildChangedAt(moment: string): string {
  return `balance_changed_at = greatest(balance_changed_at, ${moment})`;
}

/**
 * Builds CTEs that debit one account if its balance is sufficient. The CTE `debited` returns the account's `id`,
 * `balance_micros` and new `location`, or no row if the balance is too low. The SQL parameters are $1 account ID, $2 charge, $3
 * time, $4 ledger entry ID and $5 number of messages. If `location`, an SQL expression for the row's `ctid`, is outdated, the
 * account is not debited.
 * @param options.limit See `buildLockLimit`.
 */
export function buildDebit({ location, limit }: { location?: string; limit?: string } = {}): string {
  return `debited AS (
  UPDATE accounts SET balance_micros = balance_micros - $2, ${buildChangedAt('$3')}
  WHERE ${buildLocationCondition(location)}${buildLockLimit(limit)}id = $1 AND balance_micros >= $2
  RETURNING id, balance_micros, ctid AS location
), ledger AS (${buildLedgerInsert({
    from: 'debited',
    kind: 'charge',
    id: '$4',
    accountId: 'id',
    amount: '-$2',
    balance: 'balance_micros',
    messageCount: '$5',
    at: '$3',
  })}
)`;
}

/**
 * Builds the CTE `moved_balance`, which changes balances, and the CTE `ledger`, which writes the ledger entries. Lock the
 * accounts first.
 */
export function buildBalanceMoves({ kind, totals, lineIds, at, location }: BalanceMoves): string {
  const sign = kind === 'charge' ? '-' : '+';
  return `moved_balance AS (
  UPDATE accounts SET balance_micros = balance_micros ${sign} ${totals}.total, ${buildChangedAt(at)}
  FROM ${totals} WHERE ${buildLocationCondition(location, 'accounts.')}accounts.id = ${totals}.account_id
  RETURNING accounts.id, accounts.ctid AS location, accounts.balance_micros, ${totals}.total, ${totals}.message_count
), ledger AS (${buildLedgerInsert({
    from: `moved_balance JOIN ${lineIds} AS line(account_id, id) ON line.account_id = moved_balance.id`,
    kind,
    id: 'line.id',
    accountId: 'moved_balance.id',
    amount: `${sign} moved_balance.total`,
    balance: 'moved_balance.balance_micros',
    messageCount: 'moved_balance.message_count',
    at,
  })}
)`;
}
