import type { MessageStatus } from '../../../messages/message-status.js';
import { OPTED_OUT } from '../../../messages/send/checks/opted-out.js';

/** What became of a message. */
export interface Ending {
  kind: 'sms' | 'whatsapp';
  status: MessageStatus;
  errorCode: string | null;
}

/** Codes of ours, whatever the channel (Twilio, "Error and Warning Dictionary"). */
const OURS: Readonly<Record<string, number>> = {
  [OPTED_OUT]: 21610,
  EXPIRED: 30036,
  UNREACHABLE: 30003,
  MEDIA_NOT_FOUND: 63019,
};

/** Meta's codes, which WhatsApp's messages end with. */
const METAS: Readonly<Record<string, number>> = {
  130429: 63018,
  130472: 63032,
  131026: 63024,
  131031: 63020,
  131042: 63020,
  131047: 63016,
  131048: 63018,
  131049: 63049,
  131050: 21610,
  131052: 63019,
  131053: 63019,
  131056: 63018,
  132000: 63028,
  132001: 63027,
  132015: 63040,
  132016: 63041,
};

/** Of an SMS, by how it ended: its carrier's own code is another one at each carrier. */
const SMS: Readonly<Partial<Record<MessageStatus, number>>> = {
  undelivered: 30008,
  failed: 30008,
  rejected: 30007,
  expired: 30036,
};
/** Of WhatsApp, where no other code is known: "Channel generic error". */
const CHANNEL_ERROR = 63023;

/** Twilio's code for why a message failed; null of one that has not, or that its sender canceled. */
export function twilioErrorCode({ kind, status, errorCode }: Ending): number | null {
  const failed = SMS[status];
  if (failed === undefined) return null;
  const known = (kind === 'whatsapp' ? METAS[errorCode ?? ''] : undefined) ?? OURS[errorCode ?? ''];
  if (known !== undefined) return known;
  return kind === 'whatsapp' && status !== 'expired' ? CHANNEL_ERROR : failed;
}
