import type pg from 'pg';
import { addressesOf, type PersonIds } from '../../../carriers/numbers/user-ids.js';
import type { ChannelKind } from '../../../platform/generated/prisma/client.js';
import { newId } from '../../../platform/ids.js';
import { joinOptOuts } from '../../opt-outs/opt-out-store.js';
import { toFieldValues } from '../contact-fields.js';
import { findHolders, type HoldingContact, lockIds } from '../identity/identity-store.js';
import { findOwn, type ImportedPerson, insertPeople, noteUserIds, updatePeople } from '../identity/imported-store.js';
import { lockContacts } from '../identity/merge.js';
import type { ImportRow } from './check-row.js';

/** Where the contacts of an import go. */
export interface ContactsTarget {
  accountId: string;
  channelId: string;
  kind: ChannelKind;
  groupId: string | null;
  /** Names and addresses of contacts that the channel has are replaced by those of the import. */
  update: boolean;
}

/** What became of a row of a batch; where the channel does not take it, why. */
export type RowOutcome = 'created' | 'updated' | 'present' | 'repeated' | { reason: string };

/** What became of rows, and the contacts that those which were taken are now. */
export interface Imported {
  outcomes: RowOutcome[];
  contactIds: string[];
}

/** Contacts are deleted, or made by their number, beside this; hardly as often as this. */
const MAX_TRIES = 10;

const OF_TWO = 'phone and userId are not of the same contact of the channel';

/**
 * Imports rows that name a user id, perhaps beside a number, in the caller's transaction. A row is the contact that has either
 * of its ids. One that has another id of the same kind is another person: the row is refused, and nothing is merged, for it is
 * WhatsApp that says who is who. Where contacts are updated, one that has no number, or no user id, gets that of the row.
 */
export async function importPeople(
  client: pg.PoolClient,
  target: ContactsTarget,
  rows: readonly ImportRow[],
  startedAt: Date,
): Promise<Imported> {
  const { channelId } = target;
  await lockIds(client, channelId, rows.map(idsOf).flatMap(addressesOf));
  const outcomes = new Map<ImportRow, RowOutcome>();
  const contactIds = new Map<ImportRow, string>();
  let left = rows;
  for (let tries = 1; left.length > 0; tries += 1) {
    if (tries > MAX_TRIES) throw new Error('contacts were made or deleted again and again while they were imported');
    const seen = (await findHolders(client, target, left.map(idsOf))).map(({ id }) => id);
    if (!(await lockContacts(client, channelId, seen))) continue;
    const holders = await findHolders(client, target, left.map(idsOf));
    if (holders.some(({ id }) => !seen.includes(id))) continue;
    const { strangers, known, refused } = sortOut(left, holders);
    for (const row of refused) outcomes.set(row, { reason: OF_TWO });
    for (const [row, outcome] of await takeKnown(client, target, known, startedAt)) {
      outcomes.set(row, outcome);
      contactIds.set(row, (known.get(row) as HoldingContact).id);
    }
    const made = await make(client, target, strangers, startedAt);
    for (const [row, id] of made) {
      outcomes.set(row, 'created');
      contactIds.set(row, id);
    }
    left = strangers.filter((row) => !made.has(row));
  }
  return { outcomes: rows.map((row) => outcomes.get(row) as RowOutcome), contactIds: [...contactIds.values()] };
}

function idsOf({ phone, userId }: ImportRow): PersonIds {
  return { phone, userId, parentUserId: null };
}

/** Which rows are of contacts of the channel, and which of nobody whom it knows. */
function sortOut(rows: readonly ImportRow[], holders: readonly HoldingContact[]) {
  const byUserId = new Map(holders.flatMap((holder) => holder.userIds.map((id) => [id, holder] as const)));
  const byPhone = new Map(holders.map((holder) => [holder.phone, holder]));
  const strangers: ImportRow[] = [];
  const refused: ImportRow[] = [];
  const known = new Map<ImportRow, HoldingContact>();
  for (const row of rows) {
    const ofUserId = byUserId.get(row.userId as string);
    const ofPhone = row.phone === null ? undefined : byPhone.get(row.phone);
    const holder = ofUserId ?? ofPhone;
    if (!holder) strangers.push(row);
    else if (isAnother(row, holder, { ofUserId, ofPhone })) refused.push(row);
    else known.set(row, holder);
  }
  return { strangers, known, refused };
}

function isAnother(
  { phone }: ImportRow,
  holder: HoldingContact,
  { ofUserId, ofPhone }: { ofUserId: HoldingContact | undefined; ofPhone: HoldingContact | undefined },
): boolean {
  if (!ofUserId) return holder.userIds.length > 0;
  return ofPhone ? ofPhone.id !== ofUserId.id : phone !== null && holder.phone !== null;
}

/** Contacts of the channel, which this transaction has locked. */
async function takeKnown(
  client: pg.PoolClient,
  { channelId, update }: ContactsTarget,
  known: ReadonlyMap<ImportRow, HoldingContact>,
  startedAt: Date,
): Promise<[ImportRow, RowOutcome][]> {
  if (known.size === 0) return [];
  const own = await findOwn(
    client,
    [...known.values()].map(({ id }) => id),
    startedAt,
  );
  const others = [...known].filter(([, { id }]) => !own.has(id));
  const people = others.map(([row, { id }]) => personOf(row, id));
  const changed = update ? await updatePeople(client, people, startedAt) : new Set<string>();
  if (update) {
    const linked = others.filter(([{ phone }, holder]) => holder.userIds.length === 0 || (phone && !holder.phone));
    const news = linked.filter(([, { userIds }]) => userIds.length === 0).map(([row, { id }]) => personOf(row, id));
    await noteUserIds(client, channelId, news, startedAt);
    for (const [row] of linked) await joinOptOuts(client, channelId, addressesOf(idsOf(row)));
  }
  return [...known].map(([row, { id }]) => {
    if (own.has(id)) return [row, 'repeated'];
    return [row, changed.has(id) ? 'updated' : 'present'];
  });
}

/** New contacts; a number that somebody else has just made a contact of is left. */
async function make(
  client: pg.PoolClient,
  target: ContactsTarget,
  rows: readonly ImportRow[],
  startedAt: Date,
): Promise<Map<ImportRow, string>> {
  if (rows.length === 0) return new Map();
  const people = rows.map((row) => personOf(row, newId()));
  const made = await insertPeople(client, target, people, startedAt);
  const done = people.filter(({ id }) => made.has(id));
  await noteUserIds(client, target.channelId, done, startedAt);
  for (const { phone, userId } of done) {
    if (phone !== null) await joinOptOuts(client, target.channelId, [phone, userId]);
  }
  return new Map(
    rows.flatMap((row, index) => {
      const { id } = people[index] as ImportedPerson;
      return made.has(id) ? [[row, id] as const] : [];
    }),
  );
}

function personOf(row: ImportRow, id: string): ImportedPerson {
  return { id, phone: row.phone, userId: row.userId as string, ...toFieldValues(row) };
}
