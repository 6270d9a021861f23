import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IdempotencyKey } from '../../../accounts/idempotency/idempotency.js';
import {
  type AnsweredSend,
  type SendAndWaitOptions,
  sendAndWait,
} from '../../../features/conversations/sending/send-and-wait.js';
import { hasLimits } from '../../../messages/accept/guard/limits.js';
import type { SendRequest } from '../../../messages/compose/send-request.js';
import { noteReplay } from '../../http/idempotency-key.js';
import { originOf } from '../../http/origin.js';
import { channelClaim } from './channel-claim.js';

/**
 * Sends what a request on behalf of a channel asks for, and waits for the carrier's answer.
 * @param compose makes the send; not called for a repetition
 * @throws {AppError} as `sendAndWait`, and INVALID_REQUEST for a malformed Idempotency-Key
 */
export function waitedSend(
  options: SendAndWaitOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  compose: (how: { idempotency: IdempotencyKey | null; createPartyOnCommit: boolean }) => Promise<SendRequest>,
): Promise<AnsweredSend> {
  const claim = channelClaim(request);
  const { account } = request.caller;
  // A guard may refuse what nothing else stands against; then no contact is to be left.
  const createPartyOnCommit = hasLimits(account);
  return sendAndWait(options, {
    account,
    claim,
    origin: originOf(request),
    compose: () => compose({ idempotency: claim, createPartyOnCommit }),
    onAccepted: (messages) => {
      request.accepted = messages;
    },
    onReplay: () => noteReplay(reply),
  });
}
