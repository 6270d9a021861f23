import type pg from 'pg';
import type { Statement } from '../../../platform/store/connections/pool.js';
import { findSurvivors, followContactMerges } from '../identity/survivor-store.js';
import { CONTACT_COLUMNS, type ContactRow } from '../record.js';

export interface Membership {
  channelId: string;
  groupId: string;
  contactId: string;
}

const LOCK_CONTACT: Statement = {
  name: 'groups-lock-contact',
  text: `SELECT account_id AS "accountId", ${CONTACT_COLUMNS} FROM contacts
         WHERE id = $1 AND channel_id = $2 FOR KEY SHARE`,
};

const LOCK_GROUP: Statement = {
  name: 'groups-lock-group',
  text: 'SELECT 1 FROM contact_groups WHERE id = $1 AND channel_id = $2 FOR NO KEY UPDATE',
};

/** Locks the contact before the group, as all other code does. Follows merges. */
export async function lockContactAndGroup(
  client: pg.PoolClient,
  { channelId, groupId, contactId }: Membership,
): Promise<{ contact: (ContactRow & { accountId: string }) | null; hasGroup: boolean }> {
  const contact = await followContactMerges(client, contactId, async (currentId) => {
    const values = [currentId, channelId];
    const { rows } = await client.query<ContactRow & { accountId: string }>({ ...LOCK_CONTACT, values });
    return rows[0] ?? null;
  });
  const group = await client.query({ ...LOCK_GROUP, values: [groupId, channelId] });
  return { contact, hasGroup: group.rowCount === 1 };
}

export const ADD_MEMBER: Statement = {
  name: 'groups-add-member',
  text: `
WITH added AS (
  INSERT INTO group_members (group_id, contact_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING group_id
)
UPDATE contact_groups SET contact_count = contact_count + 1 FROM added WHERE id = added.group_id`,
};

export const REMOVE_MEMBER: Statement = {
  name: 'groups-remove-member',
  text: `
WITH removed AS (DELETE FROM group_members WHERE group_id = $1 AND contact_id = $2 RETURNING group_id)
UPDATE contact_groups SET contact_count = contact_count - 1 FROM removed WHERE id = removed.group_id`,
};

/** @returns whether the membership changed */
export async function changeMember(
  client: pg.PoolClient,
  change: Statement,
  { groupId, contactId }: Membership,
): Promise<boolean> {
  const { rowCount } = await client.query({ ...change, values: [groupId, contactId] });
  return rowCount === 1;
}

const LOCK_CONTACTS: Statement = {
  name: 'groups-lock-contacts',
  text: `SELECT ${CONTACT_COLUMNS} FROM contacts
         WHERE id = ANY($1::uuid[]) AND channel_id = $2 AND account_id = $3 ORDER BY id FOR KEY SHARE`,
};

/** Omits unknown contacts. */
export async function lockContactsAndGroup(
  client: pg.PoolClient,
  { accountId, channelId, groupId }: { accountId: string; channelId: string; groupId: string },
  contactIds: readonly string[],
): Promise<{ contacts: ContactRow[]; survivors: ReadonlyMap<string, string>; hasGroup: boolean }> {
  const lock = async (ids: readonly string[]) =>
    (await client.query<ContactRow>({ ...LOCK_CONTACTS, values: [ids, channelId, accountId] })).rows;
  const contacts = await lock(contactIds);
  let survivors: ReadonlyMap<string, string> = new Map();
  if (contacts.length < contactIds.length) {
    survivors = await findSurvivors(client, contactIds);
    const found = new Set(contacts.map(({ id }) => id));
    contacts.push(...(await lock([...new Set(survivors.values())].filter((id) => !found.has(id)))));
  }
  const group = await client.query({ ...LOCK_GROUP, values: [groupId, channelId] });
  return { contacts, survivors, hasGroup: group.rowCount === 1 };
}

const ADD_MEMBERS: Statement = {
  name: 'groups-add-members',
  text: `INSERT INTO group_members (group_id, contact_id)
         SELECT $1, contact_id FROM unnest($2::uuid[]) AS input(contact_id) ORDER BY contact_id
         ON CONFLICT DO NOTHING RETURNING contact_id AS "contactId"`,
};

const REMOVE_MEMBERS: Statement = {
  name: 'groups-remove-members',
  text: `DELETE FROM group_members WHERE group_id = $1 AND contact_id = ANY($2::uuid[])
         RETURNING contact_id AS "contactId"`,
};

const COUNT_MEMBERS: Statement = {
  name: 'groups-count-members',
  text: 'UPDATE contact_groups SET contact_count = contact_count + $2 WHERE id = $1',
};

/** The caller must have locked the group. */
export async function addMembers(
  client: pg.PoolClient,
  groupId: string,
  contactIds: readonly string[],
): Promise<string[]> {
  return await changeMemberships(client, ADD_MEMBERS, groupId, contactIds, 1);
}

/** The caller must have locked the group. */
export async function removeMembers(
  client: pg.PoolClient,
  groupId: string,
  contactIds: readonly string[],
): Promise<string[]> {
  return await changeMemberships(client, REMOVE_MEMBERS, groupId, contactIds, -1);
}

async function changeMemberships(
  client: pg.PoolClient,
  change: Statement,
  groupId: string,
  contactIds: readonly string[],
  sign: 1 | -1,
): Promise<string[]> {
  const { rows } = await client.query<{ contactId: string }>({ ...change, values: [groupId, contactIds] });
  await client.query({ ...COUNT_MEMBERS, values: [groupId, sign * rows.length] });
  return rows.map(({ contactId }) => contactId);
}
