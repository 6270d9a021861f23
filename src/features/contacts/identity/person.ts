import type pg from 'pg';
import { addressesOf, type PersonIds } from '../../../carriers/numbers/user-ids.js';
import { joinOptOuts } from '../../opt-outs/opt-out-store.js';
import { countContacts, insertContact, openConversation } from '../contact-store.js';
import { toContactName } from '../fields.js';
import { type ContactRow, emitContactMerged, emitContactUpdated } from '../record.js';
import {
  addIds,
  type ChannelScope,
  findHolders,
  type HoldingContact,
  holdContact,
  leaveIds,
  lockIds,
  setIds,
} from './identity-store.js';
import { absorb, lockMerge } from './merge.js';
import { type IdentityPlan, planIdentity } from './plan.js';

/** What a report of a carrier says of a person whom a channel talks with. */
export interface ReportedPerson extends ChannelScope, PersonIds {
  /** Shown; nobody is known by it. */
  username: string | null;
  /** For one who has no name yet. */
  name: string;
  /** The carrier's time of the report. */
  seenAt: Date;
  /** When it is worked off. */
  at: Date;
}

/** The contact that a person is. */
export interface FoundPerson {
  contactId: string;
  conversationId: string;
  ids: PersonIds & { username: string | null };
}

/** Contacts are deleted, or made by their number, beside this; hardly as often as this. */
const MAX_TRIES = 10;

/**
 * The contact of a channel that a person is, by any of its ids, and its one conversation; each is made when it is not there.
 * Where ids that were two contacts' turn out to be one person's, these become one. To be called in the transaction of what
 * the person did, before anything else that it locks.
 */
export async function findOrCreatePerson(client: pg.PoolClient, asked: ReportedPerson): Promise<FoundPerson> {
  const person = { ...asked, name: toContactName(asked.name) };
  const [known, ...others] = await findHolders(client, person, person);
  // Two who hold the contact, and then wait for the ids, would wait for each other: it is held only where nothing is to do.
  if (
    known?.conversationId &&
    others.length === 0 &&
    isSettled(known, person) &&
    (await holdContact(client, known.id))
  ) {
    const { id: contactId, conversationId, phone, userId, parentUserId, username } = known;
    return { contactId, conversationId, ids: { phone, userId, parentUserId, username } };
  }
  await lockIds(client, person.channelId, addressesOf(person));
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const holders = await findHolders(client, person, person);
    const plan = planIdentity({ ...person, at: person.seenAt }, holders);
    const found = await settle(client, person, holders, plan);
    if (found) return found;
  }
  throw new Error('a contact was deleted or made again and again while it was looked for');
}

/** Whether a report says nothing new of the only contact that holds ids of it. */
function isSettled(known: HoldingContact, { phone, userId, parentUserId, username, name }: ReportedPerson): boolean {
  return (
    (phone === null || phone === known.phone) &&
    (userId === null || userId === known.userId) &&
    (parentUserId === null || parentUserId === known.parentUserId) &&
    (username === null || username === known.username) &&
    (name === '' || known.name !== '')
  );
}

/** Null where the contacts are others than a moment ago. */
async function settle(
  client: pg.PoolClient,
  person: ReportedPerson,
  holders: readonly HoldingContact[],
  plan: IdentityPlan,
): Promise<FoundPerson | null> {
  const { accountId, channelId, at, seenAt } = person;
  const kept = holders.find(({ id }) => id === plan.contactId);
  const username = usernameOf(person, kept, holders, plan);
  if (kept && !(await lockMerge(client, { channelId, contactId: kept.id, absorbed: plan.absorbed }))) return null;
  await leaveIds(client, plan, at);
  if (kept) {
    const merge = { accountId, channelId, contactId: kept.id, absorbed: plan.absorbed };
    await absorb(client, merge, { ...plan.ids, username }, at);
  }
  const made = kept ? null : await insertContact(client, { ...person, ...plan.ids, username, email: '' });
  const contactId = kept?.id ?? made?.id;
  if (contactId === undefined) return null;
  const changed = kept ? await setIds(client, contactId, plan.ids, { ...person, username }) : null;
  await addIds(client, { channelId, contactId }, idsOf(person, plan), seenAt);
  await joinOptOuts(client, channelId, addressesToJoin(person, holders, plan));
  const conversationId = await openConversation(client, contactId, at);
  await tell(client, person, contactId, { made, changed, absorbed: plan.absorbed });
  const more = made ? 1 : -plan.absorbed.length;
  if (more !== 0) await countContacts(client, channelId, more);
  return conversationId ? { contactId, conversationId, ids: { ...plan.ids, username } } : null;
}

/** A report that came late does not bring an earlier name back. */
function usernameOf(
  { username, seenAt }: ReportedPerson,
  kept: HoldingContact | undefined,
  holders: readonly HoldingContact[],
  { absorbed }: IdentityPlan,
): string | null {
  const before = kept?.username ?? holders.find(({ id }) => absorbed.includes(id))?.username ?? null;
  const isLate = before !== null && kept?.lastInboundAt != null && seenAt < kept.lastInboundAt;
  return isLate ? before : (username ?? before);
}

/** The ids of a report that lead to its contact from now on. */
function idsOf({ userId, parentUserId }: ReportedPerson, { ids }: IdentityPlan) {
  return {
    userIds: userId === null ? [] : [userId],
    parentIds: parentUserId === null || ids.parentUserId !== parentUserId ? [] : [parentUserId],
  };
}

/** Whoever wants no messages by one address wants none by another. What was somebody else's stays theirs. */
function addressesToJoin(
  person: ReportedPerson,
  holders: readonly HoldingContact[],
  { contactId, absorbed, ids }: IdentityPlan,
) {
  const own = holders.filter(({ id }) => id === contactId || absorbed.includes(id));
  return [
    ...new Set([ids, person.userId === null ? ids : { ...ids, userId: person.userId }, ...own].flatMap(addressesOf)),
  ];
}

async function tell(
  client: pg.PoolClient,
  { accountId, channelId, at }: ReportedPerson,
  contactId: string,
  { made, changed, absorbed }: { made: ContactRow | null; changed: ContactRow | null; absorbed: readonly string[] },
): Promise<void> {
  const scope = { accountId, channelId };
  if (made) await emitContactUpdated(client, scope, made, { change: 'created' }, at);
  if (changed) await emitContactUpdated(client, scope, changed, { change: 'updated' }, at);
  if (absorbed.length > 0) await emitContactMerged(client, scope, { contactId, absorbed }, at);
}
