import type { CallbackContext } from '../../carrier-type.js';
import { addressesOf, isParentUserId, type PersonIds, phoneIn, userIdIn } from '../../numbers/user-ids.js';
import { STOPPED, STOPPED_CATEGORY } from '../send/errors.js';
import type { FoundChannel } from './channel-store.js';
import { digitsOf } from './fields.js';
import type { CallbackReport } from './report.js';

type Status = CallbackReport['statuses'][number] & { channel: FoundChannel };

/**
 * Records an opt-out for each message that failed because its recipient stopped marketing messages of the business, as the field
 * `user_preferences` does. The status may name nobody, or a number that is not the one the message went to, so the recipient of the
 * message counts too.
 */
export async function recordStops(statuses: readonly Status[], sinks: CallbackContext['sinks']): Promise<void> {
  for (const { receipt, recipient, channel } of statuses) {
    if (receipt.errorCode !== STOPPED) continue;
    const sentTo = await sinks.recipientsOf(receipt.carrier, receipt.carrierMessageId);
    for (const address of new Set([...addressesOf(recipient), ...sentTo])) {
      const ids = idsOf(address);
      if (ids === null) continue;
      await sinks.preference({
        ...ids,
        channel,
        wantsNone: true,
        category: STOPPED_CATEGORY,
        at: receipt.occurredAt,
      });
    }
  }
}

/** @returns null for what is left of the number of somebody who was erased */
export function idsOf(address: string): PersonIds | null {
  const userId = userIdIn(address);
  const isParent = userId !== null && isParentUserId(userId);
  if (userId !== null) {
    return { phone: null, userId: isParent ? null : userId, parentUserId: isParent ? userId : null };
  }
  const phone = digitsOf(phoneIn(address));
  return phone === null ? null : { phone, userId: null, parentUserId: null };
}
