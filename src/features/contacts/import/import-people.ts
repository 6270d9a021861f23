import type pg from 'pg';
import { type PersonIds, toAddresses } from '../../../carriers/numbers/user-ids.js';
import type { ChannelKind } from '../../../platform/generated/prisma/client.js';
import { newId } from '../../../platform/ids.js';
import { joinOptOuts } from '../../opt-outs/opt-out-store.js';
import { toFieldValues } from '../contact-fields.js';
import { findHolders, type HoldingContact, lockIds } from '../identity/identity-store.js';
import {
  assignUserIds,
  findChangedByImport,
  type ImportedPerson,
  insertPeople,
  updatePeople,
} from '../identity/imported-store.js';
import { lockContacts } from '../identity/merge.js';
import type { ImportRow } from './check-row.js';

export interface ContactsTarget {
  accountId: string;
  channelId: string;
  kind: ChannelKind;
  groupId: string | null;
  update: boolean;
  /** All contacts get these tags. */
  tags?: readonly string[];
}

export type RowOutcome = 'created' | 'updated' | 'present' | 'repeated' | { reason: string };

export interface ImportOutcomes {
  outcomes: RowOutcome[];
  /** Without refused rows. */
  contactIds: ReadonlyMap<ImportRow, string>;
}

/** Maximum number of attempts, which are repeated if other transactions delete or create contacts in the meantime. */
const MAX_ATTEMPTS = 10;

const DIFFERENT_CONTACTS = 'phone and userId belong to different contacts of the channel';

/**
 * Refuses a row whose contact has another number or user ID, because only WhatsApp decides which IDs belong to the same
 * person. With the option `update`, a contact without a number or user ID gets the one in the row.
 */
export async function importPeople(
  client: pg.PoolClient,
  target: ContactsTarget,
  rows: readonly ImportRow[],
  startedAt: Date,
): Promise<ImportOutcomes> {
  const { channelId } = target;
  await lockIds(client, channelId, rows.map(toPersonIds).flatMap(toAddresses));
  const outcomes = new Map<ImportRow, RowOutcome>();
  const contactIds = new Map<ImportRow, string>();
  let remainingRows = rows;
  for (let attempt = 1; remainingRows.length > 0; attempt += 1) {
    if (attempt > MAX_ATTEMPTS) throw new Error('contacts were created or deleted repeatedly during an import');
    const lockedIds = (await findHolders(client, target, remainingRows.map(toPersonIds))).map(({ id }) => id);
    if (!(await lockContacts(client, channelId, lockedIds))) continue;
    const holders = await findHolders(client, target, remainingRows.map(toPersonIds));
    if (holders.some(({ id }) => !lockedIds.includes(id))) continue;
    const { strangers, existing, refused } = classifyRows(remainingRows, holders);
    for (const row of refused) outcomes.set(row, { reason: DIFFERENT_CONTACTS });
    for (const [row, outcome] of await updateExisting(client, target, existing, startedAt)) {
      outcomes.set(row, outcome);
      contactIds.set(row, (existing.get(row) as HoldingContact).id);
    }
    const created = await createContacts(client, target, strangers, startedAt);
    for (const [row, id] of created) {
      outcomes.set(row, 'created');
      contactIds.set(row, id);
    }
    remainingRows = strangers.filter((row) => !created.has(row));
  }
  return { outcomes: rows.map((row) => outcomes.get(row) as RowOutcome), contactIds };
}

function toPersonIds({ phone, userId }: ImportRow): PersonIds {
  return { phone, userId, parentUserId: null };
}

function classifyRows(rows: readonly ImportRow[], holders: readonly HoldingContact[]) {
  const byUserId = new Map(holders.flatMap((holder) => holder.userIds.map((id) => [id, holder] as const)));
  const byPhone = new Map(holders.map((holder) => [holder.phone, holder]));
  const strangers: ImportRow[] = [];
  const refused: ImportRow[] = [];
  const existing = new Map<ImportRow, HoldingContact>();
  for (const row of rows) {
    const withUserId = byUserId.get(row.userId as string);
    const withPhone = row.phone === null ? undefined : byPhone.get(row.phone);
    const holder = withUserId ?? withPhone;
    if (!holder) strangers.push(row);
    else if (isOtherPerson(row, holder, { withUserId, withPhone })) refused.push(row);
    else existing.set(row, holder);
  }
  return { strangers, existing, refused };
}

function isOtherPerson(
  { phone }: ImportRow,
  holder: HoldingContact,
  { withUserId, withPhone }: { withUserId: HoldingContact | undefined; withPhone: HoldingContact | undefined },
): boolean {
  if (!withUserId) return holder.userIds.length > 0;
  return withPhone ? withPhone.id !== withUserId.id : phone !== null && holder.phone !== null;
}

async function updateExisting(
  client: pg.PoolClient,
  { channelId, update }: ContactsTarget,
  existing: ReadonlyMap<ImportRow, HoldingContact>,
  startedAt: Date,
): Promise<[ImportRow, RowOutcome][]> {
  if (existing.size === 0) return [];
  const alreadyImported = await findChangedByImport(
    client,
    [...existing.values()].map(({ id }) => id),
    startedAt,
  );
  const remaining = [...existing].filter(([, { id }]) => !alreadyImported.has(id));
  const people = remaining.map(([row, { id }]) => toImportedPerson(row, id));
  const changed = update ? await updatePeople(client, people, startedAt) : new Set<string>();
  if (update) {
    const linked = remaining.filter(([{ phone }, holder]) => holder.userIds.length === 0 || (phone && !holder.phone));
    const newlyIdentified = linked
      .filter(([, { userIds }]) => userIds.length === 0)
      .map(([row, { id }]) => toImportedPerson(row, id));
    await assignUserIds(client, channelId, newlyIdentified, startedAt);
    for (const [row] of linked) await joinOptOuts(client, channelId, toAddresses(toPersonIds(row)));
  }
  return [...existing].map(([row, { id }]) => {
    if (alreadyImported.has(id)) return [row, 'repeated'];
    return [row, changed.has(id) ? 'updated' : 'present'];
  });
}

/** Skips numbers for which another transaction has just created a contact. */
async function createContacts(
  client: pg.PoolClient,
  target: ContactsTarget,
  rows: readonly ImportRow[],
  startedAt: Date,
): Promise<Map<ImportRow, string>> {
  if (rows.length === 0) return new Map();
  const people = rows.map((row) => toImportedPerson(row, newId()));
  const insertedIds = await insertPeople(client, target, people, startedAt);
  const inserted = people.filter(({ id }) => insertedIds.has(id));
  await assignUserIds(client, target.channelId, inserted, startedAt);
  for (const { phone, userId } of inserted) {
    if (phone !== null) await joinOptOuts(client, target.channelId, [phone, userId]);
  }
  return new Map(
    rows.flatMap((row, index) => {
      const { id } = people[index] as ImportedPerson;
      return insertedIds.has(id) ? [[row, id] as const] : [];
    }),
  );
}

function toImportedPerson(row: ImportRow, id: string): ImportedPerson {
  return { id, phone: row.phone, userId: row.userId as string, ...toFieldValues(row) };
}
