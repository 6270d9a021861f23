import type { Candidate, IdentityPlan } from './plan.js';

/** A contact that holds one of two numbers, be it as a further one. */
export interface NumberedCandidate extends Candidate {
  /** Further numbers that are the same account as `phone`. */
  numbers: readonly string[];
}

/**
 * Decides what follows where a carrier says that two numbers are one account: whoever holds them is one person, who keeps the
 * number that the older contact has. The others lead to it from then on.
 * @returns null where nobody holds them, and where two have user ids of their own: those are two people
 */
export function planSame(numbers: readonly string[], candidates: readonly NumberedCandidate[]): IdentityPlan | null {
  const [kept, ...absorbed] = [...candidates].sort((one, other) => (one.id < other.id ? -1 : 1));
  const withId = candidates.filter(({ userIds }) => userIds.length > 0);
  if (!kept || withId.length > 1) return null;
  const all = [kept, ...absorbed];
  const [known] = withId;
  return {
    contactId: kept.id,
    absorbed: absorbed.map(({ id }) => id),
    phoneFrom: null,
    parentFrom: null,
    ids: {
      phone: kept.phone,
      phoneAt: all.find(({ phoneAt }) => phoneAt !== null)?.phoneAt ?? null,
      userId: known?.userId ?? null,
      userIdAt: known?.userIdAt ?? null,
      parentUserId: all.find(({ parentUserId }) => parentUserId !== null)?.parentUserId ?? null,
    },
    numbers: [...numbers, ...all.flatMap((each) => [each.phone ?? [], each.numbers].flat())],
  };
}
