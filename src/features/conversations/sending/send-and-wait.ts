import type pg from 'pg';
import type { Logger } from 'pino';
import type { AccountRef } from '../../../accounts/account-ref.js';
import type { IdempotencyKey } from '../../../accounts/idempotency/idempotency.js';
import type { Acceptor, Commit } from '../../../messages/accept/acceptor.js';
import type { Acceptance, AcceptedMessage, SendOrigin, SendRequest } from '../../../messages/compose/send-request.js';
import { leaveDeletedContacts } from '../../../messages/rows/party-store.js';
import { OPTED_OUT } from '../../../messages/send/checks/opted-out.js';
import type { SendResults } from '../../../messages/send/results/send-results.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { repeated } from '../../../platform/store/repeat.js';
import { findPartyOfMessage, type MaybeParty, touchConversation } from '../party-store.js';
import { committingParties } from './commit-with-parties.js';

/** A send as far as its carrier has answered it. */
export interface AnsweredSend {
  messageId: string;
  /** The carrier's id; null until it has answered. */
  carrierMessageId: string | null;
  /** Null in a repetition whose contact was deleted since. */
  contactId: string | null;
  conversationId: string | null;
  /** `queued` when the carrier did not answer in time; the message goes on. */
  status: 'sent' | 'queued';
}

export interface SendAndWaitOptions {
  pool: pg.Pool;
  log: Logger;
  acceptor: Pick<Acceptor, 'accept' | 'replay' | 'within'>;
  results: Pick<SendResults, 'wait'>;
  /** How long the carrier's answer is waited for, in milliseconds. */
  sendWaitMs: number;
}

/** One send that is answered once its carrier has answered. */
export interface AwaitedSend {
  account: AccountRef;
  claim: IdempotencyKey | null;
  /** The request that it comes with. */
  origin: SendOrigin;
  /**
   * Makes the send, to one recipient. Contact and conversation that it does not name are made with its commit. Not called for
   * a repetition.
   */
  compose(): Promise<SendRequest>;
  /** Commits what was composed with what else is to be written of it; as sends are committed unless told. */
  commit?: Commit;
  /** Called before the answer or refusal of a request that repeats an earlier one. */
  onReplay(): void;
  /** Called with what was accepted, before the carrier's answer is waited for. */
  onAccepted?(messages: readonly AcceptedMessage[]): void;
}

/**
 * Accepts a send and waits for its carrier's answer, for `sendWaitMs` at the most. The repetition of an idempotent
 * request makes nothing; it is answered from the message of the first one, as far as that has come.
 * @throws {AppError} what `compose` and the acceptor throw; CARRIER_REFUSED once the message failed for good,
 * OPTED_OUT where its recipient wants no more messages
 */
export async function sendAndWait(options: SendAndWaitOptions, send: AwaitedSend): Promise<AnsweredSend> {
  const { acceptor, results } = options;
  const { account, claim, origin, onReplay } = send;
  const commitOf = (request: SendRequest | null) => {
    if (send.commit || request?.recipients.every(({ contactId }) => contactId !== undefined)) return send.commit;
    return committingParties(acceptor, options.pool);
  };
  // Looked for first, so that a repetition makes no contact and no rule refuses it that has changed since.
  const earlier = claim && (await acceptor.replay(account, claim));
  const request = earlier ? null : await send.compose();
  const acceptance = earlier ?? (await acceptor.accept({ ...(request as SendRequest), origin }, commitOf(request)));
  send.onAccepted?.(acceptance.messages);
  const { id } = acceptance.messages[0] as AcceptedMessage;
  const answer = results.wait(id, options.sendWaitMs);
  if (acceptance.replayed) onReplay();
  const party = acceptance.replayed
    ? await partyOf(options, id)
    : await noteSend(options, request as SendRequest, acceptance);
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

/** With whom a repeated message was exchanged. Whoever was killed in the first request may not have seen its contact go. */
async function partyOf(options: Pick<SendAndWaitOptions, 'pool' | 'log'>, id: string): Promise<MaybeParty> {
  await leaveDeleted(options, [id]);
  return await findPartyOfMessage(options.pool, id);
}

async function leaveDeleted({ pool, log }: Pick<SendAndWaitOptions, 'pool' | 'log'>, ids: readonly string[]) {
  try {
    await repeated(() => leaveDeletedContacts(pool, ids));
  } catch (error) {
    log.warn({ err: error }, 'it could not be seen whether the contact of a message is still there');
  }
}

/**
 * The message is accepted, so a store that fails now only leaves its conversation where it was in the list. Whether its
 * contact is still there is asked all the same.
 */
async function noteSend(
  { pool, log }: Pick<SendAndWaitOptions, 'pool' | 'log'>,
  request: SendRequest,
  { acceptedAt, messages }: Acceptance,
): Promise<MaybeParty> {
  const ids = messages.map(({ id }) => id);
  let { contactId = null, conversationId = null }: Partial<MaybeParty> = request.recipients[0] ?? {};
  let isThere = false;
  try {
    // Its commit made them.
    if (!contactId) {
      ({ contactId, conversationId } = await repeated(() => findPartyOfMessage(pool, ids[0] as string)));
    }
    const moved = conversationId;
    if (moved) isThere = await repeated(() => touchConversation(pool, moved, acceptedAt));
  } catch (error) {
    log.warn({ err: error }, 'a conversation could not be moved up');
  }
  if (!isThere) await leaveDeleted({ pool, log }, ids);
  return { contactId, conversationId };
}
