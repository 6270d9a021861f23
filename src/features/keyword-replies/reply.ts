import type pg from 'pg';
import type { Logger } from 'pino';
import { isPhoneNumber } from '../../carriers/numbers/phone-numbers.js';
import type { AcceptingTransaction } from '../../messages/accept/accept-within.js';
import { AppError } from '../../platform/errors/app-error.js';
import { isRetryable } from '../../platform/store/failures.js';
import { touchConversations } from '../conversations/party-store.js';
import { toChannelRequest } from '../conversations/sending/compose.js';
import { isWindowOpen } from '../conversations/window.js';
import type { ReplyPlan } from './plan.js';
import { findLastReply, type KeywordReply, recordReply } from './reply-store.js';

/**
 * At most one reply per person, channel and keyword in this time. The limit also ends a loop of two servers that take each
 * other's replies for keywords, because a reply arrives within seconds.
 */
const PAUSE_MS = 10 * 60 * 1000;

export interface AnsweredMessage {
  messageId: string;
  contactId: string;
  conversationId: string;
  /** Number or WhatsApp user ID of the person; null if unknown. */
  address: string | null;
  receivedAt: Date;
  /** False if a later decision to the contrary counts instead. */
  isInEffect: boolean;
}

export interface ReplyOptions {
  log: Logger;
  /** Business time. */
  now: Date;
}

class ReplyRefused extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Sends the reply in a savepoint, so that a refusal does not affect the opt-out, and records the result with the message.
 * @param transaction null if the account was locked for too long
 */
export async function replyToKeyword(
  client: pg.PoolClient,
  transaction: AcceptingTransaction | null,
  plan: ReplyPlan,
  message: AnsweredMessage,
  { log, now }: ReplyOptions,
): Promise<void> {
  const reply = await sendOrRefuse(client, transaction, plan, message, now, log);
  await recordReply(client, message.messageId, reply);
  if (reply.messageId !== null) return;
  const { keyword, code } = reply;
  log.info({ messageId: message.messageId, keyword, code }, 'a keyword got no reply');
}

async function sendOrRefuse(
  client: pg.PoolClient,
  transaction: AcceptingTransaction | null,
  plan: ReplyPlan,
  message: AnsweredMessage,
  now: Date,
  log: Logger,
): Promise<KeywordReply> {
  const { meaning: keyword } = plan.keyword;
  const createRefusal = (code: string, reason: string) => ({ keyword, messageId: null, code, reason });
  const obstacle = findObstacle(plan, message, now);
  if (obstacle) return createRefusal(...obstacle);
  const lastAt = await findLastReply(client, message.conversationId, keyword);
  if (lastAt !== null && now.getTime() - lastAt.getTime() < PAUSE_MS) {
    return createRefusal('REPEATED', 'The person got a reply to this keyword less than 10 minutes ago.');
  }
  if (transaction === null) return createRefusal('UNAVAILABLE', 'The reply could not be sent: the account was locked.');
  await client.query('SAVEPOINT keyword_reply');
  try {
    const messageId = await send(transaction, plan, message, now);
    await client.query('RELEASE SAVEPOINT keyword_reply');
    return { keyword, messageId, code: null, reason: null };
  } catch (error) {
    // The caller repeats the whole transaction.
    if (isRetryable(error)) throw error;
    // Throws if the connection is lost.
    await client.query('ROLLBACK TO SAVEPOINT keyword_reply');
    if (error instanceof AppError || error instanceof ReplyRefused) return createRefusal(error.code, error.message);
    log.error({ err: error, messageId: message.messageId }, 'could not reply to a keyword');
    return createRefusal('INTERNAL', 'The server could not send the reply; its log has the error.');
  }
}

function findObstacle(
  { sender: { channel }, isAccountActive, keyword }: ReplyPlan,
  { address, receivedAt, isInEffect }: AnsweredMessage,
  now: Date,
): [code: string, reason: string] | null {
  if (!isInEffect) return ['SUPERSEDED', 'A later STOP or START of the person counts instead.'];
  if (channel.kind === 'whatsapp' && !isWindowOpen(receivedAt, now)) {
    return ['WINDOW_EXPIRED', `The message arrived more than 24 hours after the person wrote ${keyword.word}.`];
  }
  if (!isAccountActive) return ['ACCOUNT_INACTIVE', 'The account is switched off.'];
  if (!channel.isActive) return ['CHANNEL_INACTIVE', 'The channel is not active.'];
  const isRoutable =
    address !== null &&
    address !== channel.phoneNumber &&
    (channel.kind === 'whatsapp' || isPhoneNumber(address, 'possible'));
  return isRoutable ? null : ['UNROUTABLE', 'The sender of the message cannot receive messages.'];
}

async function send(
  transaction: AcceptingTransaction,
  { keyword, sender, text }: ReplyPlan,
  { contactId, conversationId, address }: AnsweredMessage,
  now: Date,
): Promise<string> {
  const recipient = { digits: address as string, plus: false, contactId, conversationId };
  const request = toChannelRequest(sender, { body: text, content: null }, [recipient]);
  // A person who has just opted in may opt out again before the reply leaves.
  const pending = await transaction.prepare(
    keyword.meaning === 'start' ? request : { ...request, ignoresOptOut: true },
  );
  await touchConversations(transaction.client, [conversationId], now);
  const [outcome] = await transaction.commit([pending]);
  if (outcome instanceof AppError) throw outcome;
  if (outcome !== 'accepted') {
    throw new ReplyRefused('INSUFFICIENT_BALANCE', 'The balance of the account was too low for the reply.');
  }
  return pending.ids[0] as string;
}
