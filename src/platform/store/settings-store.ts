import type pg from 'pg';

type Queries = Pick<pg.Pool, 'query'>;

/** Returns values with units, as `SHOW` does. */
export async function readSettings(pool: Queries, names: readonly string[]): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ name: string; value: string }>(
    'SELECT name, current_setting(name) AS value FROM pg_settings WHERE name = ANY($1)',
    [names],
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

export interface Locale {
  ctype: string;
  /** Whether PostgreSQL's `lower()` supports letters beyond ASCII. */
  foldsLetters: boolean;
  /** Collation version of the existing indexes, if the installed library has another version. */
  outdated: string | null;
}

export async function readLocale(pool: Queries): Promise<Locale> {
  const { rows } = await pool.query<Locale>(
    `SELECT datctype AS ctype, lower('ÄΣЖ') = 'äσж' AS "foldsLetters",
            CASE WHEN datcollversion <> pg_database_collation_actual_version(oid) THEN datcollversion END AS outdated
     FROM pg_database WHERE datname = current_database()`,
  );
  return rows[0] as Locale;
}
