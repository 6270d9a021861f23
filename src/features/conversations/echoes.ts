import type pg from 'pg';
import { toStorableId } from '../../carriers/carrier-message-id.js';
import type { CorrectionReport, EchoReport } from '../../carriers/inbound-message.js';
import { toAddress } from '../../carriers/numbers/user-ids.js';
import { emitCorrectionEvent } from '../../messages/events/correction-events.js';
import { correctEcho, fillEcho, insertEcho, isKnownEcho } from '../../messages/stored-messages/echo-store.js';
import type { Clock } from '../../platform/clock.js';
import { deriveId } from '../../platform/ids.js';
import { inTransaction } from '../../platform/store/connections/pool.js';
import { getSqlState, isPartitionMissing, isRetryable } from '../../platform/store/failures.js';
import { retryTransaction } from '../../platform/store/repeat.js';
import { toStorable, toStorableJson } from '../../platform/store/storable.js';
import { findOrCreateContact } from '../contacts/contacts.js';
import { findOrCreatePerson } from '../contacts/identity/person.js';
import { findChannelCarrier, recordNewestEcho } from './channel-store.js';
import { touchConversations } from './party-store.js';

export interface EchoOptions {
  pool: pg.Pool;
  clock: Clock;
}

const UNIQUE_VIOLATION = '23505';
/** Limit beyond which a timestamp in the future is implausible. */
const MAX_CLOCK_SKEW_MS = 24 * 3_600_000;

/**
 * Stores messages that the channels' numbers sent outside Heliograph, for example from the phone app. Repeated reports
 * change nothing, even after the person was erased. Skips messages from a month that MESSAGE_RETENTION_DAYS has
 * detached, because the next sweep would delete them. A file in an imported history arrives after its message and is
 * added to that message. Returns the reports that have no recipient and match no current or former message.
 */
export async function storeEchoes(
  { pool, clock }: EchoOptions,
  echoes: readonly EchoReport[],
): Promise<readonly EchoReport[]> {
  const unmatched: EchoReport[] = [];
  for (const echo of echoes) {
    const isStored = await retryTransaction(
      () => inTransaction(pool, (client) => storeEcho(client, echo, clock.now())),
      (error) => isRetryable(error) || getSqlState(error) === UNIQUE_VIOLATION,
    ).catch((error: unknown) => {
      if (!isPartitionMissing(error)) throw error;
      return true;
    });
    if (!isStored) unmatched.push(echo);
  }
  return unmatched;
}

/** Returns whether the message is stored, or was stored before it was erased. */
async function storeEcho(client: pg.PoolClient, echo: EchoReport, now: Date): Promise<boolean> {
  const { channel, to, body, type } = echo;
  const { id: channelId, accountId } = channel;
  const carrierMessageId = toStorableId(echo.carrierMessageId);
  const sentAt = echo.sentAt < now ? echo.sentAt : now;
  // The ID must not depend on `now`, so that a repeated report gets the same ID. An implausible time is replaced by
  // `now`, because it would not fit into any monthly partition.
  const isPlausible = echo.sentAt.getTime() - now.getTime() < MAX_CLOCK_SKEW_MS;
  const id = deriveId(isPlausible ? echo.sentAt : now, `${channelId} ${carrierMessageId}`);
  const carrier = await findChannelCarrier(client, channelId);
  const echoFields = {
    carrier,
    carrierMessageId,
    channelId,
    body: toStorable(body),
    content: toContent(type, echo.payload),
  };
  // `isKnownEcho` recognizes messages of erased people by ID, which works only if their time is plausible.
  if ((await fillEcho(client, echoFields)) || (await isKnownEcho(client, id))) return true;
  const recipient = to && toAddress(to);
  if (to === null || recipient === null) return false;
  const createdAt = echo.isPast ? sentAt : now;
  const scope = { accountId, channelId, name: toStorable(echo.name), at: createdAt };
  const party =
    to.phone !== null && to.userId === null && to.parentUserId === null
      ? await findOrCreateContact(client, { ...scope, phone: to.phone }, { lock: true })
      : await findOrCreatePerson(client, { ...scope, ...to, username: null, seenAt: sentAt });
  const { contactId, conversationId } = party;
  await touchConversations(client, [conversationId], sentAt);
  await recordNewestEcho(client, channelId, id);
  await insertEcho(client, {
    ...{ ...echoFields, id, accountId, contactId, conversationId, recipient, sentAt },
    ...{ sender: channel.phoneNumber, status: echo.status },
  });
  return true;
}

/** Returns null for plain text. Stores the payload of any other type under `object`, as other messages do. */
function toContent(type: string, payload: object): object | null {
  const isPlain = type === 'text' && Object.keys(payload).every((name) => name === 'body' || name === 'preview_url');
  return isPlain ? null : { type: toStorable(type), object: toStorableJson(payload) };
}

/** Returns whether the message is stored. */
export async function applyEchoCorrection(
  { pool }: Pick<EchoOptions, 'pool'>,
  report: CorrectionReport,
): Promise<boolean> {
  const { channel, edit, at } = report;
  const carrier = await findChannelCarrier(pool, channel.id);
  const content = edit
    ? { ...(toContent(edit.type, edit.payload) ?? { type: 'text' }), editedAt: at.toISOString() }
    : { type: 'text', revokedAt: at.toISOString() };
  return await retryTransaction(() =>
    inTransaction(pool, async (client) => {
      const echo = await correctEcho(client, {
        ...{ carrier, channelId: channel.id, content, isRevoked: edit === null, at },
        carrierMessageId: toStorableId(report.carrierMessageId),
        body: toStorable(edit?.body ?? ''),
      });
      if (echo?.isCorrected) {
        await emitCorrectionEvent(client, report, {
          ...echo,
          type: null,
          payload: edit && toStorableJson(edit.payload),
        });
      }
      return echo !== undefined;
    }),
  );
}
