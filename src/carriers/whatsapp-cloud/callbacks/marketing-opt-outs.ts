import type { CallbackContext } from '../../carrier-type.js';
import { extractPhone, extractUserId, isParentUserId, type PersonIds, toAddresses } from '../../numbers/user-ids.js';
import { MARKETING_CATEGORY, MARKETING_STOPPED_CODE } from '../send/errors.js';
import type { FoundChannel } from './channel-store.js';
import { readPhoneNumber } from './fields.js';
import type { CallbackReport } from './report.js';

type Status = CallbackReport['statuses'][number] & { channel: FoundChannel };

/** The recipient of the message is also opted out, because the status may name nobody or a different form of the number. */
export async function recordMarketingOptOuts(
  statuses: readonly Status[],
  sinks: CallbackContext['sinks'],
): Promise<void> {
  for (const { receipt, recipient, channel } of statuses) {
    if (receipt.errorCode !== MARKETING_STOPPED_CODE) continue;
    const recipients = await sinks.findRecipients(receipt.carrier, receipt.carrierMessageId);
    for (const address of new Set([...toAddresses(recipient), ...recipients])) {
      const ids = parsePersonIds(address);
      if (ids === null) continue;
      await sinks.preference({
        ...ids,
        channel,
        wantsNone: true,
        category: MARKETING_CATEGORY,
        at: receipt.occurredAt,
      });
    }
  }
}

/** Returns null for the masked number of an erased person. */
export function parsePersonIds(address: string): PersonIds | null {
  const userId = extractUserId(address);
  const isParent = userId !== null && isParentUserId(userId);
  if (userId !== null) {
    return { phone: null, userId: isParent ? null : userId, parentUserId: isParent ? userId : null };
  }
  const phone = readPhoneNumber(extractPhone(address));
  return phone === null ? null : { phone, userId: null, parentUserId: null };
}
