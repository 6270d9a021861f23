import { within } from '../../platform/store/within.js';
import { askCarrier, type OwnedChannel } from '../channels/ask-carrier.js';
import { type AskingOptions, written } from './create.js';
import { beginSync, disableTemplates, mergeTemplates, noteSync } from './template-store.js';

/** How many templates a sync has changed. */
export interface SyncCounts {
  /** New from the carrier. */
  added: number;
  /** Whose status, category or components are others now. */
  updated: number;
  /** Which the carrier no longer has. */
  disabled: number;
}

/**
 * Takes over what the channel's carrier has. Templates that it no longer has are DISABLED, not deleted, so that a send
 * of one says why it is refused. What was changed, made or deleted while the carrier was asked stays so: it is newer.
 * @throws {AppError} CARRIER_REFUSED or UNAVAILABLE when the carrier does not tell
 */
export async function syncTemplates(options: AskingOptions, channel: OwnedChannel): Promise<SyncCounts> {
  const { prisma, carriers } = options;
  const { id: channelId, accountId } = channel;
  const askedAt = await beginSync(options.pool);
  const held = await prisma.template.findMany({ where: { channelId, accountId } });
  const known = held.map((template) => ({ ...template, components: template.components as object[] }));
  const listed = await askCarrier(carriers, channel, (carrier) => carrier.listTemplates?.(channel, known));
  // A carrier that lists one twice means the last.
  const byKey = new Map(listed.map((template) => [keyOf(template), template]));
  const heldKeys = new Set(held.map(keyOf));
  const templates = [...byKey].map(([key, template]) => ({ ...template, wasHeld: heldKeys.has(key) }));
  const gone = held.filter((template) => !byKey.has(keyOf(template)));
  return written(options, ({ pool }) =>
    within(pool, async (client) => {
      const changed = await mergeTemplates(client, channel, { templates, askedAt });
      const ids = gone.map(({ id }) => id);
      const disabled = await disableTemplates(client, channelId, ids, askedAt);
      await noteSync(client, channelId, askedAt);
      return { ...changed, disabled };
    }),
  );
}

function keyOf({ name, language }: { name: string; language: string }): string {
  return `${language} ${name}`;
}
