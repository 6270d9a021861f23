const BATCH = 200_000;

const TABLES = `relkind = 'r' AND relname ~ '^messages(_before|_later|_[0-9]{4}_[0-9]{2})?$'`;

/** Inserts the messages numbered $4 to $5 out of $2, with times spread evenly from $1 to $3 (in milliseconds). */
const FILL = `
INSERT INTO messages (id, account_id, created_at, valid_until, price_micros, surface, kind, status, priority, parts,
  carrier, sender, recipient, body, sending_at, sent_at, delivered_at, attempts)
SELECT (lpad(to_hex(ms), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid,
  CASE WHEN n % 2 = 0 THEN $6::uuid ELSE $7::uuid END, at, at, 10000, 'a', 'sms', 'delivered', 0, 1, 'simulator', 'Acme',
  '1415' || lpad((hashint8(n) & 2147483647)::bigint % $8::bigint || '', 8, '0'), 'Hi', at, at, at, 1
FROM generate_series($4::bigint, $5::bigint) AS n,
  LATERAL (SELECT $1::bigint + (n * ($3::bigint - $1::bigint)) / $2::bigint AS ms) AS moment,
  LATERAL (SELECT to_timestamp(ms / 1000.0) AS at) AS time`;

/**
 * Fills a database with small delivered messages, and prints their total size and the duration on standard error. The messages
 * are spread evenly over the time from `from` to `until` (in milliseconds), over both accounts, and over `numbers` recipients.
 * @param {import('pg').Client} client
 * @param {{ name: string, rows: number, from: number, until: number, accounts: [string, string], numbers: number }} data
 */
export async function fillMessages(client, { name, rows, from, until, accounts, numbers }) {
  await client.query('SET synchronous_commit = off');
  // Table pages are filled completely, because the updates of real messages would also use up the free space in the pages.
  const tables = await client.query(`SELECT oid::regclass::text AS name FROM pg_class WHERE ${TABLES}`);
  for (const table of tables.rows) await client.query(`ALTER TABLE ${table.name} SET (fillfactor = 100)`);
  const start = performance.now();
  for (let first = 1; first <= rows; first += BATCH) {
    await client.query(FILL, [from, rows, until, first, Math.min(first + BATCH - 1, rows), ...accounts, numbers]);
  }
  for (const table of tables.rows) await client.query(`ALTER TABLE ${table.name} SET (fillfactor = 50)`);
  await client.query('VACUUM (ANALYZE) messages');
  const sizes = await client.query(`SELECT sum(pg_total_relation_size(oid)) / 1e9 AS gb FROM pg_class WHERE ${TABLES}`);
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  console.error(`${name}: ${rows} messages in ${seconds} s, ${Number(sizes.rows[0].gb).toFixed(1)} GB`);
}
