import type pg from 'pg';
import type { PreferenceReport } from '../../../carriers/inbound-message.js';
import { toAddresses } from '../../../carriers/numbers/user-ids.js';
import { toOptOutSender } from '../../../messages/send/checks/opted-out.js';
import type { Clock } from '../../../platform/clock.js';
import { inTransaction } from '../../../platform/store/connections/pool.js';
import { retryTransaction } from '../../../platform/store/repeat.js';
import { toStorable } from '../../../platform/store/storable.js';
import { findOptOutParty, recordOptOut } from '../../opt-outs/opt-out-events.js';
import { decideOptOut } from '../../opt-outs/opt-out-store.js';
import { findHolders } from './identity-store.js';

/**
 * A choice about marketing messages in WhatsApp stops only marketing, for all of the person's addresses, unless there is a
 * later decision. If the person allows them again, every opt-out is lifted, as by START.
 */
export async function recordPreference(
  { pool, clock }: { pool: pg.Pool; clock: Clock },
  { channel, wantsNone, category, at, ...ids }: PreferenceReport,
): Promise<void> {
  const { id: channelId, accountId } = channel;
  const now = clock.now();
  await retryTransaction(() =>
    inTransaction(pool, async (client) => {
      const holders = await findHolders(client, { accountId, channelId }, [ids]);
      const addresses = new Set([...toAddresses(ids), ...holders.flatMap((holder) => toAddresses(holder))]);
      const decidedAt = at < now ? at : now;
      const decision = { accountId, kind: channel.kind, sender: toOptOutSender(channel), addresses: [...addresses] };
      const keyword = toStorable(category);
      const choice = { keyword, isActive: wantsNone, marketingOnly: wantsNone, decidedAt };
      const { hasChanged } = await decideOptOut(client, { ...decision, ...choice });
      if (!hasChanged) return;
      const party = await findOptOutParty(client, decision);
      const event = { isActive: wantsNone, marketingOnly: wantsNone, source: 'whatsapp', at: decidedAt } as const;
      await recordOptOut(client, { ...party, accountId, ...event }, decision.addresses);
    }),
  );
}
