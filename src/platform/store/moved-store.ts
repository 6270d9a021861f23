import type pg from 'pg';
import { StartError } from '../errors/start-error.js';

/** A comment on `_prisma_migrations` marks the store as moved; backups do not include the comment. */
const MARKED_TABLE = '_prisma_migrations';

export interface MoveRecord {
  /** Without user and password. */
  to: string;
  /** ISO 8601. */
  at: string;
}

/** Null removes the mark. */
export async function markMoved(client: pg.Client, move: MoveRecord | null): Promise<void> {
  const text = move ? client.escapeLiteral(`heliograph moved ${JSON.stringify(move)}`) : 'NULL';
  await client.query(`COMMENT ON TABLE ${MARKED_TABLE} IS ${text}`);
}

export async function readMoveRecord(client: Pick<pg.Pool, 'query'>): Promise<MoveRecord | null> {
  const { rows } = await client.query<{ mark: string | null }>(
    `SELECT obj_description(to_regclass('${MARKED_TABLE}'), 'pg_class') AS mark`,
  );
  const json = /^heliograph moved (\{.*\})$/.exec(rows[0]?.mark ?? '')?.[1];
  return json === undefined ? null : (JSON.parse(json) as MoveRecord);
}

export async function requireNotMoved(client: Pick<pg.Pool, 'query'>): Promise<void> {
  const move = await readMoveRecord(client);
  if (move) throw new StartError(describeMoved(move));
}

export function describeMoved({ to, at }: MoveRecord): string {
  return (
    `This store was moved to ${to} on ${at.slice(0, 16).replace('T', ' ')} UTC. Set DATABASE_URL to the new store. ` +
    'To keep using this one anyway, first run "heliograph store reclaim --yes"; messages that were in progress are then ' +
    'sent twice.'
  );
}
