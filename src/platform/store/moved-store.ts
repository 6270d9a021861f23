import type pg from 'pg';
import { StartError } from '../errors/start-error.js';

/** The mark lies beside the rows, where no backup takes it along: a comment of the table that every store has. */
const MARKED = '_prisma_migrations';

/** Where the contents of a store went. */
export interface Moved {
  /** Host, port and database, without user and password. */
  to: string;
  /** ISO 8601. */
  at: string;
}

/** Marks a store whose contents were moved away, or takes the mark off again (null). */
export async function markMoved(client: pg.Client, moved: Moved | null): Promise<void> {
  const text = moved ? client.escapeLiteral(`heliograph moved ${JSON.stringify(moved)}`) : 'NULL';
  await client.query(`COMMENT ON TABLE ${MARKED} IS ${text}`);
}

/** Where the contents of a store went; null where they are still there. */
export async function readMoved(client: Pick<pg.Pool, 'query'>): Promise<Moved | null> {
  const { rows } = await client.query<{ mark: string | null }>(
    `SELECT obj_description(to_regclass('${MARKED}'), 'pg_class') AS mark`,
  );
  const json = /^heliograph moved (\{.*\})$/.exec(rows[0]?.mark ?? '')?.[1];
  return json === undefined ? null : (JSON.parse(json) as Moved);
}

/** @throws {StartError} where the contents of a store are elsewhere */
export async function expectNotMoved(client: Pick<pg.Pool, 'query'>): Promise<void> {
  const moved = await readMoved(client);
  if (moved) throw new StartError(describeMoved(moved));
}

/** What became of a store, and what to do, in sentences. */
export function describeMoved({ to, at }: Moved): string {
  return (
    `This store was moved to ${to} on ${at.slice(0, 16).replace('T', ' ')} UTC, and what happens there is not here: set ` +
    'DATABASE_URL to that one. Who must go on with this one all the same, and knows that messages which were under way are ' +
    'then sent twice, says "heliograph store reclaim --yes" first.'
  );
}
