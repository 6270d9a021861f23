import type pg from 'pg';
import type { Statement } from '../platform/store/connections/pool.js';
import { AccountLocked, isLockTimeout, SHARED_LOCK_MS } from './held-accounts.js';

/*
 * How balances move. Every change of a balance writes a line of the ledger in the same statement, and a transaction locks
 * its accounts before all else and in the order of their ids, so that no two wait for each other. Most functions here
 * give parts of the one-statement transactions of other stores.
 */

/** The condition on a place, where there is one. */
function atPlace(place: string | undefined, row = ''): string {
  return place ? `${row}ctid = ${place} AND ` : '';
}

/**
 * The condition by which a statement limits its wait for a row until its transaction ends. PostgreSQL evaluates it before it
 * locks the row, and reads the limit when it begins to wait.
 * @param limit milliseconds as text, as SQL; null is the limit of the session
 */
function lockWithin(limit: string | undefined): string {
  return limit ? `set_config('lock_timeout', ${limit}, true) IS NOT NULL AND ` : '';
}

/**
 * The part of a statement that locks accounts against every other change of their balance.
 * @param which condition on `accounts`
 * @param place where the row of the one account is looked for alone, as in `debitOne`
 * @param limit as in `lockWithin`
 * @returns a SELECT of `id`, `balance_micros` and `place`, where the row lies that is locked: another one than was asked for, where
 * releases of PostgreSQL before November 2025 waited for a change of it
 */
export function accountLock(which: string, { place, limit }: { place?: string; limit?: string } = {}): string {
  return `SELECT id, balance_micros, ctid AS place FROM accounts WHERE ${atPlace(place)}${lockWithin(limit)}${which} ORDER BY id FOR NO KEY UPDATE`;
}

const LOCK: Statement = {
  name: 'accounts-lock-within',
  text: accountLock('id = ANY($1::uuid[])', { limit: '$2::text' }),
};

/**
 * Locks accounts until the end of the transaction, in the order of their ids. Call it before anything else is locked: an
 * acceptance locks its account first, so nobody waits for another lock of this transaction while it waits for the account.
 * @param lockMs how long to wait for each row, in milliseconds
 * @throws {AccountLocked} after which the transaction can only be rolled back
 */
export async function lockAccounts(
  client: pg.PoolClient,
  accountIds: readonly string[],
  lockMs = SHARED_LOCK_MS,
): Promise<void> {
  const values = [accountIds, `${lockMs}`];
  await withinLockTimeout(client, () => client.query({ ...LOCK, values }), accountIds);
}

/**
 * Runs a statement that has limited its wait for accounts. What the transaction locks after it waits as long as ever.
 * @param accountIds the accounts that it locks, if they are known
 * @throws {AccountLocked}
 */
export async function withinLockTimeout<T>(
  client: pg.PoolClient,
  locking: () => Promise<T>,
  accountIds: readonly string[] = [],
): Promise<T> {
  try {
    const result = await locking();
    await client.query('SET LOCAL lock_timeout TO DEFAULT');
    return result;
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    const [accountId = null, ...others] = accountIds;
    throw new AccountLocked(error, others.length === 0 ? accountId : null);
  }
}

const FIND_BALANCE: Statement = {
  name: 'accounts-find-balance',
  text: 'SELECT balance_micros FROM accounts WHERE id = $1',
};

/** The balance of an account of this moment, in millionths of its currency unit. */
export async function findBalance(pool: pg.Pool, accountId: string): Promise<bigint> {
  const { rows } = await pool.query<{ balance_micros: string }>({ ...FIND_BALANCE, values: [accountId] });
  return BigInt(rows[0]?.balance_micros ?? 0);
}

/** Lines of the ledger as SQL: but for `kind`, every field is an expression over the row source `from`. */
export interface LedgerLines {
  from: string;
  kind: 'charge' | 'refund';
  /** Id of the line. */
  id: string;
  accountId: string;
  /** Millionths of the account's currency unit, negative for a charge. */
  amount: string;
  /** The balance after it, in millionths. */
  balance: string;
  /** How many messages it is for. */
  messageCount: string;
  at: string;
}

/** The part of a statement that writes lines of the ledger for messages. A credit has its own, in `creditAccount`. */
export function insertLedgerLines(lines: LedgerLines): string {
  const { from, kind, id, accountId, amount, balance, messageCount, at } = lines;
  return `
  INSERT INTO ledger_entries (id, account_id, kind, amount_micros, balance_after_micros, message_count, created_at)
  SELECT ${id}, ${accountId}, '${kind}', ${amount}, ${balance}, ${messageCount}, ${at} FROM ${from}`;
}

/** Charges or refunds of several accounts as SQL. */
export interface BalanceMoves {
  kind: 'charge' | 'refund';
  /** A common table expression with a row an account: `account_id`, `total` (millionths, above 0), `message_count`. */
  totals: string;
  /** The row source that gives each account the id of its line: `account_id`, `id`. */
  lineIds: string;
  at: string;
  /** Where the row of the one account is looked for alone, as in `debitOne`; by the ids unless told. */
  place?: string;
}

/** The part of an UPDATE of accounts that says when: clocks of processes differ, and the time never goes back. */
function changedAt(moment: string): string {
  return `balance_changed_at = greatest(balance_changed_at, ${moment})`;
}

/**
 * Common table expressions that debit one account, if it can pay, and write the ledger: `debited`, with its `id`,
 * `balance_micros` and `place`, where the row lies from now on, or nothing, and `ledger`. $1 account, $2 charge, $3 moment,
 * $4 id of the ledger line, $5 number of messages.
 * @param place where the row is looked for alone, as SQL: a `ctid`, from which it may have moved (see `AccountPlaces`)
 * @param limit as in `lockWithin`
 */
export function debitOne({ place, limit }: { place?: string; limit?: string } = {}): string {
  return `debited AS (
  UPDATE accounts SET balance_micros = balance_micros - $2, ${changedAt('$3')}
  WHERE ${atPlace(place)}${lockWithin(limit)}id = $1 AND balance_micros >= $2
  RETURNING id, balance_micros, ctid AS place
), ledger AS (${insertLedgerLines({
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
 * Common table expressions that move balances and write the ledger: `moved_balance`, with the `id` of every account
 * whose balance changed and the `place` where its row lies from now on, and `ledger`. The accounts are to be locked before.
 */
export function moveBalances({ kind, totals, lineIds, at, place }: BalanceMoves): string {
  const sign = kind === 'charge' ? '-' : '+';
  return `moved_balance AS (
  UPDATE accounts SET balance_micros = balance_micros ${sign} ${totals}.total, ${changedAt(at)}
  FROM ${totals} WHERE ${atPlace(place, 'accounts.')}accounts.id = ${totals}.account_id
  RETURNING accounts.id, accounts.ctid AS place, accounts.balance_micros, ${totals}.total, ${totals}.message_count
), ledger AS (${insertLedgerLines({
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
