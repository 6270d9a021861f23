import type pg from 'pg';
import { lockAccount } from '../../accounts/ledger-store.js';
import type { PendingRequest } from '../../messages/accept/accept-store.js';
import { newId } from '../../platform/ids.js';
import type { Statement } from '../../platform/store/pool.js';
import type { Deps } from '../../process/deps.js';
import { type ChannelSender, type ComposedMessage, channelRequest, type SendOptions } from './compose.js';
import { touchConversations } from './parties.js';

/** Holds off whoever deletes one of the contacts until the messages are there to be found by the deletion. */
const LOCK_CONTACTS: Statement = {
  name: 'contacts-lock',
  text: `SELECT id, phone FROM contacts WHERE id = ANY($1::uuid[]) AND channel_id = $2 AND account_id = $3
         ORDER BY id FOR KEY SHARE`,
};

const MAKE_CONVERSATIONS: Statement = {
  name: 'contacts-make-conversations',
  text: `INSERT INTO conversations (id, account_id, channel_id, contact_id, last_message_at, created_at)
         SELECT made.id, $3, $4, made.contact_id, $5, $5 FROM unnest($1::uuid[], $2::uuid[]) AS made(id, contact_id)
         WHERE NOT EXISTS (SELECT FROM conversations WHERE contact_id = made.contact_id)
         ON CONFLICT (contact_id) DO NOTHING`,
};

const FIND_CONVERSATIONS: Statement = {
  name: 'contacts-find-conversations',
  text: 'SELECT id, contact_id AS "contactId" FROM conversations WHERE contact_id = ANY($1::uuid[])',
};

/** What was committed: null when none of the contacts is left. */
export interface CommittedToContacts {
  pending: PendingRequest | null;
}

/**
 * Commits a composed message to each of some contacts with whatever else the caller's transaction does: debit, messages
 * and the conversations that lack. Contacts that were deleted meanwhile get none. After the commit, what was
 * committed is to be announced.
 * @returns null when the account cannot pay for all of them; then the transaction must be rolled back
 */
export async function commitToContacts(
  { acceptor, clock }: Pick<Deps, 'acceptor' | 'clock'>,
  client: pg.PoolClient,
  sender: ChannelSender,
  message: ComposedMessage,
  contactIds: readonly string[],
  options: SendOptions,
): Promise<CommittedToContacts | null> {
  const { account, channel } = sender;
  await lockAccount(client, account.id);
  const contacts = await client.query<{ id: string; phone: string }>({
    ...LOCK_CONTACTS,
    values: [contactIds, channel.id, account.id],
  });
  if (contacts.rows.length === 0) return { pending: null };
  const ids = contacts.rows.map((contact) => contact.id);
  const now = clock.now();
  await client.query({
    ...MAKE_CONVERSATIONS,
    values: [ids.map(() => newId()), ids, account.id, channel.id, now.toISOString()],
  });
  const found = await client.query<{ id: string; contactId: string }>({ ...FIND_CONVERSATIONS, values: [ids] });
  const conversations = new Map(found.rows.map((row) => [row.contactId, row.id]));
  const recipients = contacts.rows.map(({ id, phone }) => ({
    digits: phone,
    plus: false,
    contactId: id,
    conversationId: conversations.get(id),
  }));
  const pending = await acceptor.prepare(channelRequest(sender, message, recipients, options));
  await touchConversations(client, [...conversations.values()], now);
  const [outcome] = await acceptor.commitWithin(client, [pending]);
  return outcome === 'accepted' ? { pending } : null;
}
