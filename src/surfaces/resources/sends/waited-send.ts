import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IdempotencyKey } from '../../../accounts/idempotency/idempotency.js';
import {
  type AnsweredSend,
  type SendAndWaitOptions,
  sendAndWait,
} from '../../../features/conversations/sending/send-and-wait.js';
import type { Commit } from '../../../messages/accept/acceptor.js';
import { hasLimits } from '../../../messages/accept/guard/limits.js';
import type { SendRequest } from '../../../messages/compose/send-request.js';
import { markReplayed } from '../../http/idempotency-key.js';
import { readOrigin } from '../../http/origin.js';
import { channelClaim } from './channel-claim.js';

/**
 * @param compose not called if the request repeats an idempotency key
 * @param commit used instead of the ordinary commit, and creates the contact
 * @throws {AppError} as `sendAndWait`, and INVALID_REQUEST for a malformed Idempotency-Key
 */
export function sendForRequest(
  options: SendAndWaitOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  compose: (context: { idempotency: IdempotencyKey | null; createPartyOnCommit: boolean }) => Promise<SendRequest>,
  commit?: Commit,
): Promise<AnsweredSend> {
  const claim = channelClaim(request);
  const { account } = request.caller;
  // The contact is created with the commit, because a send that the guard refuses must not create a contact.
  const createPartyOnCommit = commit !== undefined || hasLimits(account);
  return sendAndWait(options, {
    account,
    claim,
    origin: readOrigin(request),
    compose: () => compose({ idempotency: claim, createPartyOnCommit }),
    commit,
    onAccepted: (messages) => {
      request.accepted = messages;
    },
    onReplay: () => markReplayed(reply),
  });
}
