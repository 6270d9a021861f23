import type pg from 'pg';

/** Lists objects that depend on the messages table and that a partitioned table cannot have in the same form. */
const READ_OBSTACLES = `
SELECT format('the trigger %I', tgname) AS obstacle FROM pg_trigger WHERE tgrelid = to_regclass('messages') AND NOT tgisinternal
UNION ALL
SELECT format('the policy %I', polname) FROM pg_policy WHERE polrelid = to_regclass('messages')
UNION ALL
SELECT format('the foreign key %I of %s', conname, conrelid::regclass) FROM pg_constraint
WHERE contype = 'f' AND (confrelid = to_regclass('messages') OR conrelid = to_regclass('messages'))
UNION ALL
SELECT DISTINCT format('the view or rule %s', r.ev_class::regclass)
FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid
WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = to_regclass('messages')
UNION ALL
SELECT format('the publication %I', pubname) FROM pg_publication_rel JOIN pg_publication p ON p.oid = prpubid
WHERE prrelid = to_regclass('messages')
UNION ALL
SELECT format('the table %s, which inherits from it,', inhrelid::regclass) FROM pg_inherits
WHERE inhparent = to_regclass('messages')
UNION ALL
SELECT format('the index %s, which is not finished,', indexrelid::regclass) FROM pg_index
WHERE indrelid = to_regclass('messages') AND NOT indisvalid
UNION ALL
SELECT format('the unique index %s, which is not on the column id,', indexrelid::regclass) FROM pg_index
WHERE indrelid = to_regclass('messages') AND indisunique AND NOT indisprimary`;

export async function requireDivisible(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  const { rows } = await client.query<{ obstacle: string }>(READ_OBSTACLES);
  if (rows.length === 0) return;
  throw new Error(
    `The table messages cannot be divided while it has ${rows.map(({ obstacle }) => obstacle).join(', ')}, which Heliograph did not ` +
      'create. Remove it, divide the table, and create it again. Nothing was changed.',
  );
}

/** Grants to the table's owner are left out, because they are implied. */
const READ_RIGHTS = `
WITH own AS (SELECT * FROM pg_class WHERE oid = to_regclass('messages')),
given AS (
  SELECT 0 AS place, '' AS columns, a.* FROM own, aclexplode(relacl) a
  UNION ALL
  SELECT attnum, format(' (%I)', attname), a.* FROM pg_attribute, own, aclexplode(attacl) a WHERE attrelid = own.oid
)
SELECT format('ALTER TABLE messages OWNER TO %I', pg_get_userbyid(relowner)) AS statement, 0 AS step, 0 AS place FROM own
UNION ALL
SELECT format('GRANT %s%s ON messages TO %s%s', privilege_type, columns,
              CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END,
              CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END), 1, place
FROM given, own WHERE grantee <> relowner
UNION ALL
SELECT format('COMMENT ON TABLE messages IS %L', obj_description(oid, 'pg_class')), 2, 0
FROM own WHERE obj_description(oid, 'pg_class') IS NOT NULL
ORDER BY step, place`;

export async function readRights(client: Pick<pg.ClientBase, 'query'>): Promise<string[]> {
  const { rows } = await client.query<{ statement: string }>(READ_RIGHTS);
  return rows.map(({ statement }) => statement);
}

/** Renames a table and its indexes, for example `messages_due_idx` to `messages_before_due_idx`. */
export async function renameTable(client: pg.ClientBase, table: string, to: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE indrelid = to_regclass($1)
     ORDER BY relname`,
    [table],
  );
  await client.query(`ALTER TABLE ${table} RENAME TO ${to}`);
  for (const { name } of rows) {
    const renamed = `${to}_${name.startsWith(`${table}_`) ? name.slice(table.length + 1) : name}`.slice(0, 63);
    await client.query(`ALTER INDEX ${client.escapeIdentifier(name)} RENAME TO ${client.escapeIdentifier(renamed)}`);
  }
}
