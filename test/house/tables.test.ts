import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { agree, findWriters, readTables, writeTables } from '../../scripts/lib/table-owners.mjs';
import { findWrites, readSchema } from '../../scripts/lib/table-writers.mjs';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

/** The placeholder in a template. */
const PLACEHOLDER = ['$', '{table}'].join('');

const schema = await readSchema(join(PROJECT_FOLDER, 'prisma/schema.prisma'));

async function findSourceWrites(source: string) {
  const { made, changed, unread } = await findWrites(source, schema);
  return { made: [...made], changed: [...changed], unread };
}

describe('docs/tables.md', () => {
  let result: Awaited<ReturnType<typeof findWriters>>;
  beforeAll(async () => {
    result = await findWriters();
  });

  it('names the folders that write each table', async () => {
    const { writers, unread } = result;
    expect(unread).toEqual([]);
    expect(agree(readTables(await readFile(join(PROJECT_FOLDER, 'docs/tables.md'), 'utf8')), writers)).toEqual([]);
    expect(writers.size).toBeGreaterThan(50);
  });

  it('names only folders of messages/ for the messages, and one folder that creates events', () => {
    const { writers } = result;
    const { made = [], changed = [] } = writers.get('messages') ?? {};
    expect([...made, ...changed].filter((folder) => !folder.startsWith('messages/'))).toEqual([]);
    expect(writers.get('webhook_deliveries')?.made).toEqual(['messages/events']);
  });

  const page = '| --- | --- | --- | --- |\n| `rates` | `accounts` | – | – |\n';

  it.each([
    ['a folder', { made: ['accounts', 'features/credits'], changed: [] }, 'created also by src/features/credits'],
    ['a kind of write', { made: ['accounts'], changed: ['accounts'] }, 'changed also by src/accounts'],
    ['the removal of a folder that no longer writes', { made: [], changed: [] }, 'created no longer by src/accounts'],
  ])('fails the check if it lacks %s', (_what, writes, problem) => {
    expect(agree(readTables(page), new Map([['rates', writes]])).join()).toContain(problem);
  });

  it('fails the check if it lacks a table, names one that does not exist, or gives no reason for two writers', () => {
    const ratesWriters = { made: ['accounts'], changed: [] };
    expect(
      agree(
        readTables(page),
        new Map([
          ['rates', ratesWriters],
          ['routes', { made: [], changed: [] }],
        ]),
      ),
    ).toEqual(['docs/tables.md has no line for routes']);
    expect(agree(readTables(page), new Map())).toEqual(['docs/tables.md lists rates, which does not exist']);
    const twoWriters = new Map([['rates', { made: ['accounts'], changed: ['features/credits'] }]]);
    const written = writeTables(page, twoWriters);
    expect(agree(readTables(written), twoWriters)).toMatchObject([expect.stringContaining('must give the reason')]);
    expect(agree(readTables(written.replace('– |\n', 'a reason |\n')), twoWriters)).toEqual([]);
  });
});

describe('findWrites', () => {
  it.each([
    ['an INSERT', "const a = 'INSERT INTO messages (id) VALUES ($1)'", ['messages'], []],
    [
      'an INSERT that updates on conflict',
      'const a = `INSERT INTO opt_outs DEFAULT VALUES ON CONFLICT DO UPDATE SET x = 1`',
      ['opt_outs'],
      [],
    ],
    ['an UPDATE of an alias', 'const a = `UPDATE ONLY "messages" m SET x = 1`', [], ['messages']],
    ['an UPDATE with a schema, in lower case', "const a = 'update public.messages set x = 1'", [], ['messages']],
    [
      'a part of a statement',
      `const a = (table) => \`deleted AS (DELETE FROM rates r USING ${PLACEHOLDER} WHERE true)\``,
      [],
      ['rates'],
    ],
    [
      'several statements',
      'const a = `WITH x AS (INSERT INTO rates SELECT 1) DELETE FROM routes`',
      ['rates'],
      ['routes'],
    ],
    [
      'MERGE, TRUNCATE and COPY',
      "const a = ['MERGE INTO rates', 'TRUNCATE TABLE routes', 'COPY carriers FROM STDIN']",
      ['rates', 'carriers'],
      ['routes'],
    ],
    [
      'statements that only read and lock',
      'const a = `SELECT FROM rates FOR UPDATE OF messages`; const b = `SELECT 1 FOR NO KEY UPDATE`; const c = `COPY rates TO STDOUT`',
      [],
      [],
    ],
    [
      'a comment and a string of SQL',
      "const a = `SELECT 1 -- DELETE FROM rates\n WHERE x = 'DELETE FROM routes'`",
      [],
      [],
    ],
    ['sentences', "const a = `can't update it`; const b = 'update'; const c = 'Delete from here'", [], []],
    [
      "Prisma's client",
      'await tx.contactGroup.createMany({}); this.#options.prisma.optOut.deleteMany({})',
      ['contact_groups'],
      ['opt_outs'],
    ],
    ['a model in a variable', 'const { optOut } = tx; optOut.deleteMany({})', [], ['opt_outs']],
    ['an upsert', 'prisma.rate.upsert({ create: {}, update: {} })', ['rates'], ['rates']],
    ['nested rows', 'prisma.rateCard.create({ data: { rates: { create: rows } } })', ['rate_cards', 'rates'], []],
    [
      'nested rows in a variable',
      'const grants = { create: rows }; prisma.operator.create({ data: { grants } })',
      ['operators', 'operator_grants'],
      [],
    ],
    ["a read by Prisma's client", 'prisma.rate.findMany({ where: {} }); map.message.delete; rows.create({})', [], []],
  ])('finds the tables of %s', async (_what, source, made, changed) => {
    expect(await findSourceWrites(source)).toEqual({ made, changed, unread: [] });
  });

  it.each([`\`DELETE FROM ${PLACEHOLDER} t\``, "'INSERT INTO ' + table", `\`UPDATE ${PLACEHOLDER} SET x = 1\``])(
    'reports %s as unread, because its table is inserted',
    async (text) => {
      expect(await findSourceWrites(`const a = (table) => ${text}`)).toMatchObject({
        made: [],
        changed: [],
        unread: [expect.any(String)],
      });
    },
  );
});
