// npm run bench:contacts [-- --contacts 1000000 --others 400000 --seconds 5 --clients 1,4]
//
// Measures how long it takes to search a million contacts of one channel in a table that also contains other channels'
// contacts. How long a search takes depends on how many contacts match, and on their positions in the list. Each contact has 20
// field values and some tags. The last rows count the contacts of audiences, as the editor of an audience does.
import pg from 'pg';
import { previewCondition } from '../dist/features/audiences/preview.js';
import { listContacts } from '../dist/features/contacts/search/list.js';
import { readOptions } from './lib/options.mjs';
import { startStore } from './lib/store.mjs';

const options = readOptions(
  import.meta.url,
  { contacts: '1000000', others: '400000', seconds: '5', clients: '1,4' },
  { contacts: '6000', others: '2000', seconds: '0.1', clients: '1' },
);
const contacts = Number(options.contacts);
const otherContacts = Number(options.others);

const SYLLABLES = [
  ...['an', 'ber', 'car', 'da', 'el', 'fi', 'ga', 'hu', 'in', 'jo', 'ka', 'lo', 'mar', 'ni', 'ol', 'pe', 'qui', 'ro'],
  ...['sa', 'tom', 'ul', 'vi', 'wa', 'xa', 'ya', 'zo', 'sch', 'mid', 'son', 'ova', 'der', 'lin', 'tha', 'ger', 'bri'],
];

const TERMS = {
  'no contact': ['qqqzzz', 'nobody@nowhere', '99999999999'],
  'one contact, by number': ['{phone}'],
  'a full name': ['{name}'],
  "a number's first seven digits, about a thousand contacts": ['{prefix}'],
  'Cyrillic, one in a thousand': ['ирина'],
  'three letters of a name': ['mar', 'son', 'tom', 'wax', 'qui'],
  'a third of all contacts': ['gmail.com'],
  'all contacts': ['491'],
  'the middle third only': ['@example'],
  'the oldest third only': ['@berlin'],
  'the newest third only': ['@wien.ex'],
  'two characters': ['ma', 'zz'],
  'a tag of one contact in a thousand': [{ tags: ['rare'] }],
  'a tag of every tenth contact': [{ tags: ['vip'] }],
  'a tag of the oldest third only': [{ tags: ['old'] }],
  'a tag of nobody': [{ tags: ['unused'] }],
  'a value of half of all contacts': [{ fields: { f1: 1 } }],
  'a value of one contact in a thousand': [{ fields: { f20: 17 } }],
  'two values and a tag': [{ tags: ['vip'], fields: { f1: 1, f3: 2 } }],
  'a tag and three letters of a name': [{ tags: ['vip'], term: 'mar' }],
  'no search, page 1': [''],
  'no search, page 100': [''],
};

const test = (field, operator, value) => ({ field, operator, value });

const AUDIENCES = {
  'a tag of every tenth contact': test('tags', 'has', 'vip'),
  'a number above 500, half of all contacts': test('fields.f20', 'moreThan', 500),
  'a number below 3, one in 300': test('fields.f20', 'lessThan', 3),
  'part of a name': test('name', 'contains', 'mar'),
  'Germany, all contacts': test('country', 'is', 'DE'),
  'not opted out': test('optedOut', 'is', false),
  'a tag and a value': { all: [test('tags', 'has', 'rare'), test('fields.f1', 'is', 1)] },
  nobody: { all: [test('tags', 'has', 'rare'), test('fields.f20', 'is', 17)] },
  'two levels of and, or and not': {
    all: [
      { any: [test('tags', 'has', 'vip'), test('fields.f3', 'is', 2)] },
      { not: { all: [test('email', 'contains', 'gmail'), test('fields.f5', 'moreThan', 2)] } },
      test('country', 'is', 'DE'),
      test('optedOut', 'is', false),
    ],
  },
};

async function insertContacts(client, channelId, rows, seed) {
  await client.query(
    `INSERT INTO contacts (id, account_id, channel_id, phone, name, email, tags, fields)
     SELECT (lpad(to_hex(1760000000000 + g / 3), 12, '0') || '7' || lpad(to_hex(g % 4096), 3, '0') || 'a' || substr(md5(g || $1::text), 1, 15))::uuid,
       (SELECT account_id FROM channels WHERE id = $1::uuid), $1::uuid,
       '491' || lpad(((g * 7919 + $4) % 1000000007)::text, 10, '0'), f.n || ' ' || l.n,
       CASE WHEN g % 3 = 0 THEN lower(f.n) || g % 100 || '@gmail.com'
            WHEN g < $2 / 3 THEN lower(f.n) || '@berlin.example'
            WHEN g > $2 * 2 / 3 THEN lower(f.n) || '@wien.example'
            ELSE lower(f.n) || '@example.com' END,
       nullif(array_remove(ARRAY[CASE WHEN g < $2 / 3 THEN 'old' END, CASE WHEN g % 1000 = 500 THEN 'rare' END,
         CASE WHEN g % 10 = 0 THEN 'vip' END], NULL), '{}'),
       (SELECT jsonb_object_agg('f' || k, CASE WHEN k = 20 THEN g % 1000 ELSE g % (k + 1) END) FROM generate_series(1, 20) k)
     FROM generate_series(1, $2::bigint) g
     JOIN bench_names f ON f.no = (hashint8(g + $4) & 2147483647) % 1000
     JOIN bench_names l ON l.no = (hashint8(g + $4 + 5) & 2147483647) % 20000
     ORDER BY g`.replaceAll('$4', '$3'),
    [channelId, rows, seed],
  );
  await client.query('UPDATE channels SET contact_count = $2 WHERE id = $1', [channelId, rows]);
}

async function prepare(client) {
  await client.query(
    `CREATE TABLE bench_names AS SELECT no, initcap(string_agg(
         ($1::text[])[1 + (hashint4(no * 31 + k * 7919) & 2147483647) % array_length($1::text[], 1)], '')) AS n
       FROM generate_series(0, 19999) no, generate_series(1, 2 + no % 2) k GROUP BY no`,
    [SYLLABLES],
  );
  await client.query(`UPDATE bench_names SET n = 'Ирина' WHERE no = 7`);
  const { rows } = await client.query(
    `INSERT INTO channels (id, account_id, kind, name, phone_number, carrier)
     SELECT new_id(), a.id, 'whatsapp', 'Channel ' || i, (49000000000 + i)::text, 'simulator'
     FROM (SELECT id FROM accounts LIMIT 1) a, generate_series(1, 5) i RETURNING id, account_id AS "accountId"`,
  );
  await client.query(
    `INSERT INTO contact_fields (id, account_id, key, label, type)
     SELECT new_id(), $1, 'f' || k, 'Field ' || k, 'number' FROM generate_series(1, 20) k`,
    [rows[0].accountId],
  );
  const [mainChannel, ...otherChannels] = rows.map((row) => row.id);
  await client.query('SET synchronous_commit = off');
  for (const [no, id] of otherChannels.slice(0, 2).entries())
    await insertContacts(client, id, Math.round(otherContacts / 4), no);
  await insertContacts(client, mainChannel, contacts, 77);
  for (const [no, id] of otherChannels.slice(2).entries())
    await insertContacts(client, id, Math.round(otherContacts / 4), no + 9);
  await client.query('VACUUM ANALYZE contacts');
  return { accountId: rows[0].accountId, channelId: mainChannel };
}

/** Replaces placeholders such as `{phone}` in search terms with the data of 200 contacts from the middle of the list. */
async function fillTerms(pool, channelId) {
  const { rows } = await pool.query(
    'SELECT phone, name FROM contacts WHERE channel_id = $1 ORDER BY id OFFSET $2 LIMIT 200',
    [channelId, Math.floor(contacts / 2)],
  );
  const expand = (term) =>
    typeof term === 'string' && term.includes('{')
      ? rows.map((row) => ({ '{phone}': row.phone, '{prefix}': row.phone.slice(0, 7), '{name}': row.name })[term])
      : [term];
  return Object.entries(TERMS).map(([search, terms]) => [search, terms.flatMap(expand)]);
}

/** A term is a text, or an object with tags and fields. */
function toFilter(channelId, term) {
  return { channelId, ...(typeof term === 'string' ? { term: term || undefined } : term) };
}

const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

/** @param calls functions that are called in turn; each returns a total */
async function measure(calls, clients) {
  const times = [];
  let count = 0;
  let totals = '';
  for (const call of calls) {
    const total = await call();
    if (calls.length <= 5) totals += ` ${total}`;
  }
  const end = performance.now() + Number(options.seconds) * 1000;
  const callRepeatedly = async () => {
    while (performance.now() < end) {
      const start = performance.now();
      await calls[count++ % calls.length]();
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: clients }, callRepeatedly));
  times.sort((a, b) => a - b);
  return { quantiles: [0.5, 0.95, 0.99].map((share) => quantile(times, share)), totals: totals.trim() };
}

async function printRows(title, rows, counts) {
  console.log(`\n| ${title} | total |${counts.map((n) => ` p50, p95, p99 ms (${n} at once) |`).join('')}`);
  console.log(`|---|---:|${counts.map(() => '---:|').join('')}`);
  for (const [name, calls] of rows) {
    const results = [];
    for (const clients of counts) results.push(await measure(calls, clients));
    const cells = results.map(({ quantiles }) => quantiles.map((time) => time.toFixed(1)).join(', '));
    console.log(`| ${name} | ${results[0].totals} | ${cells.join(' | ')} |`);
  }
}

const formatTotal = (total, isEstimate) => `${isEstimate ? '≈' : ''}${total}`;

function toSearches(pool, channelId, searches) {
  return searches.map(([name, terms]) => {
    const page = { limit: 50, offset: name.endsWith('page 100') ? 4950 : 0 };
    const search = async (term) => {
      const { total, estimated } = await listContacts({ pool }, toFilter(channelId, term), page);
      return formatTotal(total, estimated);
    };
    return [name, terms.map((term) => () => search(term))];
  });
}

function toPreviews(pool, scope) {
  return Object.entries(AUDIENCES).map(([name, condition]) => {
    const preview = async () => {
      const { count, isEstimate } = await previewCondition({ pool }, scope, condition, new Date());
      return formatTotal(count, isEstimate);
    };
    return [name, [preview]];
  });
}

const store = await startStore();
try {
  const connectionString = await store.create('contacts');
  const pool = new pg.Pool({ connectionString, max: 10 });
  // The pool's `error` events are ignored, because a failed query reports the error.
  pool.on('error', () => undefined);
  const client = await pool.connect();
  client.on('error', () => undefined);
  const { accountId, channelId } = await prepare(client);
  client.release();
  const size = await pool.query(
    `SELECT relname, pg_size_pretty(pg_relation_size(oid)) AS size FROM pg_class WHERE relname ~ '^contacts' ORDER BY 1`,
  );
  console.log(size.rows.map((row) => `${row.relname} ${row.size}`).join(', '));
  const counts = options.clients.split(',').map(Number);
  await printRows('search', toSearches(pool, channelId, await fillTerms(pool, channelId)), counts);
  await printRows('audience', toPreviews(pool, { accountId, channelId }), counts);
  await pool.end();
} finally {
  await store.close();
}
