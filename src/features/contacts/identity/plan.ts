import type { PersonIds } from '../../../carriers/numbers/user-ids.js';

/** A carrier's report that these IDs belonged to one person at a time. */
export interface Evidence extends PersonIds {
  at: Date;
}

/** A contact that has one of the reported IDs. */
export interface Candidate extends PersonIds {
  /** UUIDv7: the older contact has the lower ID. */
  id: string;
  /** Since when the number, or the latest user ID, is theirs; null if unknown. */
  phoneAt: Date | null;
  userIdAt: Date | null;
  /** Every user id of the portfolio that the contact has or had. */
  userIds: readonly string[];
  /** Parent user IDs (of all linked portfolios), and since when. */
  parentIds: Readonly<Record<string, Date>>;
}

/** The changes that make contacts agree with a report. */
export interface IdentityPlan {
  /** The contact that stays; null for a new one. */
  contactId: string | null;
  /** Contacts to merge into it. */
  absorbed: readonly string[];
  /** Other people's contacts that lose the number, and the parent user ID. */
  phoneFrom: string | null;
  parentFrom: string | null;
  /** The IDs of the contact afterwards. */
  ids: PersonIds & { phoneAt: Date | null; userIdAt: Date | null };
  /** Its further numbers. Default: those of its main number. */
  numbers?: readonly string[];
}

/**
 * Plans which contact a report belongs to. A user ID always identifies the same person. A number belongs to a person until
 * somebody with another user ID has it. A parent user ID is only a hint: two contacts with different user IDs are two people, and
 * a shared number or parent ID goes to the one seen with it last. A contact without a user ID is the person seen with its number.
 */
export function planIdentity(evidence: Evidence, candidates: readonly Candidate[]): IdentityPlan {
  const { samePerson, byPhone, byParent } = selectSamePerson(evidence, candidates);
  const [target, ...absorbed] = [...samePerson].sort((a, b) => (a.id < b.id ? -1 : 1));
  const isOtherPerson = (holder: Candidate | undefined) => holder !== undefined && !samePerson.includes(holder);
  const phoneMoves = isOtherPerson(byPhone) && evidence.at > (byPhone?.phoneAt ?? LONG_AGO);
  const parentAt = byParent?.parentIds[evidence.parentUserId ?? ''] ?? LONG_AGO;
  const parentMoves = isOtherPerson(byParent) && evidence.at > parentAt;
  const phone = latest([
    ...[target, ...absorbed].map((each) => ({ value: each?.phone ?? null, at: each?.phoneAt ?? null })),
    { value: isOtherPerson(byPhone) && !phoneMoves ? null : evidence.phone, at: evidence.at },
  ]);
  const userId = latest([
    ...[target, ...absorbed].map((each) => ({ value: each?.userId ?? null, at: each?.userIdAt ?? null })),
    { value: evidence.userId, at: evidence.at },
  ]);
  return {
    contactId: target?.id ?? null,
    absorbed: absorbed.map(({ id }) => id),
    phoneFrom: phoneMoves && phone.value === evidence.phone ? (byPhone?.id ?? null) : null,
    parentFrom: parentMoves ? (byParent?.id ?? null) : null,
    ids: {
      phone: phone.value,
      phoneAt: phone.at,
      userId: userId.value,
      userIdAt: userId.at,
      parentUserId:
        (isOtherPerson(byParent) && !parentMoves ? null : evidence.parentUserId) ??
        [target, ...absorbed].map((each) => each?.parentUserId).find(Boolean) ??
        null,
    },
  };
}

/** Before every recorded time. */
const LONG_AGO = new Date(0);

/** Selects the contacts that are the reported person. */
function selectSamePerson(evidence: Evidence, candidates: readonly Candidate[]) {
  const byUser = candidates.find(({ userIds }) => evidence.userId !== null && userIds.includes(evidence.userId));
  const byParent = candidates.find(
    ({ parentIds }) => evidence.parentUserId !== null && Object.hasOwn(parentIds, evidence.parentUserId),
  );
  const byPhone = candidates.find(({ phone }) => evidence.phone !== null && phone === evidence.phone);
  const samePerson = new Set<Candidate>();
  let hasUserId = evidence.userId !== null;
  for (const each of [byUser, byParent, byPhone]) {
    if (!each || samePerson.has(each)) continue;
    if (each !== byUser && hasUserId && each.userIds.length > 0) continue;
    samePerson.add(each);
    hasUserId ||= each.userIds.length > 0;
  }
  return { samePerson: [...samePerson], byPhone, byParent };
}

/** A value and when it was seen; null if unknown. */
export interface Dated {
  value: string | null;
  at: Date | null;
}

/**
 * Selects the value that was seen last. At equal times, the last in the list wins, because the report is last. A value that the
 * contact already has keeps its earlier time.
 */
export function latest(values: readonly Dated[]): Dated {
  const present = values.filter(({ value }) => value !== null);
  const winner = present.reduce<Dated | undefined>(
    (best, each) => (best && (best.at ?? LONG_AGO) > (each.at ?? LONG_AGO) ? best : each),
    undefined,
  );
  if (!winner) return { value: null, at: null };
  return present.find(({ value, at }) => value === winner.value && at !== null) ?? winner;
}
