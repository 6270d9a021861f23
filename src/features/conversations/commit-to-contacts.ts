import type pg from 'pg';
import { lockAccount } from '../../accounts/ledger-store.js';
import type { PendingRequest } from '../../messages/accept/accept-store.js';
import type { Acceptor } from '../../messages/accept/acceptor.js';
import type { Clock } from '../../platform/clock.js';
import { type ChannelSender, type ComposedMessage, channelRequest, type SendOptions } from './compose.js';
import { ensureConversations, lockContacts, touchConversations } from './party-store.js';

export interface CommitOptions {
  acceptor: Pick<Acceptor, 'prepare' | 'commitWithin'>;
  clock: Clock;
}

/** What was committed: null when none of the contacts is left. */
export interface CommittedToContacts {
  pending: PendingRequest | null;
}

/**
 * Commits a composed message to each of some contacts with whatever else the caller's transaction does: debit, messages
 * and the conversations that lack. Contacts that were deleted in between get none. After the commit, what was committed
 * is to be announced.
 * @returns null when the account cannot pay for all of them; then the transaction must be rolled back
 */
export async function commitToContacts(
  { acceptor, clock }: CommitOptions,
  client: pg.PoolClient,
  sender: ChannelSender,
  message: ComposedMessage,
  contactIds: readonly string[],
  options: SendOptions,
): Promise<CommittedToContacts | null> {
  const scope = { accountId: sender.account.id, channelId: sender.channel.id };
  // Every acceptance locks its account first, so this comes before every other lock.
  await lockAccount(client, scope.accountId);
  const contacts = await lockContacts(client, scope, contactIds);
  if (contacts.length === 0) return { pending: null };
  const ids = contacts.map((contact) => contact.id);
  const now = clock.now();
  const conversations = await ensureConversations(client, scope, ids, now);
  const recipients = contacts.map(({ id, phone }) => ({
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
