import type pg from 'pg';
import type { Logger } from 'pino';
import type { AccountRef } from '../../../accounts/account-ref.js';
import type { IdempotencyKey } from '../../../accounts/idempotency/idempotency.js';
import type { Acceptor, Commit } from '../../../messages/accept/acceptor.js';
import type { Acceptance, AcceptedMessage, SendOrigin, SendRequest } from '../../../messages/compose/send-request.js';
import { OPTED_OUT } from '../../../messages/send/checks/opted-out.js';
import type { SendResults } from '../../../messages/send/results/send-results.js';
import { relinkDeletedContacts } from '../../../messages/stored-messages/contact-links-store.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { retryTransaction } from '../../../platform/store/repeat.js';
import { findMessageParty, type MaybeParty, touchConversation } from '../party-store.js';
import { createPartyCommit } from './commit-with-parties.js';

export interface AnsweredSend {
  messageId: string;
  carrierMessageId: string | null;
  contactId: string | null;
  conversationId: string | null;
  /** The status is `queued` if the carrier has not answered in time, although the message is still sent. */
  status: 'sent' | 'queued';
}

export interface SendAndWaitOptions {
  pool: pg.Pool;
  log: Logger;
  acceptor: Pick<Acceptor, 'accept' | 'replay' | 'acceptWithin'>;
  results: Pick<SendResults, 'wait'>;
  sendWaitMs: number;
}

export interface AwaitedSend {
  account: AccountRef;
  claim: IdempotencyKey | null;
  origin: SendOrigin;
  /** `compose` is not called for a repeated request. */
  compose(): Promise<SendRequest>;
  /** Default: an ordinary commit. */
  commit?: Commit;
  /** `onReplay` is called before a repeated request is answered or refused. */
  onReplay(): void;
  onAccepted?(messages: readonly AcceptedMessage[]): void;
}

/**
 * Waits up to `sendWaitMs` for the carrier's answer. A repeated idempotent request gets the current result of the first
 * request.
 * @throws {AppError} CARRIER_REFUSED if the message has failed permanently, OPTED_OUT if its recipient has opted out,
 * or any error of `compose` or the acceptor
 */
export async function sendAndWait(options: SendAndWaitOptions, send: AwaitedSend): Promise<AnsweredSend> {
  const { acceptor, results } = options;
  const { account, claim, origin, onReplay } = send;
  // Repeated requests are detected first, so that they create no contact and are not refused by rules that have changed
  // since.
  const replay = claim && (await acceptor.replay(account, claim));
  const request = replay ? null : await send.compose();
  const acceptance =
    replay ?? (await acceptor.accept({ ...(request as SendRequest), origin }, chooseCommit(options, send, request)));
  send.onAccepted?.(acceptance.messages);
  const { id } = acceptance.messages[0] as AcceptedMessage;
  const answer = results.wait(id, options.sendWaitMs);
  if (acceptance.replayed) onReplay();
  const party = acceptance.replayed
    ? await findReplayParty(options, id)
    : await updateConversation(options, request as SendRequest, acceptance);
  const result = await answer;
  if (result && result.status !== 'sent') {
    const reason = result.errorMessage ?? result.errorCode ?? result.status;
    const code = result.errorCode === OPTED_OUT ? 'OPTED_OUT' : 'CARRIER_REFUSED';
    throw new AppError(code, `The message ${id} was not sent: ${reason}`, [], {
      carrierCode: result.errorCode ?? undefined,
    });
  }
  const { contactId, conversationId } = party;
  const carrierMessageId = result?.carrierMessageId ?? null;
  return { messageId: id, carrierMessageId, contactId, conversationId, status: result ? 'sent' : 'queued' };
}

function chooseCommit(
  { acceptor, pool }: SendAndWaitOptions,
  { commit }: AwaitedSend,
  request: SendRequest | null,
): Commit | undefined {
  if (commit || request?.recipients.every(({ contactId }) => contactId !== undefined)) return commit;
  return createPartyCommit(acceptor, pool);
}

/** Also unlinks a deleted contact, because the process may have died before the first request did so. */
async function findReplayParty(options: Pick<SendAndWaitOptions, 'pool' | 'log'>, id: string): Promise<MaybeParty> {
  await unlinkDeletedContacts(options, [id]);
  return await findMessageParty(options.pool, id);
}

async function unlinkDeletedContacts({ pool, log }: Pick<SendAndWaitOptions, 'pool' | 'log'>, ids: readonly string[]) {
  try {
    await retryTransaction(() => relinkDeletedContacts(pool, ids));
  } catch (error) {
    log.warn({ err: error }, 'could not check whether the contact of a message was deleted');
  }
}

/** If the database fails, the conversation only keeps its old position in lists. */
async function updateConversation(
  { pool, log }: Pick<SendAndWaitOptions, 'pool' | 'log'>,
  request: SendRequest,
  { acceptedAt, messages }: Acceptance,
): Promise<MaybeParty> {
  const ids = messages.map(({ id }) => id);
  let { contactId = null, conversationId = null }: Partial<MaybeParty> = request.recipients[0] ?? {};
  let exists = false;
  try {
    if (!contactId) {
      ({ contactId, conversationId } = await retryTransaction(() => findMessageParty(pool, ids[0] as string)));
    }
    const targetId = conversationId;
    if (targetId) exists = await retryTransaction(() => touchConversation(pool, targetId, acceptedAt));
  } catch (error) {
    log.warn({ err: error }, 'could not move a conversation to the top of the list');
  }
  if (!exists) await unlinkDeletedContacts({ pool, log }, ids);
  return { contactId, conversationId };
}
