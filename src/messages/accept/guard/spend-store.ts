import type pg from 'pg';
import type { Statement } from '../../../platform/store/connections/pool.js';
import type { SpendAmount, SpendKey } from './limits.js';

/** Value of `key_id` in counters that belong to a whole account rather than to an API key. */
export const NO_KEY = '00000000-0000-0000-0000-000000000000';

const KEYS = 'unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])';

const READ_AMOUNTS: Statement = {
  name: 'spend-read',
  text: `SELECT k.no::int, c.messages::text, c.micros::text
         FROM ${KEYS} WITH ORDINALITY AS k(account_id, key_id, scope, subject, span, ends_at, no)
         JOIN spend_counts c USING (account_id, scope, subject, span, ends_at, key_id)`,
};

/** The caller must have locked the accounts. */
export async function readSpendAmounts(
  client: pg.PoolClient,
  keys: readonly SpendKey[],
): Promise<(SpendAmount | null)[]> {
  const spent: (SpendAmount | null)[] = keys.map(() => null);
  if (keys.length === 0) return spent;
  const { rows } = await client.query<{ no: number; messages: string; micros: string }>({
    ...READ_AMOUNTS,
    values: toColumns(keys),
  });
  for (const { no, messages, micros } of rows) {
    spent[no - 1] = { messages: BigInt(messages), micros: BigInt(micros) };
  }
  return spent;
}

const ADD_AMOUNTS: Statement = {
  name: 'spend-add',
  text: `INSERT INTO spend_counts AS c (account_id, key_id, scope, subject, span, ends_at, messages, micros)
         SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::bigint[], $8::bigint[])
         ON CONFLICT (account_id, scope, subject, span, ends_at, key_id)
         DO UPDATE SET messages = c.messages + excluded.messages, micros = c.micros + excluded.micros`,
};

/** Must be called in the transaction that accepts the messages. */
export async function recordSpend(
  client: pg.PoolClient,
  added: readonly { key: SpendKey; spent: SpendAmount }[],
): Promise<void> {
  if (added.length === 0) return;
  await client.query({
    ...ADD_AMOUNTS,
    values: [
      ...toColumns(added.map(({ key }) => key)),
      added.map(({ spent }) => spent.messages.toString()),
      added.map(({ spent }) => spent.micros.toString()),
    ],
  });
}

function toColumns(keys: readonly SpendKey[]): unknown[] {
  return [
    keys.map(({ accountId }) => accountId),
    keys.map(({ keyId }) => keyId ?? NO_KEY),
    keys.map(({ scope }) => scope),
    keys.map(({ subject }) => subject),
    keys.map(({ span }) => span),
    keys.map(({ endsAt }) => endsAt.toISOString()),
  ];
}
