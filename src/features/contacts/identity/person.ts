import type pg from 'pg';
import { type PersonIds, toAddresses } from '../../../carriers/numbers/user-ids.js';
import { joinOptOuts } from '../../opt-outs/opt-out-store.js';
import { toContactName } from '../contact-fields.js';
import { changeContactCount, insertContact, openConversation } from '../contact-store.js';
import { type ContactRow, emitContactMerged, emitContactUpdated } from '../record.js';
import {
  addIds,
  type ChannelScope,
  findHolders,
  type HoldingContact,
  holdContact,
  lockIds,
  removeIds,
  setIds,
} from './identity-store.js';
import { lockContacts, mergeContacts } from './merge.js';
import { type SameNumber, setFurtherNumbers } from './number-store.js';
import { type IdentityPlan, planIdentity } from './plan.js';
import { planChange } from './plan-change.js';
import { planSame } from './plan-same.js';

export interface ReportedPerson extends ChannelScope, PersonIds {
  /** Does not identify anybody. */
  username: string | null;
  name: string;
  /** Time at which the carrier observed the IDs. */
  seenAt: Date;
  /** Time of processing. */
  at: Date;
}

export interface FoundPerson {
  contactId: string;
  conversationId: string;
  ids: PersonIds & { username: string | null };
}

/** Maximum number of attempts, which are repeated if other transactions delete or create contacts in the meantime. */
const MAX_ATTEMPTS = 10;

/**
 * If the IDs belong to two contacts, merges the contacts. Call this function before the transaction locks anything
 * else.
 */
export async function findOrCreatePerson(client: pg.PoolClient, reported: ReportedPerson): Promise<FoundPerson> {
  const named = { ...reported, name: toContactName(reported.name) };
  const holders = await findHolders(client, named, [named]);
  const [holder, ...otherHolders] = holders;
  const person = withMainNumber(named, holders);
  // Only a contact that needs no change may be locked before its IDs, because two transactions could deadlock
  // otherwise.
  if (
    holder?.conversationId &&
    otherHolders.length === 0 &&
    isUpToDate(holder, person) &&
    (await holdContact(client, holder.id))
  ) {
    const { id: contactId, conversationId, phone, userId, parentUserId, username } = holder;
    return { contactId, conversationId, ids: { phone, userId, parentUserId, username } };
  }
  const decision = await lockAndDecide(client, named, NOBODY, (lockedHolders, now) =>
    planIdentity({ ...now, at: now.seenAt }, lockedHolders),
  );
  const { contactId, ids } = await applyDecision(client, decision as Decision);
  const conversationId = await openConversation(client, contactId, person.at);
  return { contactId, conversationId: conversationId as string, ids };
}

/**
 * Changes only existing contacts.
 * @param before The former IDs, or empty if the report only shows which IDs belong together.
 */
export async function recordPerson(
  client: pg.PoolClient,
  person: ReportedPerson,
  before: PersonIds = NOBODY,
): Promise<void> {
  const isChange = toAddresses(before).length > 0;
  const at = person.seenAt;
  const decision = await lockAndDecide(client, person, before, (holders, now, former) => {
    const plan = isChange ? planChange({ before: former, now, at }, holders) : planIdentity({ ...now, at }, holders);
    return plan?.contactId ? plan : null;
  });
  if (decision) await applyDecision(client, decision);
}

/** Changes only existing contacts. */
export async function recordSamePerson(
  client: pg.PoolClient,
  scope: ChannelScope,
  { sentTo, known }: SameNumber,
  at: Date,
): Promise<void> {
  const person = { ...scope, ...NOBODY, phone: sentTo, username: null, name: '', seenAt: at, at };
  const decision = await lockAndDecide(client, person, { ...NOBODY, phone: known }, (holders) =>
    planSame([sentTo, known], holders),
  );
  if (decision) await applyDecision(client, decision);
}

const NOBODY: PersonIds = { phone: null, userId: null, parentUserId: null };

interface Decision {
  person: ReportedPerson;
  plan: IdentityPlan;
  holders: readonly HoldingContact[];
  former: PersonIds;
  created: ContactRow | null;
}

/** Locks the contacts before reading anything about them, and returns null if nothing has to be done. */
async function lockAndDecide(
  client: pg.PoolClient,
  person: ReportedPerson,
  former: PersonIds,
  makePlan: (holders: readonly HoldingContact[], person: ReportedPerson, former: PersonIds) => IdentityPlan | null,
): Promise<Decision | null> {
  const { channelId } = person;
  await lockIds(client, channelId, [...new Set([...toAddresses(person), ...toAddresses(former)])]);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const holderIds = (await findHolders(client, person, [person, former])).map(({ id }) => id);
    if (!(await lockContacts(client, channelId, holderIds))) continue;
    const holders = await findHolders(client, person, [person, former]);
    if (holders.some(({ id }) => !holderIds.includes(id))) continue;
    const now = withMainNumber(person, holders);
    const before = withMainNumber(former, holders);
    const plan = makePlan(holders, now, before);
    if (!plan) return null;
    await removeIds(client, plan, person.at);
    const { ids, contactId } = plan;
    const created = contactId === null ? await insertContact(client, { ...person, ...ids }) : null;
    if (created || contactId !== null) return { person: now, plan, holders, former: before, created };
  }
  throw new Error('a contact was deleted or created repeatedly during a lookup');
}

/** A number without a time gets one when the number is first seen together with a user ID. */
function isUpToDate(holder: HoldingContact, { phone, userId, parentUserId, username, name }: ReportedPerson): boolean {
  const isDated = holder.phoneAt !== null || (userId === null && parentUserId === null);
  return (
    (phone === null || (phone === holder.phone && isDated)) &&
    (userId === null || userId === holder.userId) &&
    (parentUserId === null || parentUserId === holder.parentUserId) &&
    (username === null || username === holder.username) &&
    (name === '' || holder.name !== '')
  );
}

async function applyDecision(
  client: pg.PoolClient,
  { person, plan, holders, former, created }: Decision,
): Promise<Pick<FoundPerson, 'contactId' | 'ids'>> {
  const { accountId, channelId, at, seenAt } = person;
  const { absorbed } = plan;
  const contactId = created?.id ?? (plan.contactId as string);
  const ids = { ...plan.ids, username: selectUsername(person, holders, plan) };
  await mergeContacts(client, { accountId, channelId, contactId, absorbed }, ids, at);
  const changed = created ? null : await setIds(client, contactId, ids, person);
  await addIds(client, { channelId, contactId }, selectIds(person, former, plan), seenAt);
  const numbers = selectNumbers(plan, holders);
  if (numbers) await setFurtherNumbers(client, { channelId, contactId }, numbers, seenAt);
  await joinOptOuts(client, channelId, listAddressesToJoin(person, holders, plan));
  await emitPersonEvents(client, person, contactId, { created, changed, absorbed });
  const difference = created ? 1 : -absorbed.length;
  if (difference !== 0) await changeContactCount(client, channelId, difference);
  return { contactId, ids };
}

/** A late report does not restore an earlier username. */
function selectUsername(
  { username, seenAt }: ReportedPerson,
  holders: readonly HoldingContact[],
  { contactId, absorbed }: IdentityPlan,
): string | null {
  const target = holders.find(({ id }) => id === contactId);
  const before = target?.username ?? holders.find(({ id }) => absorbed.includes(id))?.username ?? null;
  const isLate = before !== null && target?.lastInboundAt != null && seenAt < target.lastInboundAt;
  return isLate ? before : (username ?? before);
}

function selectIds({ userId, parentUserId }: PersonIds, former: PersonIds, { ids }: IdentityPlan) {
  return {
    userIds: [...new Set([userId, former.userId])].filter((each) => each !== null),
    parentIds: parentUserId === null || ids.parentUserId !== parentUserId ? [] : [parentUserId],
  };
}

/**
 * Replaces a contact's further number with its main number, so that the report does not seem to contain a new number.
 */
function withMainNumber<Ids extends PersonIds>(ids: Ids, holders: readonly HoldingContact[]): Ids {
  const { phone } = ids;
  if (phone === null || holders.some((holder) => holder.phone === phone)) return ids;
  const holder = holders.find(({ numbers }) => numbers.includes(phone));
  return holder ? { ...ids, phone: holder.phone } : ids;
}

/** Further numbers stay with the contact that has the main number. */
function selectNumbers({ ids, numbers }: IdentityPlan, holders: readonly HoldingContact[]): string[] | null {
  const withSameNumber = holders
    .filter(({ phone }) => phone !== null && phone === ids.phone)
    .flatMap((each) => each.numbers);
  const furtherNumbers = new Set([...withSameNumber, ...(numbers ?? [])].filter((each) => each !== ids.phone));
  return furtherNumbers.size > 0 || holders.some((each) => each.numbers.length > 0) ? [...furtherNumbers] : null;
}

/** Lists all addresses of the person, because an opt-out of one address applies to all of them. */
function listAddressesToJoin(
  person: ReportedPerson,
  holders: readonly HoldingContact[],
  { contactId, absorbed, ids }: IdentityPlan,
) {
  const samePerson = holders.filter(({ id }) => id === contactId || absorbed.includes(id));
  return [
    ...new Set(
      [ids, person.userId === null ? ids : { ...ids, userId: person.userId }, ...samePerson].flatMap(toAddresses),
    ),
  ];
}

async function emitPersonEvents(
  client: pg.PoolClient,
  { accountId, channelId, at }: ReportedPerson,
  contactId: string,
  {
    created,
    changed,
    absorbed,
  }: { created: ContactRow | null; changed: ContactRow | null; absorbed: readonly string[] },
): Promise<void> {
  const scope = { accountId, channelId };
  if (created) await emitContactUpdated(client, scope, created, { change: 'created' }, at);
  if (changed) await emitContactUpdated(client, scope, changed, { change: 'updated' }, at);
  if (absorbed.length > 0) await emitContactMerged(client, scope, { contactId, absorbed }, at);
}
