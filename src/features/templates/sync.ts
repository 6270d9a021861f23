import type pg from 'pg';
import type { CarrierTemplate } from '../../carriers/templates.js';
import { newId } from '../../platform/ids.js';
import { inTransaction, type Statement } from '../../platform/store/pool.js';
import { storableJson } from '../../platform/store/storable.js';
import { askCarrier } from './ask-carrier.js';
import type { OwnedChannel, TemplateDeps } from './create.js';

/** How many templates a sync has changed. */
export interface SyncCounts {
  /** New from the carrier. */
  added: number;
  /** Whose status, category or components are others now. */
  updated: number;
  /** Which the carrier no longer has. */
  disabled: number;
}

const MERGE: Statement = {
  name: 'templates-merge',
  text: `
INSERT INTO templates AS held (id, account_id, channel_id, name, language, category, status, components)
SELECT c.id, $1, $2, c.name, c.language, c.category, c.status, c.components
FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::template_status[], $8::jsonb[])
  AS c(id, name, language, category, status, components)
ORDER BY c.name, c.language
ON CONFLICT (channel_id, name, language) DO UPDATE
  SET category = EXCLUDED.category, status = EXCLUDED.status, components = EXCLUDED.components, updated_at = now()
  WHERE (held.category, held.status, held.components)
     IS DISTINCT FROM (EXCLUDED.category, EXCLUDED.status, EXCLUDED.components)
RETURNING xmax = 0 AS added`,
};

/** Not one that is perhaps being handed in right now. */
const DISABLE: Statement = {
  name: 'templates-disable',
  text: `UPDATE templates SET status = 'DISABLED', updated_at = now()
         WHERE id = ANY($1::uuid[]) AND channel_id = $2 AND status <> 'DISABLED' AND created_at < now() - interval '1 minute'`,
};

/**
 * Takes over what the channel's carrier has. Templates that it no longer has are DISABLED, not deleted, so that a send
 * of one says why it is refused.
 * @throws {AppError} CARRIER_REFUSED or UNAVAILABLE when the carrier does not tell
 */
export async function syncTemplates(
  deps: TemplateDeps & { pool: pg.Pool },
  channel: OwnedChannel,
): Promise<SyncCounts> {
  const { id: channelId, accountId } = channel;
  const held = await deps.prisma.template.findMany({ where: { channelId, accountId } });
  const known = held.map((template) => ({ ...template, components: template.components as object[] }));
  const listed = await askCarrier(deps.carriers, channel, (carrier) => carrier.listTemplates?.(channel, known));
  // A carrier that lists one twice means the last.
  const byKey = new Map(listed.map((template) => [keyOf(template), template]));
  const gone = held.filter((template) => !byKey.has(keyOf(template)));
  return inTransaction(deps.pool, async (client) => {
    const merged = await merge(client, channel, [...byKey.values()]);
    const { rowCount } = await client.query({ ...DISABLE, values: [gone.map(({ id }) => id), channelId] });
    const added = merged.filter((row) => row.added).length;
    return { added, updated: merged.length - added, disabled: rowCount ?? 0 };
  });
}

async function merge(client: pg.PoolClient, channel: OwnedChannel, templates: readonly CarrierTemplate[]) {
  const { rows } = await client.query<{ added: boolean }>({
    ...MERGE,
    values: [
      channel.accountId,
      channel.id,
      templates.map(() => newId()),
      templates.map(({ name }) => name),
      templates.map(({ language }) => language),
      templates.map(({ category }) => category),
      templates.map(({ status }) => status),
      templates.map(({ components }) => JSON.stringify(storableJson(components))),
    ],
  });
  return rows;
}

function keyOf({ name, language }: { name: string; language: string }): string {
  return `${language} ${name}`;
}
