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

/** In this order: what leads to further rows is erased after them, so that an interrupted erasure can be gone on with. */
const PLACES: readonly Place[] = [
  messages,
  inbound,
  parts,
  callbacks,
  keptReports,
  calls,
  campaignValues,
  verifications,
  askedCodes,
  spentCounts,
  imports,
  requests,
  deliveries,
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
 * Counts what an erasure would find.
 * @throws {AppError} as `findPersons`
 */
export async function countTraces(options: Erasing, ref: PersonRef): Promise<Erasure> {
  const total: Erasure = { rows: {}, waiting: 0, optOutsKept: 0 };
  for (const person of await findPersons(options, ref)) {
    for (const place of PLACES) {
      count(total, place, await place.visit(options, person, { floor: FIRST_ID, erases: false }));
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
      const canceled = await endUnderWay(options, person, waitMs);
      total.waiting += canceled;
      found += canceled;
      for (const place of PLACES) {
        found += count(total, place, await place.visit(options, person, { floor, erases: true, onRows }));
      }
      total.optOutsKept += await keptOf(options, person);
    }
    if (found === 0) break;
  }
  return total;
}

/** Adds rows of a place to what was found; returns how many. */
function count({ rows }: Erasure, { kind }: Place, found: number): number {
  if (found > 0) rows[kind] = (rows[kind] ?? 0) + found;
  return found;
}

async function keptOf({ pool }: Erasing, person: Person): Promise<number> {
  return person.forgetsOptOuts ? 0 : await countOptOuts(pool, person);
}
