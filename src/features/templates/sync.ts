import { withTransaction } from '../../platform/store/with-transaction.js';
import { callCarrier, type OwnedChannel } from '../channels/call-carrier.js';
import { type CarrierOptions, writeTemplate } from './create.js';
import { disableTemplates, mergeTemplates, readSyncTime, recordSync } from './template-store.js';

export interface SyncCounts {
  /** New at the carrier. */
  added: number;
  /** Templates whose status, category or components changed. */
  updated: number;
  /** Missing at the carrier. */
  disabled: number;
}

/**
 * Templates that the carrier no longer has become DISABLED instead of being deleted, so that failed sends name the
 * reason. Local changes during the sync win, because they are newer than the carrier's list.
 * @throws {AppError} CARRIER_REFUSED or UNAVAILABLE if the carrier does not return its templates
 */
export async function syncTemplates(options: CarrierOptions, channel: OwnedChannel): Promise<SyncCounts> {
  const { prisma, carriers } = options;
  const { id: channelId, accountId } = channel;
  const requestedAt = await readSyncTime(options.pool);
  const localRows = await prisma.template.findMany({ where: { channelId, accountId } });
  const localTemplates = localRows.map((template) => ({ ...template, components: template.components as object[] }));
  const carrierTemplates = await callCarrier(carriers, channel, (carrier) =>
    carrier.listTemplates?.(channel, localTemplates),
  );
  const byKey = new Map(carrierTemplates.map((template) => [toTemplateKey(template), template]));
  const localKeys = new Set(localRows.map(toTemplateKey));
  const templates = [...byKey].map(([key, template]) => ({ ...template, wasLocal: localKeys.has(key) }));
  const missing = localRows.filter((template) => !byKey.has(toTemplateKey(template)));
  return writeTemplate(options, ({ pool }) =>
    withTransaction(pool, async (client) => {
      const changed = await mergeTemplates(client, channel, { templates, requestedAt });
      const ids = missing.map(({ id }) => id);
      const disabled = await disableTemplates(client, channelId, ids, requestedAt);
      await recordSync(client, channelId, requestedAt);
      return { ...changed, disabled };
    }),
  );
}

function toTemplateKey({ name, language }: { name: string; language: string }): string {
  return `${language} ${name}`;
}
