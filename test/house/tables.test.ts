import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { compareTables, findWriters, readTables, writeTables } from '../../scripts/lib/table-owners.mjs';
import { findWrites, readSchema } from '../../scripts/lib/table-writers.mjs';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

const PLACEHOLDER = ['$', '{table}'].join('');

const schema = await readSchema(join(PROJECT_FOLDER, 'prisma/schema.prisma'));

async function writesOf(source: string) {
  const { created, changed, unresolved } = await findWrites(source, schema);
  return { created: [...created], changed: [...changed], unresolved };
}

describe('docs/tables.md', () => {
  let result: Awaited<ReturnType<typeof findWriters>>;
  beforeAll(async () => {
    result = await findWriters();
  });

  it('names the folders that write each table', async () => {
    const { writers, unresolved } = result;
    expect(unresolved).toEqual([]);
    expect(compareTables(readTables(await readFile(join(PROJECT_FOLDER, 'docs/tables.md'), 'utf8')), writers)).toEqual(
      [],
    );
    expect(writers.size).toBeGreaterThan(50);
  });

  it('names only folders of messages/ for the messages, and one folder that creates events', () => {
    const { writers } = result;
    const { created = [], changed = [] } = writers.get('messages') ?? {};
    expect([...created, ...changed].filter((folder) => !folder.startsWith('messages/'))).toEqual([]);
    expect(writers.get('webhook_deliveries')?.created).toEqual(['messages/events']);
  });

  const page = '| --- | --- | --- | --- |\n| `rates` | `accounts` | – | – |\n';

  it.each([
    ['a folder', { created: ['accounts', 'features/credits'], changed: [] }, 'created also by src/features/credits'],
    ['a kind of write', { created: ['accounts'], changed: ['accounts'] }, 'changed also by src/accounts'],
    [
      'the removal of a folder that no longer writes',
      { created: [], changed: [] },
      'created no longer by src/accounts',
    ],
  ])('fails the check if it lacks %s', (_what, found, problem) => {
    expect(compareTables(readTables(page), new Map([['rates', found]])).join()).toContain(problem);
  });

  it('fails the check if it lacks a table, names one that does not exist, or gives no reason for two writers', () => {
    const one = { created: ['accounts'], changed: [] };
    expect(
      compareTables(
        readTables(page),
        new Map([
          ['rates', one],
          ['routes', { created: [], changed: [] }],
        ]),
      ),
    ).toEqual(['docs/tables.md has no line for routes']);
    expect(compareTables(readTables(page), new Map())).toEqual(['docs/tables.md lists rates, which does not exist']);
    const two = new Map([['rates', { created: ['accounts'], changed: ['features/credits'] }]]);
    const written = writeTables(page, two);
    expect(compareTables(readTables(written), two)).toMatchObject([expect.stringContaining('must give the reason')]);
    expect(compareTables(readTables(written.replace('– |\n', 'a reason |\n')), two)).toEqual([]);
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
  ])('finds the tables of %s', async (_what, source, created, changed) => {
    expect(await writesOf(source)).toEqual({ created, changed, unresolved: [] });
  });

  it.each([`\`DELETE FROM ${PLACEHOLDER} t\``, "'INSERT INTO ' + table", `\`UPDATE ${PLACEHOLDER} SET x = 1\``])(
    'reports %s as unresolved, because its table is inserted',
    async (text) => {
      expect(await writesOf(`const a = (table) => ${text}`)).toMatchObject({
        created: [],
        changed: [],
        unresolved: [expect.any(String)],
      });
    },
  );
});
