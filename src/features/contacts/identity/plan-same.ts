import type { Candidate, IdentityPlan } from './plan.js';

export interface NumberedCandidate extends Candidate {
  numbers: readonly string[];
}

/**
 * Merges the contacts with either number, and keeps the main number of the oldest contact as the main number. Returns
 * null if no contact has either number, or if two contacts have user IDs and are therefore different people.
 */
export function planSame(numbers: readonly string[], candidates: readonly NumberedCandidate[]): IdentityPlan | null {
  const [target, ...absorbed] = [...candidates].sort((a, b) => (a.id < b.id ? -1 : 1));
  const contactsWithUserId = candidates.filter(({ userIds }) => userIds.length > 0);
  if (!target || contactsWithUserId.length > 1) return null;
  const mergedContacts = [target, ...absorbed];
  const [identified] = contactsWithUserId;
  return {
    contactId: target.id,
    absorbed: absorbed.map(({ id }) => id),
    phoneFrom: null,
    parentFrom: null,
    ids: {
      phone: target.phone,
      phoneAt: mergedContacts.find(({ phoneAt }) => phoneAt !== null)?.phoneAt ?? null,
      userId: identified?.userId ?? null,
      userIdAt: identified?.userIdAt ?? null,
      parentUserId: mergedContacts.find(({ parentUserId }) => parentUserId !== null)?.parentUserId ?? null,
    },
    numbers: [...numbers, ...mergedContacts.flatMap((each) => [each.phone ?? [], each.numbers].flat())],
  };
}
