import type pg from 'pg';
import type { Acceptor, Commit } from '../../../messages/accept/acceptor.js';
import type { CommitOutcome, PendingRequest } from '../../../messages/accept/pending-request.js';
import type { AcceptingHost } from '../../../messages/accept/within.js';
import type { SendRequest } from '../../../messages/compose/send-request.js';
import { makeParties } from '../parties.js';

/** Rolls the transaction of a send back that was not accepted. */
export class NotAccepted extends Error {
  constructor(readonly outcome: CommitOutcome) {
    super(`the send was not accepted: ${outcome}`);
  }
}

/**
 * Commits a prepared send together with the contacts and conversations that its recipients lack.
 * @param host a pool; or a change that is being made, which then commits
 * @returns the send with its contacts
 * @throws {NotAccepted} where it was not accepted: then nothing of it may be committed
 */
export function commitWithParties(
  acceptor: Pick<Acceptor, 'within'>,
  host: AcceptingHost,
  prepared: PendingRequest,
): Promise<SendRequest> {
  const plan = { payers: () => [prepared.request.account.id] };
  return acceptor.within(host, plan, async (transaction) => {
    const made = await makeParties(transaction.client, prepared.request, prepared.acceptedAt);
    const [outcome = 'conflict'] = await transaction.commit([{ ...prepared, request: made }]);
    if (outcome !== 'accepted') throw new NotAccepted(outcome);
    return made;
  });
}

/** Commits sends in transactions of their own, in which their contacts are made: of one that is refused nothing is left. */
export function committingParties(acceptor: Pick<Acceptor, 'within'>, pool: pg.Pool): Commit {
  return (prepared) =>
    commitWithParties(acceptor, pool, prepared).then(
      () => 'accepted' as const,
      (error: unknown) => outcomeOf(error),
    );
}

/** The outcome of a send that was not accepted. @throws what else went wrong */
export function outcomeOf(error: unknown): CommitOutcome {
  if (error instanceof NotAccepted) return error.outcome;
  throw error;
}
