import { hash } from 'node:crypto';
import type pg from 'pg';
import { KEY_ACCOUNT } from '../../../accounts/account-ref.js';
import { refusalOf } from '../../../accounts/account-settings.js';
import { withKey } from '../../../accounts/guard/guard.js';
import type { IdempotencyKey } from '../../../accounts/idempotency/idempotency.js';
import type { PhoneValidation } from '../../../carriers/numbers/phone-numbers.js';
import type { Acceptor, Commit } from '../../../messages/accept/acceptor.js';
import type { Clock } from '../../../platform/clock.js';
import { AppError } from '../../../platform/errors/app-error.js';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import { composeReply } from '../../conversations/sending/compose.js';
import type { Received } from './form.js';
import { noteReplies } from './reply-store.js';
import { readTwiml, type TwimlMessage } from './twiml.js';

/** A delivery of `message.received` that was answered with success. */
export interface AnsweredDelivery {
  id: string;
  accountId: string;
  /** Of its event, as JSON. */
  data: string;
  /** Messages of an answer that were sent already, the first ones of it. */
  repliesSent: number;
  /** The API key that set the webhook's URL; null if it was set in the console. */
  keyId: string | null;
}

/**
 * Sends what an endpoint answers with to whoever wrote.
 * @returns why something of it was not sent, in words for the owner of the webhook; null where nothing was refused
 * @throws what PostgreSQL throws, and AppError UNAVAILABLE where the server takes nothing for a moment: the endpoint is asked again then
 */
export type Replier = (delivery: AnsweredDelivery, answer: string) => Promise<string | null>;

export interface ReplierOptions {
  pool: pg.Pool;
  prisma: Pick<PrismaClient, 'account' | 'apiKey' | 'channel'>;
  clock: Clock;
  acceptor: Pick<Acceptor, 'accept' | 'within'>;
  phoneValidation: PhoneValidation;
  smsMaxChars: number;
}

/**
 * Creates the function that sends replies in TwiML. A reply is a send like any other: the account pays, and it must pass the guard of
 * the API key that set the webhook's URL. Each reply is recorded with its delivery, and its idempotency key is made of the
 * delivery and its position, so an endpoint that is called twice is replied to once.
 */
export function twimlReplier(options: ReplierOptions): Replier {
  return async (delivery, answer) => {
    const read = readTwiml(answer);
    if ('problem' in read) return notSent(read.problem);
    for (const [place, message] of read.messages.entries()) {
      if (place < delivery.repliesSent) continue;
      const problem = await send(options, delivery, message, place);
      if (problem !== null) return notSent(problem);
    }
    return null;
  };
}

const notSent = (why: string) => `The TwiML of the answer was not sent: ${why}.`.replace(/\.\.$/, '.');

async function send(
  options: ReplierOptions,
  { id, accountId, data, keyId }: AnsweredDelivery,
  { body, to, hasMedia }: TwimlMessage,
  place: number,
): Promise<string | null> {
  const { prisma, acceptor } = options;
  const { channelId, from, userId } = JSON.parse(data) as Received;
  if (hasMedia) return '<Media> is not sent; a file goes by the REST API';
  if (to !== null && !isSame(to, from ?? userId)) return 'it may answer who wrote, and nobody else';
  const [account, key, channel] = await Promise.all([
    prisma.account.findUnique({ where: { id: accountId }, select: KEY_ACCOUNT }),
    // A revoked key's guard still applies: its webhooks keep working.
    keyId === null
      ? null
      : prisma.apiKey.findFirst({ where: { id: keyId, accountId }, select: { id: true, spendGuard: true } }),
    prisma.channel.findFirst({ where: { id: channelId, accountId, deletedAt: null } }),
  ]);
  if (!account || !channel) return 'the channel is gone';
  try {
    const refusal = refusalOf(account);
    if (refusal) throw refusal;
    const target = from === null ? { userId: userId ?? '' } : { to: from };
    const idempotency = claimOf(id, place);
    const payer = key ? withKey(account, key.id, key.spendGuard) : account;
    const request = await composeReply(
      options,
      { account: payer, channel },
      { ...target, message: body },
      { idempotency },
    );
    await acceptor.accept({ ...request, surface: 'a' }, committing(options, id, place));
    return null;
  } catch (error) {
    if (error instanceof AppError && error.code !== 'UNAVAILABLE' && error.code !== 'INTERNAL') return error.message;
    throw error;
  }
}

/** Commits a reply together with the note of it, which lasts as long as the delivery may be replayed; its key lasts a day. */
function committing({ acceptor, pool }: Pick<ReplierOptions, 'acceptor' | 'pool'>, id: string, place: number): Commit {
  return (prepared) =>
    acceptor.within(pool, { payers: () => [prepared.request.account.id] }, async ({ client, commit }) => {
      const [outcome = 'conflict'] = await commit([prepared]);
      if (outcome === 'accepted') await noteReplies(client, id, place + 1);
      return outcome;
    });
}

/** Of the delivery alone, whatever is answered: who is asked again may answer in other words. */
function claimOf(deliveryId: string, place: number): IdempotencyKey {
  const key = `twiml ${deliveryId} ${place}`;
  return { key, route: 'TwiML', bodyHash: hash('sha256', key, 'buffer') };
}

function isSame(written: string, address: string | null): boolean {
  return written.replace(/^whatsapp:/i, '').replace(/^\+/, '') === address;
}
