import { MEDIA_TYPES } from '../../../carriers/content.js';
import { parseMessageId, Simulator } from '../../../carriers/simulator/simulator.js';
import { toGraphIds, toSentMessageId } from '../../channels/graph-ids.js';
import type { BodyParts } from '../body.js';
import { toMetaError } from './errors.js';
import type { MetaFacts } from './facts-store.js';

const SUCCESSES: ReadonlySet<string> = new Set(['sent', 'delivered', 'read']);

interface ReceivedData {
  from: string | null;
  userId: string | null;
  username: string | null;
  type: string;
  text: string;
  payload: Record<string, unknown>;
  carrierMessageId: string;
}

interface StatusData {
  messageId: string;
  to: string | null;
  userId: string | null;
  username: string | null;
  status: string;
  errorCode: string | null;
  errorMessage: string | null;
  metadata: Record<string, string> | null;
}

/** Events unknown to Meta, such as a test, contain only the channel's number (Meta, "Webhooks", "messages"). */
export function buildMetaBody({ type, occurredAt, data }: BodyParts, facts: MetaFacts): string {
  const { phoneNumberId, businessAccountId } = toGraphIds(
    { id: facts.channelId, carrierSettings: facts.carrierSettings },
    { businessAccountId: facts.businessAccountId },
  );
  const timestamp = String(Math.floor(occurredAt.getTime() / 1000));
  const parsed: unknown = JSON.parse(data);
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: facts.phoneNumber, phone_number_id: phoneNumberId },
    ...(type === 'message.received' && buildReceived(parsed as ReceivedData, timestamp, facts)),
    ...(type === 'message.status' && buildStatus(parsed as StatusData, timestamp, facts)),
  };
  const entry = { id: businessAccountId, changes: [{ value, field: 'messages' }] };
  return JSON.stringify({ object: 'whatsapp_business_account', entry: [entry] });
}

function buildReceived(message: ReceivedData, timestamp: string, facts: MetaFacts) {
  const { from, userId, type, carrierMessageId } = message;
  const { context, referral, errors, mediaId, ...otherFields } = message.payload;
  const content = isMedia(type) ? toFile(otherFields, mediaId) : otherFields;
  const quoted = context as Record<string, unknown> | undefined;
  return {
    contacts: [toContact({ ...message, phone: from }, facts)],
    messages: [
      {
        ...(from !== null && { from }),
        ...(userId !== null && { from_user_id: userId }),
        ...(facts.parentUserId !== null && { from_parent_user_id: facts.parentUserId }),
        id: carrierMessageId,
        timestamp,
        ...(quoted && {
          context: { ...quoted, ...(quoted.id !== undefined && { id: toClientMessageId(quoted.id, facts) }) },
        }),
        ...(referral !== undefined && { referral }),
        ...(errors !== undefined && { errors }),
        type,
        ...toContent(message, content, facts),
      },
    ],
  };
}

const isMedia = (type: string) => (MEDIA_TYPES as readonly string[]).includes(type);

/**
 * Replaces Meta's file ID with Heliograph's, because the client downloads the file from this server. Meta's `url` is
 * left out, because a client would send its Heliograph token to that URL.
 */
function toFile({ url: _url, ...file }: Record<string, unknown>, mediaId: unknown): Record<string, unknown> {
  return mediaId === undefined ? file : { ...file, id: mediaId };
}

/** A simulated message of any type may have a text but no other content. */
function toContent({ type, text }: ReceivedData, content: Record<string, unknown>, facts: MetaFacts): object {
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
      return { reaction: { ...content, message_id: toClientMessageId(content.message_id, facts) } };
    case 'contacts':
      return { contacts: content.contacts ?? [] };
    default:
      return Object.keys(content).length > 0 ? { [type]: content } : {};
  }
}

/** Returns the message ID that the client received in the response to its send. */
function toClientMessageId(id: unknown, { referredId: recordedId, carrier }: MetaFacts): unknown {
  // The simulator's message IDs are not recorded, because they contain Heliograph's message IDs.
  const simulated = carrier === Simulator.carrierName && typeof id === 'string' ? parseMessageId(id) : undefined;
  const messageId = recordedId ?? simulated;
  return messageId === undefined ? id : toSentMessageId(messageId);
}

function buildStatus(status: StatusData, timestamp: string, facts: MetaFacts) {
  const { to, userId, metadata } = status;
  const metaStatus = SUCCESSES.has(status.status) ? status.status : 'failed';
  const opaqueData = metadata?.biz_opaque_callback_data;
  return {
    // Meta's reports of failures do not contain the contact.
    ...(userId !== null && metaStatus !== 'failed' && { contacts: [toContact({ ...status, phone: to }, facts)] }),
    statuses: [
      {
        id: toSentMessageId(status.messageId),
        status: metaStatus,
        timestamp,
        ...(to !== null && { recipient_id: to }),
        ...(userId !== null && { recipient_user_id: userId }),
        ...(facts.parentUserId !== null && { recipient_parent_user_id: facts.parentUserId }),
        ...(opaqueData !== undefined && { biz_opaque_callback_data: opaqueData }),
        ...(metaStatus === 'failed' && { errors: [toMetaError(status)] }),
      },
    ],
  };
}

function toContact(
  { phone, userId, username }: { phone: string | null; userId: string | null; username: string | null },
  { name, parentUserId }: MetaFacts,
) {
  return {
    // Clients expect a name, so the username, number or user ID replaces an unknown name.
    profile: { name: name || username || phone || userId || '', ...(username !== null && { username }) },
    ...(phone !== null && { wa_id: phone }),
    ...(userId !== null && { user_id: userId }),
    ...(parentUserId !== null && { parent_user_id: parentUserId }),
  };
}
