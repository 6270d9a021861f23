import { FIRST_ID, lowestIdAt, newId, readIdTime } from '../../platform/ids.js';
import { automationRuns, contacts, inboundMessages } from './contacts.js';
import { auditLines, loggedRequests, webhookEvents } from './logs.js';
import { messages } from './messages.js';
import {
  campaignVariables,
  carrierCalls,
  codeLimits,
  consentRequests,
  consents,
  inboundParts,
  optOuts,
  signInCodes,
  spendingLimits,
  unmatchedReports,
  unprocessedReports,
} from './other-traces.js';
import { countActiveOptOuts } from './other-traces-store.js';
import { cancelPendingWork, findPendingWork } from './pending-work.js';
import { findPersons, type Person, type PersonOptions, type PersonRef } from './person.js';
import { refusedRows } from './refused-rows.js';
import type { ErasureOptions, Trace, VisitOptions } from './trace.js';

/**
 * Rows that lead to other rows are erased after them, so that an interrupted erasure can be repeated. Webhook events
 * and carrier calls are erased before messages, because erasing a message also erases its events and calls without
 * counting them.
 */
export const TRACES: readonly Trace[] = [
  webhookEvents,
  carrierCalls,
  messages,
  inboundMessages,
  inboundParts,
  unprocessedReports,
  unmatchedReports,
  campaignVariables,
  signInCodes,
  codeLimits,
  spendingLimits,
  refusedRows,
  loggedRequests,
  auditLines,
  optOuts,
  consents,
  consentRequests,
  automationRuns,
  contacts,
];

const MAX_PASSES = 5;
/** Tolerated clock difference between processes. */
const OVERLAP_MS = 60_000;

export interface Erasure {
  rows: Record<string, number>;
  waiting: number;
  optOutsKept: number;
}

type EraseOptions = ErasureOptions & PersonOptions;

/** @throws {AppError} as `findPersons` */
export async function countTraces(options: EraseOptions, ref: PersonRef): Promise<Erasure> {
  const total: Erasure = { rows: {}, waiting: 0, optOutsKept: 0 };
  const seen = new Set<string>();
  for (const person of await findPersons(options, ref)) {
    for (const trace of TRACES) {
      addCount(total, trace, await trace.visit(options, person, { floor: FIRST_ID, erases: false, seen }));
    }
    total.waiting += (await findPendingWork(options, person)).messages.length;
    total.optOutsKept += await countKeptOptOuts(options, person);
  }
  return total;
}

/**
 * Repeats passes until a pass finds nothing, because running servers may add rows during the erasure.
 * @throws {AppError} CONFLICT if work for the person is still pending after `waitMs`; otherwise the errors of
 * `findPersons`
 */
export async function erasePerson(
  options: EraseOptions,
  ref: PersonRef,
  { waitMs, onRows }: { waitMs: number } & Pick<VisitOptions, 'onRows'>,
): Promise<Erasure> {
  const startedAt = readIdTime(newId()).getTime();
  const total: Erasure = { rows: {}, waiting: 0, optOutsKept: 0 };
  let knownAddresses: string[] = [];
  for (let pass = 1; pass <= MAX_PASSES; pass++) {
    const persons = await findPersons(options, ref, knownAddresses);
    knownAddresses = persons.map(({ address }) => address);
    // Later passes read only log entries since the start of the erasure, because the first pass reads all earlier
    // entries.
    const floor = pass === 1 ? FIRST_ID : lowestIdAt(new Date(startedAt - OVERLAP_MS));
    let erasedInPass = 0;
    total.optOutsKept = 0;
    for (const person of persons) {
      const idBeforeCanceling = newId();
      const canceled = await cancelPendingWork(options, person, waitMs);
      total.waiting += canceled;
      erasedInPass += canceled;
      // Canceling a message emits events, which are erased but not counted.
      const cancelEvents =
        canceled > 0 ? await webhookEvents.visit(options, person, { floor: idBeforeCanceling, erases: false }) : 0;
      for (const trace of TRACES) {
        const erased = await trace.visit(options, person, { floor, erases: true, onRows });
        erasedInPass += erased;
        addCount(total, trace, trace === webhookEvents ? erased - cancelEvents : erased);
      }
      total.optOutsKept += await countKeptOptOuts(options, person);
    }
    if (erasedInPass === 0) break;
  }
  return total;
}

function addCount({ rows }: Erasure, { kind }: Trace, count: number): void {
  if (count > 0) rows[kind] = (rows[kind] ?? 0) + count;
}

async function countKeptOptOuts({ pool }: EraseOptions, person: Person): Promise<number> {
  return person.forgetsOptOuts ? 0 : await countActiveOptOuts(pool, person);
}
