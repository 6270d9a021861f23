import type pg from 'pg';
import { MEDIA_TYPES } from '../../carriers/content.js';
import type { InboundChannel, InboundReport } from '../../carriers/inbound-message.js';
import { newId } from '../../platform/ids.js';
import { insertReceived } from './received-store.js';

type Payload = Readonly<Record<string, unknown>>;

const KINDS: ReadonlySet<string> = new Set(MEDIA_TYPES);
/** Longer than any name or type, and than any ID of Meta's. */
const LONGEST = 255;
/** The ID of an MMS's file is its address at the vendor, which may be signed. */
const LONGEST_ID = 2_000;

/**
 * The payload of a message from a contact as it is stored and told: with our id of its file as `mediaId`, where it brings one,
 * beside the carrier's.
 */
export function withMediaId({ type, payload }: Pick<InboundReport, 'type' | 'payload'>): object {
  return KINDS.has(type) && short((payload as Payload).id, LONGEST_ID) !== null
    ? { ...payload, mediaId: newId() }
    : payload;
}

/**
 * Notes the file that a message brings, in the transaction that stores the message.
 * @param message its payload is that of `withMediaId`
 * @param fetchAt when it is fetched without being asked for; null: not
 */
export async function noteReceived(
  client: pg.PoolClient,
  channel: InboundChannel,
  { id: messageId, payload: given, createdAt }: { id: string; payload: object; createdAt: Date },
  fetchAt: Date | null,
): Promise<void> {
  const { mediaId, id, mime_type, sha256, filename } = given as Payload;
  const carrierMediaId = short(id, LONGEST_ID);
  if (typeof mediaId !== 'string' || carrierMediaId === null) return;
  await insertReceived(client, {
    id: mediaId,
    accountId: channel.accountId,
    channelId: channel.id,
    messageId,
    carrierMediaId,
    mimeType: short(mime_type) ?? 'application/octet-stream',
    sha256: short(sha256),
    filename: short(filename),
    nextLook: fetchAt,
    createdAt,
  });
}

function short(value: unknown, longest = LONGEST): string | null {
  return typeof value === 'string' && value !== '' && value.length <= longest ? value : null;
}
