import type { MessageStatus } from '../../../messages/message-status.js';
import { OPTED_OUT } from '../../../messages/send/checks/opted-out.js';

interface FinalMessage {
  kind: 'sms' | 'whatsapp';
  status: MessageStatus;
  errorCode: string | null;
}

/** Twilio's codes for Heliograph's error codes on any channel (Twilio, "Error and Warning Dictionary"). */
const TWILIO_CODES_BY_OWN_CODE: Readonly<Record<string, number>> = {
  [OPTED_OUT]: 21610,
  EXPIRED: 30036,
  UNREACHABLE: 30003,
  MEDIA_NOT_FOUND: 63019,
};

/** Twilio's codes for Meta's error codes on WhatsApp. */
const TWILIO_CODES_BY_META_CODE: Readonly<Record<string, number>> = {
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

/** For SMS, Twilio's code depends on the message status, because every carrier has its own error codes. */
const TWILIO_CODES_BY_SMS_STATUS: Readonly<Partial<Record<MessageStatus, number>>> = {
  undelivered: 30008,
  failed: 30008,
  rejected: 30007,
  expired: 30036,
};
/** Twilio's "Channel generic error". */
const CHANNEL_ERROR = 63023;

export function toTwilioErrorCode({ kind, status, errorCode }: FinalMessage): number | null {
  const forStatus = TWILIO_CODES_BY_SMS_STATUS[status];
  if (forStatus === undefined) return null;
  const forCode =
    (kind === 'whatsapp' ? TWILIO_CODES_BY_META_CODE[errorCode ?? ''] : undefined) ??
    TWILIO_CODES_BY_OWN_CODE[errorCode ?? ''];
  if (forCode !== undefined) return forCode;
  return kind === 'whatsapp' && status !== 'expired' ? CHANNEL_ERROR : forStatus;
}
