// npm run bench:indexes [-- --base 1000000 --rows 100000 --rounds 3]
//
// Measures how much time and write-ahead log each index of the messages table costs per row. The insert and the three updates
// of a message (sending, sent, delivered) also run on a table with only the primary key, for comparison. docs/develop/store.md
// contains the figures and conclusions.
import pg from 'pg';
import { readOptions } from './lib/options.mjs';
import { median } from './lib/report.mjs';
import { startStore } from './lib/store.mjs';

const options = readOptions(
  import.meta.url,
  { base: '1000000', rows: '100000', rounds: '3' },
  { base: '1000', rows: '500', rounds: '1' },
);
const base = Number(options.base);
const rows = Number(options.rows);
const INSERT_BATCH = 500;
const UPDATE_BATCH = 100;

/** @type {Record<string, { ids?: 'random', indexes: (existing: { primary: string[], further: string[] }) => string[] }>} */
const VARIANTS = {
  'no index': { indexes: () => [] },
  'primary key on UUIDv7': { indexes: ({ primary }) => primary },
  'the indexes of the schema': { indexes: ({ primary, further }) => [...primary, ...further] },
  '… and (account_id, id)': {
    indexes: ({ primary, further }) => [...primary, ...further, 'CREATE INDEX ON messages (account_id, id)'],
  },
  '… and (status, created_at)': {
    indexes: ({ primary, further }) => [...primary, ...further, 'CREATE INDEX ON messages (status, created_at)'],
  },
  '… and (recipient)': {
    indexes: ({ primary, further }) => [...primary, ...further, 'CREATE INDEX ON messages (recipient)'],
  },
  'the indexes of the schema, ids UUIDv4': {
    ids: 'random',
    indexes: ({ primary, further }) => [...primary, ...further],
  },
};

const COLUMNS = `id, account_id, created_at, valid_until, next_look, price_micros, surface, kind, status, priority,
  parts, carrier, sender, recipient, body`;

/** Returns SQL that inserts messages as the server does, with IDs from the table `bench_ids`. */
const toInsertSql = (from, to) => `
  INSERT INTO messages (${COLUMNS})
  SELECT i.id, i.account_id, now(), now() + interval '2 days', now() + interval '30 seconds', 10000, 'a', 'sms',
    'queued', 0, 1, 'simulator', 'Heliograph', i.recipient, 'Your code is 123456. It is valid for ten minutes.'
  FROM bench_ids i WHERE i.n BETWEEN ${from} AND ${to} ORDER BY i.n`;

// Claiming a message does not change `next_look`, so the update creates no new index entry if the table page has room.
const STEPS = [
  `status = 'sending', sending_at = now(), attempts = attempts + 1, lease_until = now() + interval '30 seconds'`,
  `status = 'sent', sent_at = now(), carrier_message_id = 'sim-' || m.id, lease_until = NULL,
   next_look = now() + interval '10 seconds'`,
  `status = 'delivered', delivered_at = now(), next_look = NULL`,
];
const toUpdateSql = (step, from, to) => `
  UPDATE messages m SET ${step} FROM bench_ids i WHERE i.n BETWEEN ${from} AND ${to} AND m.id = i.id`;

async function measure(client, statements) {
  const readWalPosition = async () =>
    BigInt((await client.query('SELECT pg_current_wal_insert_lsn() - $1 AS b', ['0/0'])).rows[0].b);
  await client.query('CHECKPOINT');
  const [walBefore, start] = [await readWalPosition(), performance.now()];
  for (const statement of statements) await client.query(statement);
  const microseconds = (performance.now() - start) * 1000;
  return { microseconds: microseconds / rows, bytes: Number((await readWalPosition()) - walBefore) / rows };
}

async function readIndexes(client) {
  const { rows: indexes } = await client.query(
    `SELECT i.indexdef, x.indisprimary FROM pg_indexes i JOIN pg_index x ON x.indexrelid = i.indexname::regclass
     WHERE i.tablename = 'messages'`,
  );
  const select = (primary) =>
    indexes.filter(({ indisprimary }) => indisprimary === primary).map(({ indexdef }) => indexdef);
  return { primary: select(true), further: select(false) };
}

async function dropIndexes(client) {
  const { rows: indexes } = await client.query(
    `SELECT x.indexrelid::regclass::text AS name, x.indisprimary FROM pg_index x WHERE x.indrelid = 'messages'::regclass`,
  );
  for (const { name, indisprimary } of indexes) {
    await client.query(indisprimary ? `ALTER TABLE messages DROP CONSTRAINT ${name}` : `DROP INDEX ${name}`);
  }
}

async function measureVariant(store, name, round) {
  const { ids, indexes } = VARIANTS[name];
  const database = `bench_indexes_${round}`;
  const client = new pg.Client({ connectionString: await store.create(database) });
  await client.connect();
  try {
    const existing = await readIndexes(client);
    await dropIndexes(client);
    await client.query(`CREATE TABLE bench_ids AS
      SELECT n, ${ids === 'random' ? 'gen_random_uuid()' : 'uuidv7()'} AS id,
        ('00000000-0000-7000-8000-' || lpad((n % 1000)::text, 12, '0'))::uuid AS account_id,
        '1415' || lpad((random() * 9999999)::int::text, 7, '0') AS recipient
      FROM generate_series(1, ${base + rows}) AS n`);
    await client.query('ALTER TABLE bench_ids ADD PRIMARY KEY (n)');
    await client.query(toInsertSql(1, base));
    await client.query('UPDATE messages SET next_look = NULL, status = $1', ['delivered']);
    for (const definition of indexes(existing)) await client.query(definition);
    await client.query('VACUUM ANALYZE messages, bench_ids');
    const batches = (size) =>
      Array.from({ length: rows / size }, (_, k) => [base + 1 + k * size, base + (k + 1) * size]);
    const insert = await measure(
      client,
      batches(INSERT_BATCH).map(([from, to]) => toInsertSql(from, to)),
    );
    if (indexes(existing).length === 0) return { name, insert, updates: null };
    await client.query('ANALYZE messages');
    const updates = await measure(
      client,
      STEPS.flatMap((step) => batches(UPDATE_BATCH).map(([from, to]) => toUpdateSql(step, from, to))),
    );
    return { name, insert, updates };
  } finally {
    await client.end();
    await store.drop(database);
  }
}

const store = await startStore();
const results = [];
try {
  for (let round = 1; round <= Number(options.rounds); round += 1) {
    for (const name of Object.keys(VARIANTS)) results.push(await measureVariant(store, name, round));
  }
} finally {
  await store.close();
}

const summary = Object.keys(VARIANTS).map((name) => {
  const rounds = results.filter((result) => result.name === name);
  const medianFor = (part, unit) => (rounds[0][part] ? median(rounds.map((round) => round[part][unit])) : Number.NaN);
  return {
    name,
    figures: ['insert', 'updates'].map((part) => [medianFor(part, 'microseconds'), medianFor(part, 'bytes')]),
  };
});
const primaryKeyFigures = summary[1].figures;
const formatCell = (value, reference) =>
  Number.isNaN(value) ? '–' : `${value.toFixed(value < 100 ? 1 : 0)} (${(value / reference).toFixed(2)})`;

console.log(
  `\n${rows} rows added to ${base}, median of ${options.rounds} rounds; in parentheses the ratio to only the primary key\n`,
);
console.log('| indexes | insert, µs | insert, bytes of log | three updates, µs | three updates, bytes of log |');
console.log('|---|---:|---:|---:|---:|');
for (const { name, figures } of summary) {
  const cells = figures.flatMap((pair, part) =>
    pair.map((value, unit) => formatCell(value, primaryKeyFigures[part][unit])),
  );
  console.log(`| ${name} | ${cells.join(' | ')} |`);
}
