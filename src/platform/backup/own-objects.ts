import type { MigrationFile } from '../store/migrations/migration-files.js';

/** Created by Heliograph's migrations. Restores keep an operator's own objects in the same schema. */
export interface OwnObjects {
  tables: string[];
  types: string[];
  functions: string[];
  seededTables: string[];
}

/** Simple patterns suffice to find the names, because reviewed migrations always use the same form. */
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
