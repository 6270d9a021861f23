import type pg from 'pg';
import type { Logger } from 'pino';
import type { AccountRef } from '../../../accounts/account-ref.js';
import type { IdempotencyKey } from '../../../accounts/idempotency/idempotency.js';
import type { Acceptor } from '../../../messages/accept/acceptor.js';
import type { Acceptance, SendRequest } from '../../../messages/compose/send-request.js';
import { toSmsOptOutSender } from '../../../messages/send/checks/opted-out.js';
import { relinkDeletedContacts } from '../../../messages/stored-messages/contact-links-store.js';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import { newId } from '../../../platform/ids.js';
import { ShortCache } from '../../../platform/short-cache.js';
import { inTransaction } from '../../../platform/store/connections/pool.js';
import { retryTransaction } from '../../../platform/store/repeat.js';
import { touchConversations } from '../party-store.js';
import { createNamedConversations, findKnownContacts, type NamedConversation } from './known-contacts-store.js';
import { deleteNamedConversations, recordNamedConversations } from './named-conversations-store.js';

type PlainAcceptor = Pick<Acceptor, 'accept' | 'replay'>;

export interface ContactLinkingOptions {
  pool: pg.Pool;
  prisma: Pick<PrismaClient, 'channel'>;
  log: Logger;
}

interface LinkedSend {
  request: SendRequest;
  existingIds: ReadonlySet<string>;
  /** New conversations for recipients that have none yet. */
  newConversations: readonly NamedConversation[];
}

/**
 * Links messages of Surface A to existing contacts of a channel. A WhatsApp message belongs to its channel, and an SMS
 * to the channel whose number is its sender ID.
 */
export class ContactLinkingAcceptor {
  readonly #acceptor: PlainAcceptor;
  readonly #options: ContactLinkingOptions;
  readonly #smsChannels = new ShortCache<ReadonlyMap<string, string>>();

  constructor(acceptor: PlainAcceptor, options: ContactLinkingOptions) {
    this.#acceptor = acceptor;
    this.#options = options;
  }

  replay(account: AccountRef, claim: IdempotencyKey): Promise<Acceptance | null> {
    return this.#acceptor.replay(account, claim);
  }

  async accept(request: SendRequest): Promise<Acceptance> {
    const channelId = request.channelId ?? (await this.#findSmsChannel(request));
    const linkedSend = channelId ? await this.#link(request, channelId) : null;
    if (!linkedSend) return await this.#acceptor.accept(request);
    if (linkedSend.newConversations.length > 0)
      await recordNamedConversations(this.#options.pool, linkedSend.newConversations);
    const acceptance = await this.#acceptor.accept(linkedSend.request);
    if (!acceptance.replayed) await this.#updateConversations(linkedSend, acceptance);
    return acceptance;
  }

  async #findSmsChannel({ kind, account, sender }: SendRequest): Promise<string | undefined> {
    if (kind !== 'sms') return undefined;
    const channelsByNumber = await this.#smsChannels.get(account.id, async () => {
      const where = { accountId: account.id, kind: 'sms', deletedAt: null } as const;
      const channels = await this.#options.prisma.channel.findMany({ where, select: { id: true, phoneNumber: true } });
      return new Map(channels.map(({ id, phoneNumber }) => [phoneNumber, id]));
    });
    return channelsByNumber.size === 0 ? undefined : channelsByNumber.get(toSmsOptOutSender(sender));
  }

  async #link(request: SendRequest, channelId: string): Promise<LinkedSend | null> {
    const scope = { accountId: request.account.id, channelId };
    const existingIds = new Set<string>();
    const newConversations: NamedConversation[] = [];
    const [recipient] = request.recipients;
    // A recipient that was not given as a number is the only recipient, and its contact is already known.
    if (recipient?.contactId !== undefined) {
      const { contactId, conversationId = newId() } = recipient;
      if (recipient.conversationId === undefined) newConversations.push({ id: conversationId, contactId });
      else existingIds.add(conversationId);
      return { request: { ...request, recipients: [{ ...recipient, conversationId }] }, existingIds, newConversations };
    }
    const phones = [...new Set(request.recipients.map(({ digits }) => digits))];
    const contacts = await findKnownContacts(this.#options.pool, scope, phones);
    if (contacts.length === 0) return null;
    const byPhone = new Map<string, { contactId: string; conversationId: string }>();
    for (const { phone, contactId, conversationId } of contacts) {
      const id = conversationId ?? newId();
      if (conversationId) existingIds.add(id);
      else newConversations.push({ id, contactId });
      byPhone.set(phone, { contactId, conversationId: id });
    }
    const recipients = request.recipients.map((each) => ({ ...each, ...byPhone.get(each.digits) }));
    return { request: { ...request, recipients }, existingIds, newConversations };
  }

  /**
   * If the database fails here, conversations keep their old position in lists, and maintenance creates missing
   * conversations later.
   */
  async #updateConversations(
    { request, existingIds, newConversations }: LinkedSend,
    { acceptedAt, messages }: Acceptance,
  ): Promise<void> {
    const { pool, log } = this.#options;
    const messageIds = messages.filter((_, index) => request.recipients[index]?.contactId).map(({ id }) => id);
    try {
      await retryTransaction(() =>
        inTransaction(pool, async (client) => {
          if (newConversations.length > 0)
            await createNamedConversations(client, newConversations, messageIds, acceptedAt);
          if (existingIds.size > 0) await touchConversations(client, [...existingIds], acceptedAt);
        }),
      );
      // The update may have waited for a contact's deletion, so messages of deleted contacts are unlinked.
      await retryTransaction(() => relinkDeletedContacts(pool, messageIds));
      if (newConversations.length > 0) await deleteNamedConversations(pool, newConversations);
    } catch (error) {
      log.warn({ err: error }, 'could not update the conversations of accepted messages');
    }
  }
}
