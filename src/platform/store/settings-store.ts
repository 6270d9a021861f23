import type pg from 'pg';

type Queries = Pick<pg.Pool, 'query'>;

/** Settings of PostgreSQL as a connection has them, with units as `SHOW` prints them, by name. */
export async function readSettings(pool: Queries, names: readonly string[]): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ name: string; value: string }>(
    'SELECT name, current_setting(name) AS value FROM pg_settings WHERE name = ANY($1)',
    [names],
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

/** How the database sorts and folds text. */
export interface Locale {
  /** Of LC_CTYPE. */
  ctype: string;
  /** Whether `lower()` knows letters beyond ASCII. */
  foldsLetters: boolean;
  /** Version of the collation with which indexes were built, where the installed library has another one. */
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
