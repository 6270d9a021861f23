import { MEDIA_TYPES } from '../../../carriers/content.js';
import { messageIdOf, Simulator } from '../../../carriers/simulator/simulator.js';
import { sentMessageId, toGraphIds } from '../../channels/graph-ids.js';
import type { BodyParts } from '../body.js';
import { errorOfStatus } from './errors.js';
import type { MetaFacts } from './facts-store.js';

/** Our statuses in Meta's words; whatever is final and no success is `failed`. */
const SUCCESSES: ReadonlySet<string> = new Set(['sent', 'delivered', 'read']);

/** Fields of the data of `message.received`. */
interface Received {
  from: string | null;
  userId: string | null;
  username: string | null;
  type: string;
  text: string;
  payload: Record<string, unknown>;
  carrierMessageId: string;
}

/** Fields of the data of `message.status`. */
interface Told {
  messageId: string;
  to: string | null;
  userId: string | null;
  username: string | null;
  status: string;
  errorCode: string | null;
  errorMessage: string | null;
  metadata: Record<string, string> | null;
}

/**
 * The body of a delivery as Meta's Cloud API sends it (Meta, "Webhooks", "messages"). Events that Meta has no word for, such
 * as a test, have the number alone.
 */
export function metaBody({ type, occurredAt, data }: BodyParts, facts: MetaFacts): string {
  const { phoneNumberId, businessAccountId } = toGraphIds(
    { id: facts.channelId, carrierSettings: facts.carrierSettings },
    { businessAccountId: facts.businessAccountId },
  );
  const timestamp = String(Math.floor(occurredAt.getTime() / 1000));
  const parsed: unknown = JSON.parse(data);
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: facts.phoneNumber, phone_number_id: phoneNumberId },
    ...(type === 'message.received' && received(parsed as Received, timestamp, facts)),
    ...(type === 'message.status' && told(parsed as Told, timestamp, facts)),
  };
  const entry = { id: businessAccountId, changes: [{ value, field: 'messages' }] };
  return JSON.stringify({ object: 'whatsapp_business_account', entry: [entry] });
}

function received(message: Received, timestamp: string, facts: MetaFacts) {
  const { from, userId, type, carrierMessageId } = message;
  const { context, referral, errors, mediaId, ...own } = message.payload;
  const content = isMedia(type) ? ofFile(own, mediaId) : own;
  const quoted = context as Record<string, unknown> | undefined;
  return {
    contacts: [contactOf({ ...message, phone: from }, facts)],
    messages: [
      {
        ...(from !== null && { from }),
        ...(userId !== null && { from_user_id: userId }),
        ...(facts.parentUserId !== null && { from_parent_user_id: facts.parentUserId }),
        id: carrierMessageId,
        timestamp,
        ...(quoted && { context: { ...quoted, ...(quoted.id !== undefined && { id: referredId(quoted.id, facts) }) } }),
        ...(referral !== undefined && { referral }),
        ...(errors !== undefined && { errors }),
        type,
        ...contentOf(message, content, facts),
      },
    ],
  };
}

const isMedia = (type: string) => (MEDIA_TYPES as readonly string[]).includes(type);

/**
 * A file as the client is to ask for it: from us, by our id of it. Meta's own `url` is left out, because a client would send our
 * token there.
 */
function ofFile({ url: _url, ...file }: Record<string, unknown>, mediaId: unknown): Record<string, unknown> {
  return mediaId === undefined ? file : { ...file, id: mediaId };
}

/** What stands under the name of the type. What the simulator's contact wrote may have its text alone. */
function contentOf({ type, text }: Received, content: Record<string, unknown>, facts: MetaFacts): object {
  switch (type) {
    case 'text':
      return { text: { body: text, ...content } };
    case 'button':
      return { button: { text, payload: text, ...content } };
    case 'image':
    case 'video':
    case 'document':
      return { [type]: { ...(text !== '' && { caption: text }), ...content } };
    case 'reaction':
      return { reaction: { ...content, message_id: referredId(content.message_id, facts) } };
    case 'contacts':
      // Meta's list of cards; it is kept in an object of this name.
      return { contacts: content.contacts ?? [] };
    default:
      return Object.keys(content).length > 0 ? { [type]: content } : {};
  }
}

/** A message that was sent here is known to the client by the id that its answer had. */
function referredId(id: unknown, { referredId: noted, carrier }: MetaFacts): unknown {
  // Nobody notes the simulator's ids, for ours can be read from them.
  const simulated = carrier === Simulator.carrierName && typeof id === 'string' ? messageIdOf(id) : undefined;
  const sent = noted ?? simulated;
  return sent === undefined ? id : sentMessageId(sent);
}

function told(status: Told, timestamp: string, facts: MetaFacts) {
  const { to, userId, metadata } = status;
  const word = SUCCESSES.has(status.status) ? status.status : 'failed';
  const opaque = metadata?.biz_opaque_callback_data;
  return {
    // Meta leaves the contact out of failures.
    ...(userId !== null && word !== 'failed' && { contacts: [contactOf({ ...status, phone: to }, facts)] }),
    statuses: [
      {
        id: sentMessageId(status.messageId),
        status: word,
        timestamp,
        ...(to !== null && { recipient_id: to }),
        ...(userId !== null && { recipient_user_id: userId }),
        ...(facts.parentUserId !== null && { recipient_parent_user_id: facts.parentUserId }),
        ...(opaque !== undefined && { biz_opaque_callback_data: opaque }),
        ...(word === 'failed' && { errors: [errorOfStatus(status)] }),
      },
    ],
  };
}

function contactOf(
  { phone, userId, username }: { phone: string | null; userId: string | null; username: string | null },
  { name, parentUserId }: MetaFacts,
) {
  return {
    // Clients read a name from each: the number, or what the person calls itself, stands for one that is not known.
    profile: { name: name || username || phone || userId || '', ...(username !== null && { username }) },
    ...(phone !== null && { wa_id: phone }),
    ...(userId !== null && { user_id: userId }),
    ...(parentUserId !== null && { parent_user_id: parentUserId }),
  };
}
