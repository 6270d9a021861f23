import type { InboundReport } from '../../inbound-message.js';
import { asObject, type Json, readSender, readText, readTime } from './fields.js';

/** For message types other than these, the whole message is stored as payload. */
const KNOWN_TYPES: ReadonlySet<string> = new Set([
  'text',
  'image',
  'document',
  'audio',
  'video',
  'sticker',
  'location',
  'contacts',
  'button',
  'interactive',
  'reaction',
  'order',
  'unsupported',
  'request_welcome',
]);

const COLUMN_MEMBERS: ReadonlySet<string> = new Set([
  'id',
  'type',
  'from',
  'from_user_id',
  'from_parent_user_id',
  'timestamp',
  'to',
  'to_user_id',
  'to_parent_user_id',
  'history_context',
]);

export function readMessage(message: Json, contacts: readonly Json[], now: Date): InboundReport | null {
  const sender = readSender(message, contacts);
  const content = readContent(message, now);
  if (!content || !sender) return null;
  const { at, ...contentFields } = content;
  return { ...sender, ...contentFields, receivedAt: at };
}

export interface MessageContents {
  carrierMessageId: string;
  type: string;
  body: string;
  payload: object;
  at: Date;
}

export function readContent(message: Json, now: Date): MessageContents | null {
  const carrierMessageId = readText(message.id);
  const type = readText(message.type);
  if (!carrierMessageId || !type) return null;
  return {
    carrierMessageId,
    type,
    body: readBody(type, message),
    payload: readPayload(type, message),
    at: readTime(message.timestamp, now),
  };
}

/** Inherited properties are ignored, because Meta's type may be a name such as `constructor`. */
function readTypeMember(type: string, message: Json): unknown {
  return Object.hasOwn(message, type) ? message[type] : undefined;
}

export function readBody(type: string, message: Json): string {
  const node = asObject(readTypeMember(type, message));
  switch (type) {
    case 'text':
      return readText(node?.body) ?? '';
    case 'button':
    case 'order':
      return readText(node?.text) ?? '';
    case 'interactive': {
      const reply = asObject(node?.button_reply) ?? asObject(node?.list_reply);
      return readText(reply?.title) ?? readText(asObject(node?.nfm_reply)?.body) ?? '';
    }
    default:
      return readText(node?.caption) ?? '';
  }
}

export function readPayload(type: string, message: Json): object {
  const node = readTypeMember(type, message);
  const content = Array.isArray(node) ? { [type]: node } : (asObject(node) ?? {});
  if (!KNOWN_TYPES.has(type)) return { ...readUnknownMembers(type, message), ...content };
  return {
    ...content,
    ...(asObject(message.context) && { context: message.context }),
    ...(asObject(message.referral) && { referral: message.referral }),
    ...(Array.isArray(message.errors) && { errors: message.errors }),
  };
}

function readUnknownMembers(type: string, message: Json): object {
  return Object.fromEntries(Object.entries(message).filter(([name]) => name !== type && !COLUMN_MEMBERS.has(name)));
}
