import type pg from 'pg';
import type { AcceptingHost } from '../../../messages/accept/accept-within.js';
import type { Acceptor, Commit } from '../../../messages/accept/acceptor.js';
import type { CommitOutcome, PendingRequest } from '../../../messages/accept/pending-request.js';
import type { SendRequest } from '../../../messages/compose/send-request.js';
import { createParties } from '../parties.js';

export class NotAccepted extends Error {
  constructor(readonly outcome: CommitOutcome) {
    super(`the send was not accepted: ${outcome}`);
  }
}

/** @throws {NotAccepted} Fails if the send was not accepted, so that the transaction must not be committed. */
export function commitWithParties(
  acceptor: Pick<Acceptor, 'acceptWithin'>,
  host: AcceptingHost,
  prepared: PendingRequest,
): Promise<SendRequest> {
  const plan = { listPayers: () => [prepared.request.account.id] };
  return acceptor.acceptWithin(host, plan, async (transaction) => {
    const request = await createParties(transaction.client, prepared.request, prepared.acceptedAt);
    const [outcome = 'conflict'] = await transaction.commit([{ ...prepared, request }]);
    if (outcome !== 'accepted') throw new NotAccepted(outcome);
    return request;
  });
}

/** A refused send creates no contact. */
export function createPartyCommit(acceptor: Pick<Acceptor, 'acceptWithin'>, pool: pg.Pool): Commit {
  return (prepared) =>
    commitWithParties(acceptor, pool, prepared).then(
      () => 'accepted' as const,
      (error: unknown) => toRefusedOutcome(error),
    );
}

/** Returns the outcome of a send that was not accepted, and rethrows any other error. */
export function toRefusedOutcome(error: unknown): CommitOutcome {
  if (error instanceof NotAccepted) return error.outcome;
  throw error;
}
