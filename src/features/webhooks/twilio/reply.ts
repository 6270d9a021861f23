import { hash } from 'node:crypto';
import type pg from 'pg';
import { KEY_ACCOUNT_COLUMNS } from '../../../accounts/account-ref.js';
import { findAccountRefusal } from '../../../accounts/account-settings.js';
import { withKey } from '../../../accounts/guard/guard.js';
import type { IdempotencyKey } from '../../../accounts/idempotency/idempotency.js';
import type { PhoneValidation } from '../../../carriers/numbers/phone-numbers.js';
import type { Acceptor, Commit } from '../../../messages/accept/acceptor.js';
import type { Clock } from '../../../platform/clock.js';
import { AppError } from '../../../platform/errors/app-error.js';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import { composeReply } from '../../conversations/sending/compose.js';
import type { ReceivedData } from './form.js';
import { recordReplies } from './reply-store.js';
import { readTwiml, type TwimlMessage } from './twiml.js';

export interface AnsweredDelivery {
  id: string;
  accountId: string;
  /** JSON. */
  data: string;
  repliesSent: number;
  keyId: string | null;
}

/**
 * Returns null if all messages were sent, and otherwise the reason for the webhook's owner. Throws errors of
 * PostgreSQL, or AppError UNAVAILABLE if the server is too busy, so that the delivery is repeated.
 */
export type Replier = (delivery: AnsweredDelivery, response: string) => Promise<string | null>;

export interface ReplierOptions {
  pool: pg.Pool;
  prisma: Pick<PrismaClient, 'account' | 'apiKey' | 'channel'>;
  clock: Clock;
  acceptor: Pick<Acceptor, 'accept' | 'acceptWithin'>;
  phoneValidation: PhoneValidation;
  smsMaxChars: number;
}

/**
 * Applies the spending guard of the API key that set the webhook's URL. Each reply is recorded with its delivery and
 * has an idempotency key, so that a repeated delivery does not repeat replies.
 */
export function createTwimlReplier(options: ReplierOptions): Replier {
  return async (delivery, response) => {
    const twiml = readTwiml(response);
    if ('problem' in twiml) return describeNotSent(twiml.problem);
    for (const [index, message] of twiml.messages.entries()) {
      if (index < delivery.repliesSent) continue;
      const problem = await sendReply(options, delivery, message, index);
      if (problem !== null) return describeNotSent(problem);
    }
    return null;
  };
}

const describeNotSent = (reason: string) => `The TwiML reply was not sent: ${reason}.`.replace(/\.\.$/, '.');

async function sendReply(
  options: ReplierOptions,
  { id, accountId, data, keyId }: AnsweredDelivery,
  { body, to, hasMedia }: TwimlMessage,
  index: number,
): Promise<string | null> {
  const { prisma, acceptor } = options;
  const { channelId, from, userId } = JSON.parse(data) as ReceivedData;
  if (hasMedia) return '<Media> is not supported; send files with the REST API';
  if (to !== null && !isSameAddress(to, from ?? userId)) return '`to` must be the sender of the message';
  const [account, key, channel] = await Promise.all([
    prisma.account.findUnique({ where: { id: accountId }, select: KEY_ACCOUNT_COLUMNS }),
    // The guard of a revoked key still applies, because the key's webhooks keep working.
    keyId === null
      ? null
      : prisma.apiKey.findFirst({ where: { id: keyId, accountId }, select: { id: true, spendGuard: true } }),
    prisma.channel.findFirst({ where: { id: channelId, accountId, deletedAt: null } }),
  ]);
  if (!account || !channel) return 'the channel was deleted';
  try {
    const refusal = findAccountRefusal(account);
    if (refusal) throw refusal;
    const target = from === null ? { userId: userId ?? '' } : { to: from };
    const idempotency = toIdempotencyKey(id, index);
    const payer = key ? withKey(account, key.id, key.spendGuard) : account;
    const request = await composeReply(
      options,
      { account: payer, channel },
      { ...target, message: body },
      { idempotency },
    );
    await acceptor.accept({ ...request, surface: 'a' }, commitWithRecord(options, id, index));
    return null;
  } catch (error) {
    if (error instanceof AppError && error.code !== 'UNAVAILABLE' && error.code !== 'INTERNAL') return error.message;
    throw error;
  }
}

/** A recorded reply lasts as long as the delivery can be replayed, whereas the idempotency key lasts only a day. */
function commitWithRecord(
  { acceptor, pool }: Pick<ReplierOptions, 'acceptor' | 'pool'>,
  id: string,
  index: number,
): Commit {
  return (prepared) =>
    acceptor.acceptWithin(pool, { listPayers: () => [prepared.request.account.id] }, async ({ client, commit }) => {
      const [outcome = 'conflict'] = await commit([prepared]);
      if (outcome === 'accepted') await recordReplies(client, id, index + 1);
      return outcome;
    });
}

/** The key does not depend on the reply's text, because a repeated delivery may get a different response. */
function toIdempotencyKey(deliveryId: string, index: number): IdempotencyKey {
  const key = `twiml ${deliveryId} ${index}`;
  return { key, route: 'TwiML', bodyHash: hash('sha256', key, 'buffer') };
}

function isSameAddress(written: string, address: string | null): boolean {
  return written.replace(/^whatsapp:/i, '').replace(/^\+/, '') === address;
}
