import type { PersonIds } from '../../../carriers/numbers/user-ids.js';
import { type Candidate, type IdentityPlan, latest } from './plan.js';

/** What a carrier says of a person who has other ids from a moment on. */
export interface IdentityChange {
  /** By which the person was known, as far as it is told. */
  before: PersonIds;
  now: PersonIds;
  at: Date;
}

/** A contact that may hold any of the ids. */
export interface ChangeCandidate extends Candidate {
  /** When it wrote last; null: never. */
  lastInboundAt: Date | null;
}

/**
 * Decides what a change of ids does. Here the carrier says that both user ids are one person's, so contacts become one even
 * where each has its own. The new number may be known by somebody who had it before, or by what the person wrote from it
 * already: the times tell which. With a user id its number goes, for a new one comes with another number.
 * @returns null where nobody knows the person
 */
export function planChange(change: IdentityChange, candidates: readonly ChangeCandidate[]): IdentityPlan | null {
  const { before, now, at } = change;
  const own = new Set(candidates.filter((each) => holdsId(each, before) || holdsId(each, now)));
  const isChanged = before.userId !== null && now.userId !== null && before.userId !== now.userId;
  for (const each of candidates) {
    if (before.phone === null || each.phone !== before.phone) continue;
    if (before.userId === null || each.userIds.length === 0) own.add(each);
  }
  const holder = candidates.find((each) => now.phone !== null && each.phone === now.phone && !own.has(each));
  const isStranger = holder !== undefined && hadItBefore(holder, at);
  if (own.size === 0) return null;
  if (holder && !isStranger) own.add(holder);
  const [kept, ...absorbed] = [...own].sort((one, other) => (one.id < other.id ? -1 : 1)) as [ChangeCandidate];
  const all: readonly ChangeCandidate[] = [kept, ...absorbed];
  const isLeft = now.phone !== null || isChanged;
  const phone = latest([
    ...all
      .filter(({ phoneAt }) => !isLeft || (phoneAt !== null && phoneAt >= at))
      .map((each) => ({ value: each.phone, at: each.phoneAt })),
    { value: now.phone, at },
  ]);
  const userId = latest([...all.map((each) => ({ value: each.userId, at: each.userIdAt })), { value: now.userId, at }]);
  return {
    contactId: kept.id,
    absorbed: absorbed.map(({ id }: ChangeCandidate) => id),
    phoneFrom: isStranger && phone.value === now.phone ? holder.id : null,
    parentFrom: null,
    ids: {
      phone: phone.value,
      phoneAt: phone.at,
      userId: userId.value,
      userIdAt: userId.at,
      parentUserId: now.parentUserId ?? all.map((each) => each.parentUserId).find(Boolean) ?? null,
    },
  };
}

/** By an id of the portfolio; one of all linked portfolios is none of a single person's. */
function holdsId({ userIds }: Candidate, { userId }: PersonIds): boolean {
  return userId !== null && userIds.includes(userId);
}

/** Whether the holder of a number is who had it before it was another's, and no earlier trace of that other. */
function hadItBefore({ userIds, phoneAt, lastInboundAt }: ChangeCandidate, at: Date): boolean {
  if (userIds.length > 0) return phoneAt === null || phoneAt < at;
  return lastInboundAt !== null && lastInboundAt < at;
}
