import type pg from 'pg';
import { addressesOf, type PersonIds } from '../../../carriers/numbers/user-ids.js';
import { joinOptOuts } from '../../opt-outs/opt-out-store.js';
import { toContactName } from '../contact-fields.js';
import { countContacts, insertContact, openConversation } from '../contact-store.js';
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
import { absorb, lockContacts } from './merge.js';
import { keepNumbers, type SameNumber } from './number-store.js';
import { type IdentityPlan, planIdentity } from './plan.js';
import { planChange } from './plan-change.js';
import { planSame } from './plan-same.js';

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
  const named = { ...asked, name: toContactName(asked.name) };
  const seen = await findHolders(client, named, [named]);
  const [known, ...others] = seen;
  const person = asKnown(named, seen);
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
  const decided = await decide(client, named, NOBODY, (holders, now) =>
    planIdentity({ ...now, at: now.seenAt }, holders),
  );
  const { contactId, ids } = await settle(client, decided as Decided);
  const conversationId = await openConversation(client, contactId, person.at);
  return { contactId, conversationId: conversationId as string, ids };
}

/**
 * Notes that ids are of one person, or that others are theirs now. Only of a person who is a contact already: nobody is made
 * one by it.
 * @param before by which the person was known until then; nothing where a report only shows ids together
 */
export async function notePerson(
  client: pg.PoolClient,
  person: ReportedPerson,
  before: PersonIds = NOBODY,
): Promise<void> {
  const isChange = addressesOf(before).length > 0;
  const at = person.seenAt;
  const decided = await decide(client, person, before, (holders, now, former) => {
    const plan = isChange ? planChange({ before: former, now, at }, holders) : planIdentity({ ...now, at }, holders);
    return plan?.contactId ? plan : null;
  });
  if (decided) await settle(client, decided);
}

/** Notes that two numbers are one account. Nobody is made a contact by it. */
export async function noteSamePerson(
  client: pg.PoolClient,
  scope: ChannelScope,
  { sentTo, known }: SameNumber,
  at: Date,
): Promise<void> {
  const person = { ...scope, ...NOBODY, phone: sentTo, username: null, name: '', seenAt: at, at };
  const decided = await decide(client, person, { ...NOBODY, phone: known }, (holders) =>
    planSame([sentTo, known], holders),
  );
  if (decided) await settle(client, decided);
}

const NOBODY: PersonIds = { phone: null, userId: null, parentUserId: null };

/** What is to be done about a person, and the contacts that hold any of the ids, which are locked. */
interface Decided {
  person: ReportedPerson;
  plan: IdentityPlan;
  holders: readonly HoldingContact[];
  former: PersonIds;
  /** Of a new person: its contact. */
  made: ContactRow | null;
}

/** Null where there is nothing to do. Runs are locked before contacts, and contacts before anything of theirs is read. */
async function decide(
  client: pg.PoolClient,
  person: ReportedPerson,
  former: PersonIds,
  planOf: (holders: readonly HoldingContact[], person: ReportedPerson, former: PersonIds) => IdentityPlan | null,
): Promise<Decided | null> {
  const { channelId } = person;
  await lockIds(client, channelId, [...new Set([...addressesOf(person), ...addressesOf(former)])]);
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const seen = (await findHolders(client, person, [person, former])).map(({ id }) => id);
    if (!(await lockContacts(client, channelId, seen))) continue;
    const holders = await findHolders(client, person, [person, former]);
    if (holders.some(({ id }) => !seen.includes(id))) continue;
    const now = asKnown(person, holders);
    const before = asKnown(former, holders);
    const plan = planOf(holders, now, before);
    if (!plan) return null;
    await leaveIds(client, plan, person.at);
    const { ids, contactId } = plan;
    const made = contactId === null ? await insertContact(client, { ...person, ...ids }) : null;
    if (made || contactId !== null) return { person: now, plan, holders, former: before, made };
  }
  throw new Error('a contact was deleted or made again and again while it was looked for');
}

/**
 * Whether a report says nothing new of the only contact that holds ids of it. A number that nobody was seen with is theirs
 * since it is seen with an id of theirs.
 */
function isSettled(known: HoldingContact, { phone, userId, parentUserId, username, name }: ReportedPerson): boolean {
  const isDated = known.phoneAt !== null || (userId === null && parentUserId === null);
  return (
    (phone === null || (phone === known.phone && isDated)) &&
    (userId === null || userId === known.userId) &&
    (parentUserId === null || parentUserId === known.parentUserId) &&
    (username === null || username === known.username) &&
    (name === '' || known.name !== '')
  );
}

/** Does what was decided, and tells of it. */
async function settle(
  client: pg.PoolClient,
  { person, plan, holders, former, made }: Decided,
): Promise<Pick<FoundPerson, 'contactId' | 'ids'>> {
  const { accountId, channelId, at, seenAt } = person;
  const { absorbed } = plan;
  const contactId = made?.id ?? (plan.contactId as string);
  const ids = { ...plan.ids, username: usernameOf(person, holders, plan) };
  await absorb(client, { accountId, channelId, contactId, absorbed }, ids, at);
  const changed = made ? null : await setIds(client, contactId, ids, person);
  await addIds(client, { channelId, contactId }, idsOf(person, former, plan), seenAt);
  const numbers = numbersOf(plan, holders);
  if (numbers) await keepNumbers(client, { channelId, contactId }, numbers, seenAt);
  await joinOptOuts(client, channelId, addressesToJoin(person, holders, plan));
  await tell(client, person, contactId, { made, changed, absorbed });
  const more = made ? 1 : -absorbed.length;
  if (more !== 0) await countContacts(client, channelId, more);
  return { contactId, ids };
}

/** A report that came late does not bring an earlier name back. */
function usernameOf(
  { username, seenAt }: ReportedPerson,
  holders: readonly HoldingContact[],
  { contactId, absorbed }: IdentityPlan,
): string | null {
  const kept = holders.find(({ id }) => id === contactId);
  const before = kept?.username ?? holders.find(({ id }) => absorbed.includes(id))?.username ?? null;
  const isLate = before !== null && kept?.lastInboundAt != null && seenAt < kept.lastInboundAt;
  return isLate ? before : (username ?? before);
}

/** The ids of a report that lead to its contact from now on. */
function idsOf({ userId, parentUserId }: PersonIds, former: PersonIds, { ids }: IdentityPlan) {
  return {
    userIds: [...new Set([userId, former.userId])].filter((each) => each !== null),
    parentIds: parentUserId === null || ids.parentUserId !== parentUserId ? [] : [parentUserId],
  };
}

/** A further number of a contact's counts as its number, so that it is nobody's news. */
function asKnown<Ids extends PersonIds>(ids: Ids, holders: readonly HoldingContact[]): Ids {
  const { phone } = ids;
  if (phone === null || holders.some((holder) => holder.phone === phone)) return ids;
  const holder = holders.find(({ numbers }) => numbers.includes(phone));
  return holder ? { ...ids, phone: holder.phone } : ids;
}

/** The further numbers of the contact from now on: they go where the number goes that they are the same as. Null without any. */
function numbersOf({ ids, numbers }: IdentityPlan, holders: readonly HoldingContact[]): string[] | null {
  const ofNumber = holders.filter(({ phone }) => phone !== null && phone === ids.phone).flatMap((each) => each.numbers);
  const all = new Set([...ofNumber, ...(numbers ?? [])].filter((each) => each !== ids.phone));
  return all.size > 0 || holders.some((each) => each.numbers.length > 0) ? [...all] : null;
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
