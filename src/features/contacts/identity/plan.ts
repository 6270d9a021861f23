import type { PersonIds } from '../../../carriers/numbers/user-ids.js';

/** What a report of a carrier says of a person: these ids are one person's at that moment. */
export interface Evidence extends PersonIds {
  at: Date;
}

/** A contact that holds one of the ids of a report. */
export interface Candidate extends PersonIds {
  /** UUIDv7: of two the one that was made first is lower. */
  id: string;
  /** Since when the number is theirs, and the user id the latest; null: not known. */
  phoneAt: Date | null;
  userIdAt: Date | null;
  /** Every user id of the portfolio that the contact has or had. */
  userIds: readonly string[];
  /** Those of all linked portfolios, and since when. */
  parentIds: Readonly<Record<string, Date>>;
}

/** What is to be done so that the contacts agree with a report. */
export interface IdentityPlan {
  /** The contact that stays; null: a new one. */
  contactId: string | null;
  /** Contacts that are the same person: they become part of it. */
  absorbed: readonly string[];
  /** Contacts of somebody else, from whom the number has moved on; and the id of all linked portfolios. */
  phoneFrom: string | null;
  parentFrom: string | null;
  /** What the contact has then. */
  ids: PersonIds & { phoneAt: Date | null; userIdAt: Date | null };
  /** Numbers that lead to it beside its own; without it those that led to this number. */
  numbers?: readonly string[];
}

/**
 * Decides whose a report is. A user id of the portfolio is one person for good. A number is a person's until somebody with
 * another user id has it, and an id of linked portfolios is no more than a hint: where two contacts have user ids of their
 * own they are two people, and what they share goes to the one who was seen with it last. A contact without a user id is
 * whoever is seen with its number.
 */
export function planIdentity(evidence: Evidence, candidates: readonly Candidate[]): IdentityPlan {
  const { own, byPhone, byParent } = sortOut(evidence, candidates);
  const [kept, ...absorbed] = [...own].sort((one, other) => (one.id < other.id ? -1 : 1));
  const isTheirs = (holder: Candidate | undefined) => holder !== undefined && !own.includes(holder);
  const phoneMoves = isTheirs(byPhone) && evidence.at > (byPhone?.phoneAt ?? LONG_AGO);
  const parentAt = byParent?.parentIds[evidence.parentUserId ?? ''] ?? LONG_AGO;
  const parentMoves = isTheirs(byParent) && evidence.at > parentAt;
  const phone = latest([
    ...[kept, ...absorbed].map((each) => ({ value: each?.phone ?? null, at: each?.phoneAt ?? null })),
    { value: isTheirs(byPhone) && !phoneMoves ? null : evidence.phone, at: evidence.at },
  ]);
  const userId = latest([
    ...[kept, ...absorbed].map((each) => ({ value: each?.userId ?? null, at: each?.userIdAt ?? null })),
    { value: evidence.userId, at: evidence.at },
  ]);
  return {
    contactId: kept?.id ?? null,
    absorbed: absorbed.map(({ id }) => id),
    phoneFrom: phoneMoves && phone.value === evidence.phone ? (byPhone?.id ?? null) : null,
    parentFrom: parentMoves ? (byParent?.id ?? null) : null,
    ids: {
      phone: phone.value,
      phoneAt: phone.at,
      userId: userId.value,
      userIdAt: userId.at,
      parentUserId:
        (isTheirs(byParent) && !parentMoves ? null : evidence.parentUserId) ??
        [kept, ...absorbed].map((each) => each?.parentUserId).find(Boolean) ??
        null,
    },
  };
}

/** Before anything that is noted. */
const LONG_AGO = new Date(0);

/** Which of the contacts are the person of a report. */
function sortOut(evidence: Evidence, candidates: readonly Candidate[]) {
  const byUser = candidates.find(({ userIds }) => evidence.userId !== null && userIds.includes(evidence.userId));
  const byParent = candidates.find(
    ({ parentIds }) => evidence.parentUserId !== null && Object.hasOwn(parentIds, evidence.parentUserId),
  );
  const byPhone = candidates.find(({ phone }) => evidence.phone !== null && phone === evidence.phone);
  const own = new Set<Candidate>();
  let hasUserId = evidence.userId !== null;
  for (const each of [byUser, byParent, byPhone]) {
    if (!each || own.has(each)) continue;
    if (each !== byUser && hasUserId && each.userIds.length > 0) continue;
    own.add(each);
    hasUserId ||= each.userIds.length > 0;
  }
  return { own: [...own], byPhone, byParent };
}

/** What was seen, and when; null: not known. */
export interface Dated {
  value: string | null;
  at: Date | null;
}

/**
 * The value that was seen last; of two of the same time the later in the list, for a report comes last. One that is there
 * already keeps the time since when it is.
 */
export function latest(values: readonly Dated[]): Dated {
  const known = values.filter(({ value }) => value !== null);
  const winner = known.reduce<Dated | undefined>(
    (best, each) => (best && (best.at ?? LONG_AGO) > (each.at ?? LONG_AGO) ? best : each),
    undefined,
  );
  if (!winner) return { value: null, at: null };
  return known.find(({ value, at }) => value === winner.value && at !== null) ?? winner;
}
