import type { Candidate, IdentityPlan } from './plan.js';

/** A contact that has one of the numbers, as its main or a further number. */
export interface NumberedCandidate extends Candidate {
  /** Further numbers of the same WhatsApp account as `phone`. */
  numbers: readonly string[];
}

/**
 * Plans what follows from two numbers being one WhatsApp account: contacts that have them are merged. The main number is that of
 * the oldest contact; the others become further numbers.
 * @returns null if no contact has them, or if two contacts have user IDs and so are different people
 */
export function planSame(numbers: readonly string[], candidates: readonly NumberedCandidate[]): IdentityPlan | null {
  const [target, ...absorbed] = [...candidates].sort((a, b) => (a.id < b.id ? -1 : 1));
  const withId = candidates.filter(({ userIds }) => userIds.length > 0);
  if (!target || withId.length > 1) return null;
  const all = [target, ...absorbed];
  const [identified] = withId;
  return {
    contactId: target.id,
    absorbed: absorbed.map(({ id }) => id),
    phoneFrom: null,
    parentFrom: null,
    ids: {
      phone: target.phone,
      phoneAt: all.find(({ phoneAt }) => phoneAt !== null)?.phoneAt ?? null,
      userId: identified?.userId ?? null,
      userIdAt: identified?.userIdAt ?? null,
      parentUserId: all.find(({ parentUserId }) => parentUserId !== null)?.parentUserId ?? null,
    },
    numbers: [...numbers, ...all.flatMap((each) => [each.phone ?? [], each.numbers].flat())],
  };
}
