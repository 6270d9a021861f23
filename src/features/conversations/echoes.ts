import type pg from 'pg';
import { storableId } from '../../carriers/carrier-message-id.js';
import type { CorrectionReport, EchoReport } from '../../carriers/inbound-message.js';
import { addressOf } from '../../carriers/numbers/user-ids.js';
import { emitCorrected } from '../../messages/events/correction-events.js';
import { correctEcho, fillEcho, insertEcho, isKnownEcho } from '../../messages/rows/echo-store.js';
import type { Clock } from '../../platform/clock.js';
import { idOf } from '../../platform/ids.js';
import { inTransaction } from '../../platform/store/connections/pool.js';
import { lacksPartition, sqlState, worthRepeating } from '../../platform/store/failures.js';
import { repeated } from '../../platform/store/repeat.js';
import { storable, storableJson } from '../../platform/store/storable.js';
import { findOrCreateContact } from '../contacts/contacts.js';
import { findOrCreatePerson } from '../contacts/identity/person.js';
import { carrierOfChannel, noteEcho } from './carrier-store.js';
import { touchConversations } from './party-store.js';

export interface EchoOptions {
  pool: pg.Pool;
  clock: Clock;
}

const UNIQUE_VIOLATION = '23505';
/** By how much the carrier's clock may be ahead of ours. */
const SANE_MS = 24 * 3_600_000;

/**
 * Stores what was sent by the numbers of channels elsewhere, such as from the app on the telephone: each message lies in the
 * conversation at its time, charged nothing and counted nowhere. One that is told again changes nothing, not even where its
 * person was erased since. One of a month that left as a table (MESSAGE_RETENTION_DAYS) would leave with the next sweep, and is
 * let be. A file of the past comes after the message that holds its place, and is put into it.
 * @returns those that name no recipient, and no message that is here or was
 */
export async function storeEchoes(
  { pool, clock }: EchoOptions,
  echoes: readonly EchoReport[],
): Promise<readonly EchoReport[]> {
  const strays: EchoReport[] = [];
  for (const echo of echoes) {
    const isHere = await repeated(
      () => inTransaction(pool, (client) => storeEcho(client, echo, clock.now())),
      (error) => worthRepeating(error) || sqlState(error) === UNIQUE_VIOLATION,
    ).catch((error: unknown) => {
      if (!lacksPartition(error)) throw error;
      return true;
    });
    if (!isHere) strays.push(echo);
  }
  return strays;
}

/** @returns whether it is here now, or was */
async function storeEcho(client: pg.PoolClient, echo: EchoReport, now: Date): Promise<boolean> {
  const { channel, to, body, type } = echo;
  const { id: channelId, accountId } = channel;
  const carrierMessageId = storableId(echo.carrierMessageId);
  const sentAt = echo.sentAt < now ? echo.sentAt : now;
  // Not of `now`, which is another whenever it is told; but a time that no clock is wrong by would lie in no month.
  const isSane = echo.sentAt.getTime() - now.getTime() < SANE_MS;
  const id = idOf(isSane ? echo.sentAt : now, `${channelId} ${carrierMessageId}`);
  const carrier = await carrierOfChannel(client, channelId);
  const said = { carrier, carrierMessageId, channelId, body: storable(body), content: contentOf(type, echo.payload) };
  // Of one whose person was erased only the id is left; one without a time has another id whenever it is told.
  if ((await fillEcho(client, said)) || (await isKnownEcho(client, id))) return true;
  const recipient = to && addressOf(to);
  if (to === null || recipient === null) return false;
  const at = echo.isPast ? sentAt : now;
  const scope = { accountId, channelId, name: storable(echo.name), at };
  const found =
    to.phone !== null && to.userId === null && to.parentUserId === null
      ? await findOrCreateContact(client, { ...scope, phone: to.phone }, { lock: true })
      : await findOrCreatePerson(client, { ...scope, ...to, username: null, seenAt: sentAt });
  const { contactId, conversationId } = found;
  await touchConversations(client, [conversationId], sentAt);
  await noteEcho(client, channelId, id);
  await insertEcho(client, {
    ...{ ...said, id, accountId, contactId, conversationId, recipient, sentAt },
    ...{ sender: channel.phoneNumber, status: echo.status },
  });
  return true;
}

/** Null for plain text; else as that of any message, whose payload stands under `object`. */
function contentOf(type: string, payload: object): object | null {
  const plain = type === 'text' && Object.keys(payload).every((name) => name === 'body' || name === 'preview_url');
  return plain ? null : { type: storable(type), object: storableJson(payload) };
}

/**
 * Somebody changed a message that they had sent elsewhere, or took it back; the webhooks are told.
 * @returns whether it is here
 */
export async function correctOwn({ pool }: Pick<EchoOptions, 'pool'>, report: CorrectionReport): Promise<boolean> {
  const { channel, edit, at } = report;
  const carrier = await carrierOfChannel(pool, channel.id);
  const content = edit
    ? { ...(contentOf(edit.type, edit.payload) ?? { type: 'text' }), editedAt: at.toISOString() }
    : { type: 'text', revokedAt: at.toISOString() };
  return await repeated(() =>
    inTransaction(pool, async (client) => {
      const found = await correctEcho(client, {
        ...{ carrier, channelId: channel.id, content, isRevoked: edit === null, at },
        carrierMessageId: storableId(report.carrierMessageId),
        body: storable(edit?.body ?? ''),
      });
      if (found?.isCorrected) {
        await emitCorrected(client, report, { ...found, type: null, payload: edit && storableJson(edit.payload) });
      }
      return found !== undefined;
    }),
  );
}
