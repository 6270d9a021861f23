import type { InboundReport } from '../../inbound-message.js';
import { asObject, type Json, readSender, textOf, timeOf } from './fields.js';

/** Types that have what they are under their own name; of others the whole message is the payload, for it may lie anywhere. */
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

/** What every message has, and the row holds beside the payload. */
const COMMON: ReadonlySet<string> = new Set([
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

/** A message that a contact wrote, of whatever type; null where it lacks its id, its type or its sender. */
export function readMessage(message: Json, contacts: readonly Json[], now: Date): InboundReport | null {
  const sender = readSender(message, contacts);
  const content = readContent(message, now);
  if (!content || !sender) return null;
  const { at, ...rest } = content;
  return { ...sender, ...rest, receivedAt: at };
}

/** What a message says, whoever sent it. */
export interface MessageContents {
  carrierMessageId: string;
  type: string;
  /** Text, caption or button text; "" where there is none. */
  body: string;
  payload: object;
  at: Date;
}

export function readContent(message: Json, now: Date): MessageContents | null {
  const carrierMessageId = textOf(message.id);
  const type = textOf(message.type);
  if (!carrierMessageId || !type) return null;
  return {
    carrierMessageId,
    type,
    body: bodyOf(type, message),
    payload: payloadOf(type, message),
    at: timeOf(message.timestamp, now),
  };
}

/** What stands under the type's name, which may be the name of something that every object has. */
function nodeOf(type: string, message: Json): unknown {
  return Object.hasOwn(message, type) ? message[type] : undefined;
}

/** Text, caption or button text. */
export function bodyOf(type: string, message: Json): string {
  const node = asObject(nodeOf(type, message));
  switch (type) {
    case 'text':
      return textOf(node?.body) ?? '';
    case 'button':
    case 'order':
      return textOf(node?.text) ?? '';
    case 'interactive': {
      const reply = asObject(node?.button_reply) ?? asObject(node?.list_reply);
      return textOf(reply?.title) ?? textOf(asObject(node?.nfm_reply)?.body) ?? '';
    }
    default:
      return textOf(node?.caption) ?? '';
  }
}

/** What stands under the type's name, and beside it what the message refers to: a quoted message, or an advertisement. */
export function payloadOf(type: string, message: Json): object {
  const node = nodeOf(type, message);
  const own = Array.isArray(node) ? { [type]: node } : (asObject(node) ?? {});
  if (!KNOWN_TYPES.has(type)) return { ...others(type, message), ...own };
  return {
    ...own,
    ...(asObject(message.context) && { context: message.context }),
    ...(asObject(message.referral) && { referral: message.referral }),
    ...(Array.isArray(message.errors) && { errors: message.errors }),
  };
}

function others(type: string, message: Json): object {
  return Object.fromEntries(Object.entries(message).filter(([name]) => name !== type && !COMMON.has(name)));
}
