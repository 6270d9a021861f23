import type { AccountRef } from '../../accounts/account-ref.js';
import type { Acceptance, AcceptedMessage, IdempotencyKey, SendRequest } from '../../messages/compose/send-request.js';
import { OPTED_OUT } from '../../messages/send/opted-out.js';
import { AppError } from '../../platform/errors.js';
import type { Statement } from '../../platform/store/pool.js';
import { repeated } from '../../platform/store/repeat.js';
import type { Deps } from '../../process/deps.js';
import { type Party, touchConversation } from './parties.js';

/** A send as far as its carrier has answered it. */
export interface AnsweredSend {
  messageId: string;
  /** The carrier's id; null until it has answered. */
  carrierMessageId: string | null;
  /** Null in a repetition whose contact was deleted meanwhile. */
  contactId: string | null;
  conversationId: string | null;
  /** `queued` when the carrier did not answer in time; the message goes on. */
  status: 'sent' | 'queued';
}

export interface SendAndWaitOptions {
  account: AccountRef;
  claim: IdempotencyKey | null;
  /** Makes the send, to one recipient whose contact and conversation it names. Not called for a repetition. */
  compose(): Promise<SendRequest>;
  /** Called before the answer or refusal of a request that repeats an earlier one. */
  onReplay(): void;
}

export type SendAndWaitDeps = Pick<Deps, 'pool' | 'acceptor' | 'results' | 'config' | 'log'>;

/**
 * Accepts a send and waits for its carrier's answer, for SEND_WAIT_MS at the most. The repetition of an idempotent
 * request makes nothing; it is answered from the message of the first one, as far as that has come.
 * @throws {AppError} what `compose` and the acceptor throw; CARRIER_REFUSED once the message failed for good,
 * OPTED_OUT where its recipient wants no more messages
 */
export async function sendAndWait(deps: SendAndWaitDeps, options: SendAndWaitOptions): Promise<AnsweredSend> {
  const { account, claim, onReplay } = options;
  // Looked for first, so that a repetition makes no contact and no rule refuses it that has changed since.
  const earlier = claim && (await deps.acceptor.replay(account, claim));
  const request = earlier ? null : await options.compose();
  const acceptance = earlier ?? (await deps.acceptor.accept(request as SendRequest));
  const { id } = acceptance.messages[0] as AcceptedMessage;
  const answer = deps.results.wait(id, deps.config.sendWaitMs);
  if (acceptance.replayed) onReplay();
  const party = acceptance.replayed
    ? await partyOf(deps, id)
    : await noteSend(deps, request as SendRequest, acceptance);
  const result = await answer;
  if (result && result.status !== 'sent') {
    const reason = result.errorMessage ?? result.errorCode ?? result.status;
    const code = result.errorCode === OPTED_OUT ? 'OPTED_OUT' : 'CARRIER_REFUSED';
    throw new AppError(code, `The message ${id} was not sent: ${reason}`);
  }
  const { contactId, conversationId } = party;
  const carrierMessageId = result?.carrierMessageId ?? null;
  return { messageId: id, carrierMessageId, contactId, conversationId, status: result ? 'sent' : 'queued' };
}

type MaybeParty = { [K in keyof Party]: string | null };

const FIND_PARTY: Statement = {
  name: 'send-and-wait-party',
  text: 'SELECT contact_id AS "contactId", conversation_id AS "conversationId" FROM messages WHERE id = $1',
};

/** A contact may be deleted between the look for it and the commit; its messages stay, without it. */
const LEAVE_DELETED: Statement = {
  name: 'send-and-wait-leave-deleted',
  text: `UPDATE messages m SET contact_id = NULL, conversation_id = NULL
         WHERE m.id = ANY($1::uuid[]) AND NOT EXISTS (SELECT FROM contacts c WHERE c.id = m.contact_id)`,
};

async function partyOf({ pool }: SendAndWaitDeps, messageId: string): Promise<MaybeParty> {
  const { rows } = await pool.query<MaybeParty>({ ...FIND_PARTY, values: [messageId] });
  return rows[0] ?? { contactId: null, conversationId: null };
}

/**
 * The message is accepted, so a store that fails now only leaves its conversation where it was in the list. Whether its
 * contact is still there is asked all the same.
 */
async function noteSend(
  { pool, log }: SendAndWaitDeps,
  request: SendRequest,
  { acceptedAt, messages }: Acceptance,
): Promise<MaybeParty> {
  const { contactId = null, conversationId = null } = request.recipients[0] ?? {};
  let isThere = false;
  try {
    if (conversationId) isThere = await repeated(() => touchConversation(pool, conversationId, acceptedAt));
  } catch (error) {
    log.warn({ err: error }, 'a conversation could not be moved up');
  }
  try {
    if (!isThere) await repeated(() => pool.query({ ...LEAVE_DELETED, values: [messages.map(({ id }) => id)] }));
  } catch (error) {
    log.warn({ err: error }, 'it could not be seen whether the contact of a message is still there');
  }
  return { contactId, conversationId };
}
