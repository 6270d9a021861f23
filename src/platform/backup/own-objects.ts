import type { MigrationFile } from '../store/migrations/migration-files.js';

/** Created by the migrations. An operator's own objects in the same schema are left alone. */
export interface OwnObjects {
  tables: string[];
  types: string[];
  functions: string[];
  /** Tables that contain rows right after the migrations. */
  seededTables: string[];
}

/** Simple patterns suffice, because migrations are reviewed and always use the same form. */
export function listOwnObjects(migrations: readonly Pick<MigrationFile, 'sql'>[]): OwnObjects {
  const text = migrations.map(({ sql }) => sql).join('\n');
  const findNames = (statement: string) => [
    ...new Set([...text.matchAll(new RegExp(`^${statement} "?(\\w+)"?`, 'gm'))].map(([, name = '']) => name)),
  ];
  return {
    tables: findNames('CREATE (?:UNLOGGED )?TABLE(?: IF NOT EXISTS)?'),
    types: findNames('CREATE TYPE'),
    functions: findNames('CREATE(?: OR REPLACE)? FUNCTION'),
    seededTables: findNames('INSERT INTO'),
  };
}
