import type pg from 'pg';
import { MEDIA_TYPES } from '../../carriers/content.js';
import type { InboundChannel, InboundReport } from '../../carriers/inbound-message.js';
import { newId } from '../../platform/ids.js';
import { insertReceived } from './received-store.js';

type Payload = Readonly<Record<string, unknown>>;

const MEDIA_KINDS: ReadonlySet<string> = new Set(MEDIA_TYPES);
const MAX_LENGTH = 255;
/** The ID of an MMS file is its URL at the vendor, which may include a signature. */
const MAX_ID_LENGTH = 2_000;

/** Adds Heliograph's `mediaId` to the payload of a message with a file. */
export function withMediaId({ type, payload }: Pick<InboundReport, 'type' | 'payload'>): object {
  return MEDIA_KINDS.has(type) && toShortText((payload as Payload).id, MAX_ID_LENGTH) !== null
    ? { ...payload, mediaId: newId() }
    : payload;
}

/**
 * Call this function in the transaction that stores the message. `payload` must come from `withMediaId`. The file is
 * downloaded automatically at `fetchAt`, or only on request if `fetchAt` is null.
 */
export async function recordReceivedMedia(
  client: pg.PoolClient,
  channel: InboundChannel,
  { id: messageId, payload, createdAt }: { id: string; payload: object; createdAt: Date },
  fetchAt: Date | null,
): Promise<void> {
  const { mediaId, id, mime_type, sha256, filename } = payload as Payload;
  const carrierMediaId = toShortText(id, MAX_ID_LENGTH);
  if (typeof mediaId !== 'string' || carrierMediaId === null) return;
  await insertReceived(client, {
    id: mediaId,
    accountId: channel.accountId,
    channelId: channel.id,
    messageId,
    carrierMediaId,
    mimeType: toShortText(mime_type) ?? 'application/octet-stream',
    sha256: toShortText(sha256),
    filename: toShortText(filename),
    nextLook: fetchAt,
    createdAt,
  });
}

function toShortText(value: unknown, maxLength = MAX_LENGTH): string | null {
  return typeof value === 'string' && value !== '' && value.length <= maxLength ? value : null;
}
