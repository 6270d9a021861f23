import { FIRST_ID, lowestIdAt, newId, timeOfId } from '../../platform/ids.js';
import { contacts, inbound, runs } from './contacts.js';
import { imports } from './imports.js';
import { auditLines, deliveries, requests } from './logs.js';
import { messages } from './messages.js';
import { findPersons, type Person, type PersonOptions, type PersonRef } from './person.js';
import type { ErasureOptions, Place, Visit } from './place.js';
import {
  askedCodes,
  callbacks,
  calls,
  campaignValues,
  keptReports,
  optOuts,
  parts,
  spentCounts,
  verifications,
} from './rest.js';
import { countOptOuts } from './rest-store.js';
import { endUnderWay, findUnderWay } from './under-way.js';

/**
 * In this order: what leads to further rows is erased after them, so that an interrupted erasure can be continued. Webhook
 * events and calls come before the messages that they report, whose erasure would take them along uncounted.
 */
const PLACES: readonly Place[] = [
  deliveries,
  calls,
  messages,
  inbound,
  parts,
  callbacks,
  keptReports,
  campaignValues,
  verifications,
  askedCodes,
  spentCounts,
  imports,
  requests,
  auditLines,
  optOuts,
  runs,
  contacts,
];

/** Passes, where new things about the person come in all the time. */
const MOST_PASSES = 5;
/** Clocks of processes differ a little. */
const OVERLAP_MS = 60_000;

/** What tells of a person, or was erased. */
export interface Erasure {
  /** Rows by kind, without those of which there are none. */
  rows: Record<string, number>;
  /** Messages that wait to be sent, or were canceled. */
  waiting: number;
  /** Opt-outs that bind on. */
  optOutsKept: number;
}

export type Erasing = ErasureOptions & PersonOptions;

/**
 * Counts the rows that an erasure would erase.
 * @throws {AppError} as `findPersons`
 */
export async function countTraces(options: Erasing, ref: PersonRef): Promise<Erasure> {
  const total: Erasure = { rows: {}, waiting: 0, optOutsKept: 0 };
  // A row that names two addresses of the person is erased with the first one.
  const seen = new Set<string>();
  for (const person of await findPersons(options, ref)) {
    for (const place of PLACES) {
      count(total, place, await place.visit(options, person, { floor: FIRST_ID, erases: false, seen }));
    }
    total.waiting += (await findUnderWay(options, person)).messages.length;
    total.optOutsKept += await keptOf(options, person);
  }
  return total;
}

/**
 * Erases a person: whatever tells the number or what the person wrote, in slices of some hundred rows. Of messages stays
 * what was charged. It is repeated until it finds nothing, for servers go on meanwhile; interrupted, it may be run again.
 * @throws {AppError} as `findPersons`; CONFLICT while a carrier has a message to the number in hand, after `waitMs`
 */
export async function erasePerson(
  options: Erasing,
  ref: PersonRef,
  { waitMs, onRows }: { waitMs: number } & Pick<Visit, 'onRows'>,
): Promise<Erasure> {
  const began = timeOfId(newId()).getTime();
  const total: Erasure = { rows: {}, waiting: 0, optOutsKept: 0 };
  let known: string[] = [];
  for (let pass = 1; pass <= MOST_PASSES; pass++) {
    const persons = await findPersons(options, ref, known);
    known = persons.map(({ phone }) => phone);
    // What was logged before was read by the first pass.
    const floor = pass === 1 ? FIRST_ID : lowestIdAt(new Date(began - OVERLAP_MS));
    let found = 0;
    total.optOutsKept = 0;
    for (const person of persons) {
      const startedAt = newId();
      const canceled = await endUnderWay(options, person, waitMs);
      total.waiting += canceled;
      found += canceled;
      // Events of these cancellations are erased, but were not there before.
      const own = canceled > 0 ? await deliveries.visit(options, person, { floor: startedAt, erases: false }) : 0;
      for (const place of PLACES) {
        const erased = await place.visit(options, person, { floor, erases: true, onRows });
        found += erased;
        count(total, place, place === deliveries ? erased - own : erased);
      }
      total.optOutsKept += await keptOf(options, person);
    }
    if (found === 0) break;
  }
  return total;
}

function count({ rows }: Erasure, { kind }: Place, found: number): void {
  if (found > 0) rows[kind] = (rows[kind] ?? 0) + found;
}

async function keptOf({ pool }: Erasing, person: Person): Promise<number> {
  return person.forgetsOptOuts ? 0 : await countOptOuts(pool, person);
}
