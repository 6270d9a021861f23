import type { PersonIds } from '../../../carriers/numbers/user-ids.js';
import { type Candidate, type IdentityPlan, pickLatest } from './plan.js';

export interface IdentityChange {
  /** Some may be unknown. */
  before: PersonIds;
  now: PersonIds;
  at: Date;
}

export interface ChangeCandidate extends Candidate {
  lastInboundAt: Date | null;
}

/**
 * Merges contacts even if each has a user ID, because the carrier reports that both user IDs belong to the same person.
 * A new user ID comes with a new number, so the old number is removed. Returns null if no contact has the IDs.
 */
export function planChange(change: IdentityChange, candidates: readonly ChangeCandidate[]): IdentityPlan | null {
  const { before, now, at } = change;
  const samePerson = new Set(candidates.filter((each) => holdsId(each, before) || holdsId(each, now)));
  const isChanged = before.userId !== null && now.userId !== null && before.userId !== now.userId;
  for (const each of candidates) {
    if (before.phone === null || each.phone !== before.phone) continue;
    if (before.userId === null || each.userIds.length === 0) samePerson.add(each);
  }
  const holder = candidates.find((each) => now.phone !== null && each.phone === now.phone && !samePerson.has(each));
  const isStranger = holder !== undefined && isFormerOwner(holder, at);
  if (samePerson.size === 0) return null;
  if (holder && !isStranger) samePerson.add(holder);
  const [target, ...absorbed] = [...samePerson].sort((a, b) => (a.id < b.id ? -1 : 1)) as [ChangeCandidate];
  const samePeople: readonly ChangeCandidate[] = [target, ...absorbed];
  const isNumberReplaced = now.phone !== null || isChanged;
  const phone = pickLatest([
    ...samePeople
      .filter(({ phoneAt }) => !isNumberReplaced || (phoneAt !== null && phoneAt >= at))
      .map((each) => ({ value: each.phone, at: each.phoneAt })),
    { value: now.phone, at },
  ]);
  const userId = pickLatest([
    ...samePeople.map((each) => ({ value: each.userId, at: each.userIdAt })),
    { value: now.userId, at },
  ]);
  return {
    contactId: target.id,
    absorbed: absorbed.map(({ id }: ChangeCandidate) => id),
    phoneFrom: isStranger && phone.value === now.phone ? holder.id : null,
    parentFrom: null,
    ids: {
      phone: phone.value,
      phoneAt: phone.at,
      userId: userId.value,
      userIdAt: userId.at,
      parentUserId: now.parentUserId ?? samePeople.map((each) => each.parentUserId).find(Boolean) ?? null,
    },
  };
}

/** Ignores parent user IDs, because several people can share one. */
function holdsId({ userIds }: Candidate, { userId }: PersonIds): boolean {
  return userId !== null && userIds.includes(userId);
}

/** Returns false if the contact with the new number belongs to the same person. */
function isFormerOwner({ userIds, phoneAt, lastInboundAt }: ChangeCandidate, changedAt: Date): boolean {
  if (userIds.length > 0) return phoneAt === null || phoneAt < changedAt;
  return lastInboundAt !== null && lastInboundAt < changedAt;
}
