import { MEDIA_TYPES } from '../../../carriers/content.js';
import { segment } from '../../../carriers/sms/segments.js';
import type { MessageStatus } from '../../../messages/message-status.js';
import { describeStatus } from '../../../messages/status/status-words.js';
import { sidOf } from '../../../platform/text/sids.js';
import type { BodyParts } from '../body.js';
import { twilioErrorCode } from './error-codes.js';
import type { TwilioFacts } from './facts-store.js';
import type { FormFields } from './signature.js';
import { API_VERSION, twilioAddress, twilioStatus } from './statuses.js';

/** Fields of the data of `message.received`. */
export interface Received {
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

/** Fields of the data of `message.status`. */
interface Told {
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

/** What a form is made of beside its data. */
export interface TwilioFormFacts extends TwilioFacts {
  /** Scheme and host of this server, as programs reach it. */
  publicUrl: string;
}

/** The file of a message that a contact wrote, which its payload names; null where it brought none. */
export function fileIn(payload: object): { id: string; type: string } | null {
  const { mediaId, mime_type: type } = payload as Record<string, unknown>;
  if (typeof mediaId !== 'string') return null;
  return { id: mediaId, type: typeof type === 'string' ? type : 'application/octet-stream' };
}

/** The path of a file of a message. */
export function filePath(accountId: string, messageSid: string, mediaId: string): string {
  return `/${API_VERSION}/Accounts/${sidOf('AC', accountId)}/Messages/${messageSid}/Media/${sidOf('ME', mediaId)}`;
}

/** The SID of a message: `MM` of one with a file. @param contentType that of its content, or its type where a contact wrote it */
export function messageSid(id: string, contentType: string | null): string {
  const isMedia = contentType !== null && (MEDIA_TYPES as readonly string[]).includes(contentType);
  return sidOf(isMedia ? 'MM' : 'SM', id);
}

/** The form of a delivery, as Twilio posts it (Twilio, "Messaging webhooks"). A test has neither message nor addresses. */
export function twilioForm({ type, data }: Pick<BodyParts, 'type' | 'data'>, facts: TwilioFormFacts): FormFields {
  const common = { AccountSid: sidOf('AC', facts.accountId), ApiVersion: API_VERSION };
  const parsed: unknown = JSON.parse(data);
  if (type === 'message.received') return { ...received(parsed as Received, facts), ...common };
  if (type === 'message.status') return { ...told(parsed as Told, facts), ...common };
  return { ...common, EventType: type };
}

/** A form as the body of a request. */
export function encodeForm(fields: FormFields): string {
  return new URLSearchParams(fields).toString();
}

function told(message: Told, { contentType }: TwilioFacts): FormFields {
  const { messageId, channel, channelId, from, to, userId, status, errorCode, errorMessage } = message;
  const sid = messageSid(messageId, contentType);
  const word = twilioStatus(status);
  const code = twilioErrorCode({ kind: channel, status, errorCode });
  return {
    MessageSid: sid,
    SmsSid: sid,
    MessageStatus: word,
    SmsStatus: word,
    To: twilioAddress(channel, to ?? userId ?? ''),
    From: twilioAddress(channel, from),
    ...(channelId !== null && { MessagingServiceSid: sidOf('MG', channelId) }),
    ...(code !== null && { ErrorCode: String(code), ErrorMessage: errorMessage ?? describeStatus(status) }),
  };
}

function received(message: Received, facts: TwilioFormFacts): FormFields {
  const { name, accountId, publicUrl, repliedId, repliedType } = facts;
  const { messageId, channel, channelId, from, userId, username, to, type, text, payload } = message;
  const sid = messageSid(messageId, type);
  const file = fileIn(payload);
  const who = from ?? userId ?? '';
  return {
    MessageSid: sid,
    SmsSid: sid,
    SmsMessageSid: sid,
    SmsStatus: 'received',
    MessagingServiceSid: sidOf('MG', channelId),
    From: twilioAddress(channel, who),
    To: twilioAddress(channel, to),
    Body: text,
    NumSegments: String(channel === 'sms' ? segment(text).parts.length : 1),
    NumMedia: file ? '1' : '0',
    ...(file && { MediaUrl0: publicUrl + filePath(accountId, sid, file.id), MediaContentType0: file.type }),
    ...(channel === 'whatsapp' && userId !== null && { ExternalUserId: twilioAddress(channel, userId) }),
    ...(channel === 'whatsapp' && { ...(from !== null && { WaId: from }), ProfileName: name || username || who }),
    ...(channel === 'whatsapp' && { MessageType: type }),
    ...ofType(type, text, payload),
    ...(repliedId !== null && {
      OriginalRepliedMessageSid: messageSid(repliedId, repliedType),
      OriginalRepliedMessageSender: twilioAddress(channel, to),
    }),
  };
}

/** What stands beside the text of some types. */
function ofType(type: string, text: string, payload: Record<string, unknown>): FormFields {
  switch (type) {
    case 'location':
      return fieldsOf(payload, { Latitude: 'latitude', Longitude: 'longitude', Address: 'address', Label: 'name' });
    case 'button':
      return { ButtonText: text, ...fieldsOf(payload, { ButtonPayload: 'payload' }) };
    case 'interactive':
      return {
        ...fieldsOf(payload.button_reply, { ButtonText: 'title', ButtonPayload: 'id' }),
        ...fieldsOf(payload.list_reply, { ListTitle: 'title', ListId: 'id' }),
      };
    default:
      return {};
  }
}

/** Of a part of a payload what is there. @param names by the field of the form what it is called in the payload */
function fieldsOf(part: unknown, names: Readonly<Record<string, string>>): FormFields {
  const values = new Map(Object.entries(part ?? {}));
  return Object.fromEntries(
    Object.entries(names).flatMap(([field, name]) => {
      const value: unknown = values.get(name);
      return typeof value === 'string' || typeof value === 'number' ? [[field, String(value)]] : [];
    }),
  );
}
