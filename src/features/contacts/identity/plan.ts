import type { PersonIds } from '../../../carriers/numbers/user-ids.js';

export interface Evidence extends PersonIds {
  at: Date;
}

export interface Candidate extends PersonIds {
  /** A UUIDv7, so that the older contact has the lower ID. */
  id: string;
  /** Time since which the person has had the number, or null if unknown. */
  phoneAt: Date | null;
  userIdAt: Date | null;
  userIds: readonly string[];
  /** By parent user ID. */
  parentIds: Readonly<Record<string, Date>>;
}

export interface IdentityPlan {
  contactId: string | null;
  absorbed: readonly string[];
  /** Contact of another person, which loses the number. */
  phoneFrom: string | null;
  parentFrom: string | null;
  ids: PersonIds & { phoneAt: Date | null; userIdAt: Date | null };
  numbers?: readonly string[];
}

/**
 * A user ID always identifies the same person. A number belongs to a person until somebody with another user ID has it.
 * A parent user ID is only a hint about the person. If two people share a number or parent user ID, the person last
 * seen with it gets it. A contact without a user ID belongs to the person who is seen with its number.
 */
export function planIdentity(evidence: Evidence, candidates: readonly Candidate[]): IdentityPlan {
  const { samePerson, byPhone, byParent } = selectSamePerson(evidence, candidates);
  const [target, ...absorbed] = [...samePerson].sort((a, b) => (a.id < b.id ? -1 : 1));
  const isOtherPerson = (holder: Candidate | undefined) => holder !== undefined && !samePerson.includes(holder);
  const phoneMoves = isOtherPerson(byPhone) && evidence.at > (byPhone?.phoneAt ?? LONG_AGO);
  const parentAt = byParent?.parentIds[evidence.parentUserId ?? ''] ?? LONG_AGO;
  const parentMoves = isOtherPerson(byParent) && evidence.at > parentAt;
  const phone = pickLatest([
    ...[target, ...absorbed].map((each) => ({ value: each?.phone ?? null, at: each?.phoneAt ?? null })),
    { value: isOtherPerson(byPhone) && !phoneMoves ? null : evidence.phone, at: evidence.at },
  ]);
  const userId = pickLatest([
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

const LONG_AGO = new Date(0);

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

export interface Dated {
  value: string | null;
  at: Date | null;
}

/**
 * Among equal times, the last value wins, because the current report comes last in the list. A value that was already
 * known keeps its earlier time.
 */
export function pickLatest(values: readonly Dated[]): Dated {
  const present = values.filter(({ value }) => value !== null);
  const winner = present.reduce<Dated | undefined>(
    (best, each) => (best && (best.at ?? LONG_AGO) > (each.at ?? LONG_AGO) ? best : each),
    undefined,
  );
  if (!winner) return { value: null, at: null };
  return present.find(({ value, at }) => value === winner.value && at !== null) ?? winner;
}
