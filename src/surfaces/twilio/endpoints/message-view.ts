import type { Static } from '@sinclair/typebox';
import type { KeyAccount } from '../../../accounts/account-ref.js';
import { formatMoney } from '../../../accounts/money.js';
import { extractUserId } from '../../../carriers/numbers/user-ids.js';
import { segment } from '../../../carriers/sms/segments.js';
import type { InboundEntry } from '../../../features/inbound/list-store.js';
import { toTwilioErrorCode } from '../../../features/webhooks/twilio/error-codes.js';
import { findFile, toMessageSid } from '../../../features/webhooks/twilio/form.js';
import { API_VERSION, toTwilioAddress, toTwilioStatus } from '../../../features/webhooks/twilio/statuses.js';
import type { FoundMessage } from '../../../messages/status/find-message.js';
import { getStatusTime } from '../../../messages/status/status.js';
import { describeStatus } from '../../../messages/status/status-words.js';
import { toSid } from '../../../platform/text/sids.js';
import type { AnyMessage } from './both-directions.js';
import type { MessageResource } from './message-schemas.js';

type Row = FoundMessage['message'];

const MIN_DECIMALS = 5;

export function buildAccountPath(accountId: string): string {
  return `/${API_VERSION}/Accounts/${toSid('AC', accountId)}`;
}

/** @param now business time; a message with a later scheduled time is `scheduled` */
export function toMessageResource(message: Row, currency: string, now: Date): Static<typeof MessageResource> {
  const { kind, status, createdAt, sentAt, channelId } = message;
  const contentType = (message.content as { type?: string } | null)?.type ?? null;
  const sid = toMessageSid(message.id, contentType);
  const path = `${buildAccountPath(message.accountId)}/Messages/${sid}`;
  const errorCode = toTwilioErrorCode(message);
  const isScheduled = status === 'queued' && message.scheduledAt !== null && message.scheduledAt > now;
  return {
    body: message.body,
    num_segments: String(message.parts),
    direction: 'outbound-api',
    from: toTwilioAddress(kind, message.sender),
    to: toTwilioAddress(kind, extractUserId(message.recipient) ?? message.recipient),
    date_updated: formatRfc2822(getStatusTime(message)),
    price: formatPrice(message),
    error_message: errorCode === null ? null : (message.errorMessage ?? describeStatus(status)),
    uri: `${path}.json`,
    account_sid: toSid('AC', message.accountId),
    num_media: sid.startsWith('MM') ? '1' : '0',
    status: isScheduled ? 'scheduled' : toTwilioStatus(status),
    messaging_service_sid: channelId === null ? null : toSid('MG', channelId),
    sid,
    date_sent: sentAt && formatRfc2822(sentAt),
    date_created: formatRfc2822(createdAt),
    error_code: errorCode,
    price_unit: currency,
    api_version: API_VERSION,
    subresource_uris: { media: `${path}/Media.json` },
  };
}

export function toInboundResource(
  entry: InboundEntry,
  accountId: string,
  currency: string,
): Static<typeof MessageResource> {
  const { id, kind, channelId, from, userId, to, type, body, payload, receivedAt } = entry;
  const sid = toMessageSid(id, type);
  const path = `${buildAccountPath(accountId)}/Messages/${sid}`;
  const date = formatRfc2822(receivedAt);
  return {
    body,
    num_segments: String(kind === 'sms' ? segment(body).parts.length : 1),
    direction: 'inbound',
    from: toTwilioAddress(kind, from ?? userId ?? ''),
    to: toTwilioAddress(kind, to),
    date_updated: date,
    price: null,
    error_message: null,
    uri: `${path}.json`,
    account_sid: toSid('AC', accountId),
    num_media: findFile(payload) ? '1' : '0',
    status: 'received',
    messaging_service_sid: toSid('MG', channelId),
    sid,
    date_sent: date,
    date_created: date,
    error_code: null,
    price_unit: currency,
    api_version: API_VERSION,
    subresource_uris: { media: `${path}/Media.json` },
  };
}

export function toResource(
  { sent, received }: AnyMessage,
  { id, currency }: Pick<KeyAccount, 'id' | 'currency'>,
  now: Date,
): Static<typeof MessageResource> {
  return sent ? toMessageResource(sent, currency, now) : toInboundResource(received, id, currency);
}

/** Returns null for a message that has not been sent yet or has been refunded. */
function formatPrice({ sentAt, refunded, priceMicros }: Row): string | null {
  if (sentAt === null || refunded) return null;
  const [units = '0', decimals = ''] = formatMoney(priceMicros).split('.');
  return `${priceMicros > 0n ? '-' : ''}${units}.${decimals.padEnd(MIN_DECIMALS, '0')}`;
}

/** Formats a time as `Tue, 24 Nov 2026 08:30:00 +0000`. */
export function formatRfc2822(time: Date): string {
  return time.toUTCString().replace(/GMT$/, '+0000');
}
