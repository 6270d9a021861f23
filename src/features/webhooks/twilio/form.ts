import { MEDIA_TYPES } from '../../../carriers/content.js';
import { segment } from '../../../carriers/sms/segments.js';
import type { MessageStatus } from '../../../messages/message-status.js';
import { describeStatus } from '../../../messages/status/status-words.js';
import { toSid } from '../../../platform/text/sids.js';
import { type OptOutMeaning, removeSpaces } from '../../opt-outs/keywords.js';
import { readKeyword } from '../../opt-outs/message-keyword.js';
import type { BodyParts } from '../body.js';
import { toTwilioErrorCode } from './error-codes.js';
import type { TwilioFacts } from './facts-store.js';
import type { FormFields } from './signature.js';
import { API_VERSION, toTwilioAddress, toTwilioStatus } from './statuses.js';

export interface ReceivedData {
  messageId: string;
  channel: 'sms' | 'whatsapp';
  channelId: string;
  from: string | null;
  userId: string | null;
  username: string | null;
  to: string;
  type: string;
  text: string;
  payload: Record<string, unknown>;
}

interface StatusData {
  messageId: string;
  channel: 'sms' | 'whatsapp';
  channelId: string | null;
  from: string;
  to: string | null;
  userId: string | null;
  status: MessageStatus;
  errorCode: string | null;
  errorMessage: string | null;
}

export interface TwilioFormFacts extends TwilioFacts {
  publicUrl: string;
}

export function findFile(payload: object): { id: string; type: string } | null {
  const { mediaId, mime_type: type } = payload as Record<string, unknown>;
  if (typeof mediaId !== 'string') return null;
  return { id: mediaId, type: typeof type === 'string' ? type : 'application/octet-stream' };
}

export function buildFilePath(accountId: string, messageSid: string, mediaId: string): string {
  return `/${API_VERSION}/Accounts/${toSid('AC', accountId)}/Messages/${messageSid}/Media/${toSid('ME', mediaId)}`;
}

/** Builds a message SID that starts with `MM` for a message with a file, and otherwise with `SM`. */
export function toMessageSid(id: string, contentType: string | null): string {
  const isMedia = contentType !== null && (MEDIA_TYPES as readonly string[]).includes(contentType);
  return toSid(isMedia ? 'MM' : 'SM', id);
}

/** Source: Twilio, "Messaging webhooks". */
export function buildTwilioForm({ type, data }: Pick<BodyParts, 'type' | 'data'>, facts: TwilioFormFacts): FormFields {
  const common = { AccountSid: toSid('AC', facts.accountId), ApiVersion: API_VERSION };
  const parsed: unknown = JSON.parse(data);
  if (type === 'message.received') return { ...buildReceived(parsed as ReceivedData, facts), ...common };
  if (type === 'message.status') return { ...buildStatus(parsed as StatusData, facts), ...common };
  return { ...common, EventType: type };
}

export function encodeForm(fields: FormFields): string {
  return new URLSearchParams(fields).toString();
}

function buildStatus(message: StatusData, { contentType }: TwilioFacts): FormFields {
  const { messageId, channel, channelId, from, to, userId, status, errorCode, errorMessage } = message;
  const sid = toMessageSid(messageId, contentType);
  const statusText = toTwilioStatus(status);
  const code = toTwilioErrorCode({ kind: channel, status, errorCode });
  return {
    MessageSid: sid,
    SmsSid: sid,
    MessageStatus: statusText,
    SmsStatus: statusText,
    To: toTwilioAddress(channel, to ?? userId ?? ''),
    From: toTwilioAddress(channel, from),
    ...(channelId !== null && { MessagingServiceSid: toSid('MG', channelId) }),
    ...(code !== null && { ErrorCode: String(code), ErrorMessage: errorMessage ?? describeStatus(status) }),
  };
}

function buildReceived(message: ReceivedData, facts: TwilioFormFacts): FormFields {
  const { name, accountId, publicUrl, repliedId, repliedType } = facts;
  const { messageId, channel, channelId, from, userId, username, to, type, text, payload } = message;
  const sid = toMessageSid(messageId, type);
  const file = findFile(payload);
  const sender = from ?? userId ?? '';
  return {
    MessageSid: sid,
    SmsSid: sid,
    SmsMessageSid: sid,
    SmsStatus: 'received',
    MessagingServiceSid: toSid('MG', channelId),
    From: toTwilioAddress(channel, sender),
    To: toTwilioAddress(channel, to),
    Body: text,
    NumSegments: String(channel === 'sms' ? segment(text).parts.length : 1),
    NumMedia: file ? '1' : '0',
    ...(file && { MediaUrl0: publicUrl + buildFilePath(accountId, sid, file.id), MediaContentType0: file.type }),
    ...(channel === 'whatsapp' && userId !== null && { ExternalUserId: toTwilioAddress(channel, userId) }),
    ...(channel === 'whatsapp' && { ...(from !== null && { WaId: from }), ProfileName: name || username || sender }),
    ...(channel === 'whatsapp' && { MessageType: type }),
    ...buildContentFields(type, text, payload),
    ...buildOptOutType(message, facts),
    ...(repliedId !== null && {
      OriginalRepliedMessageSid: toMessageSid(repliedId, repliedType),
      OriginalRepliedMessageSender: toTwilioAddress(channel, to),
    }),
  };
}

/** Source: Twilio, "Advanced Opt-Out". HELP appears only with a reply, because Twilio's clients then send none themselves. */
function buildOptOutType({ channel: kind, type, text }: ReceivedData, facts: TwilioFacts): FormFields {
  const keyword = readKeyword({ kind, type, body: text });
  const meaning = keyword && (keyword.meaning ?? findOwnMeaning(facts.ownWords ?? {}, keyword.word));
  if (meaning) return { OptOutType: meaning.toUpperCase() };
  return facts.isHelpAnswered ? { OptOutType: 'HELP' } : {};
}

function findOwnMeaning(ownWords: Readonly<Record<string, OptOutMeaning>>, word: string): OptOutMeaning | null {
  const entries = Object.entries(ownWords);
  const entry =
    entries.find(([own]) => own === word) ?? entries.find(([own]) => removeSpaces(own) === removeSpaces(word));
  return entry?.[1] ?? null;
}

function buildContentFields(type: string, text: string, payload: Record<string, unknown>): FormFields {
  switch (type) {
    case 'location':
      return pickTexts(payload, { Latitude: 'latitude', Longitude: 'longitude', Address: 'address', Label: 'name' });
    case 'button':
      return { ButtonText: text, ...pickTexts(payload, { ButtonPayload: 'payload' }) };
    case 'interactive':
      return {
        ...pickTexts(payload.button_reply, { ButtonText: 'title', ButtonPayload: 'id' }),
        ...pickTexts(payload.list_reply, { ListTitle: 'title', ListId: 'id' }),
      };
    default:
      return {};
  }
}

function pickTexts(part: unknown, names: Readonly<Record<string, string>>): FormFields {
  const values = new Map(Object.entries(part ?? {}));
  return Object.fromEntries(
    Object.entries(names).flatMap(([field, name]) => {
      const value: unknown = values.get(name);
      return typeof value === 'string' || typeof value === 'number' ? [[field, String(value)]] : [];
    }),
  );
}
