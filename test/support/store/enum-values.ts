import { randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';

interface Column {
  name: string;
  /** PostgreSQL's name of the type, which ends in `[]` for arrays. */
  type: string;
  isRequired: boolean;
  target: string | null;
  /** Values of the column's enum, or of the enum in its array, or null for other types. */
  values: string[] | null;
}

/** Values for columns with a constraint that no random text meets. */
const SAMPLE_BY_NAME: Readonly<Record<string, string>> = { currency: 'EUR', calling_code: '1' };

/** Values that a constraint refuses. */
const REFUSED: Readonly<Record<string, string>> = { consents: 'verification' };

/** References without a foreign key, which must be valid because a restore deletes rows whose message is missing. */
const TARGET_BY_NAME: Readonly<Record<string, string>> = { message_id: 'messages' };

/**
 * Inserts one row for each value of each enum column. Columns and values are read from PostgreSQL, so that the function also
 * covers later migrations.
 */
export async function insertEveryEnumValue(client: pg.Client): Promise<void> {
  const columns = await readColumns(client);
  const insert = async (table: string, values: Readonly<Record<string, string>> = {}): Promise<string> => {
    const row: Record<string, string> = { ...values };
    for (const column of columns.get(table) ?? []) {
      if (column.name in row || !column.isRequired) continue;
      const target = column.target ?? TARGET_BY_NAME[column.name];
      const values = column.values?.filter((value) => value !== REFUSED[table]) ?? null;
      row[column.name] = target ? await insert(target) : createSample({ ...column, values });
    }
    const names = Object.keys(row);
    const { rows } = await client.query(
      `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(', ')})
       VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')}) RETURNING *`,
      names.map((name) => row[name]),
    );
    return rows[0].id;
  };
  for (const [table, { name, type, values }] of enumColumns(columns)) {
    for (const value of values ?? []) {
      if (value !== REFUSED[table]) await insert(table, { [name]: type.endsWith('[]') ? `{${value}}` : value });
    }
  }
}

export async function readEnumValues(client: pg.Client): Promise<string[]> {
  const enumValues: string[] = [];
  for (const [table, { name, type }] of enumColumns(await readColumns(client))) {
    const value = type.endsWith('[]') ? `unnest("${name}")` : `"${name}"`;
    const { rows } = await client.query<{ value: string }>(`SELECT DISTINCT ${value}::text AS value FROM ${table}`);
    enumValues.push(...rows.filter((row) => row.value !== null).map((row) => `${table}.${name} ${row.value}`));
  }
  return enumValues.sort();
}

function enumColumns(columns: ReadonlyMap<string, Column[]>): [string, Column][] {
  return [...columns].flatMap(([table, tableColumns]) =>
    tableColumns.filter(({ values }) => values !== null).map((column): [string, Column] => [table, column]),
  );
}

async function readColumns(client: pg.Client): Promise<Map<string, Column[]>> {
  const { rows } = await client.query<Column & { table: string }>(
    `SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, NULL) AS type,
            a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AS "isRequired",
            (SELECT confrelid::regclass::text FROM pg_constraint
             WHERE contype = 'f' AND conrelid = c.oid AND conkey = ARRAY[a.attnum]) AS target,
            (SELECT array_agg(enumlabel::text ORDER BY enumsortorder) FROM pg_enum
             WHERE enumtypid IN (t.oid, t.typelem)) AS values
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     JOIN pg_type t ON t.oid = a.atttypid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relpersistence = 'p'
       AND c.relname <> '_prisma_migrations'
     ORDER BY c.relname, a.attnum`,
  );
  const tables = new Map<string, Column[]>();
  for (const { table, ...column } of rows) tables.set(table, [...(tables.get(table) ?? []), column]);
  return tables;
}

function createSample({ name, type, values }: Column): string {
  if (type.endsWith('[]')) return '{}';
  if (values) return String(values[0]);
  if (type === 'uuid') return randomUUID();
  if (type.startsWith('json')) return '{}';
  if (type === 'bytea') return `\\x${randomBytes(8).toString('hex')}`;
  if (type === 'boolean') return 'false';
  // Amounts are zero, because a balance must be the sum of the account's ledger entries.
  if (type === 'bigint') return '0';
  if (type.startsWith('timestamp') || type === 'date') {
    return new Date(Math.floor(Math.random() * Date.now())).toISOString();
  }
  if (['integer', 'smallint', 'double precision', 'numeric'].includes(type)) return '1';
  return SAMPLE_BY_NAME[name] ?? randomBytes(8).toString('hex');
}
