import type { MigrationFile } from '../store/migrations/migration-files.js';

/** What the migrations make, by name. An operator may keep other things beside it, which are let be. */
export interface OwnObjects {
  tables: string[];
  types: string[];
  functions: string[];
  /** Tables into which a migration puts rows: an empty store holds them too. */
  filled: string[];
}

/** Reads the names out of the migrations' texts, which are reviewed and always write them alike. */
export function ownObjects(migrations: readonly Pick<MigrationFile, 'sql'>[]): OwnObjects {
  const text = migrations.map(({ sql }) => sql).join('\n');
  const named = (what: string) => [
    ...new Set([...text.matchAll(new RegExp(`^${what} "?(\\w+)"?`, 'gm'))].map(([, name = '']) => name)),
  ];
  return {
    tables: named('CREATE (?:UNLOGGED )?TABLE(?: IF NOT EXISTS)?'),
    types: named('CREATE TYPE'),
    functions: named('CREATE(?: OR REPLACE)? FUNCTION'),
    filled: named('INSERT INTO'),
  };
}
