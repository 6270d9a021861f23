import type pg from 'pg';
import type { Logger } from 'pino';
import type { AccountRef } from '../../../accounts/account-ref.js';
import type { IdempotencyKey } from '../../../accounts/idempotency/idempotency.js';
import type { Acceptance, SendRequest } from '../../../messages/compose/send-request.js';
import { leaveDeletedContacts } from '../../../messages/rows/party-store.js';
import { smsSenderOf } from '../../../messages/send/checks/opted-out.js';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import { newId } from '../../../platform/ids.js';
import { ShortCache } from '../../../platform/short-cache.js';
import { inTransaction } from '../../../platform/store/connections/pool.js';
import { repeated } from '../../../platform/store/repeat.js';
import { touchConversations } from '../party-store.js';
import { findKnownContacts, type NamedConversation, openNamed } from './known-contacts-store.js';
import { forgetNamed, noteNamed } from './named-store.js';

/** What accepts sends: the acceptor of src/messages/accept/acceptor.ts. */
interface Accepting {
  accept(request: SendRequest): Promise<Acceptance>;
  replay(account: AccountRef, claim: IdempotencyKey): Promise<Acceptance | null>;
}

export interface KnownContactsOptions {
  pool: pg.Pool;
  prisma: Pick<PrismaClient, 'channel'>;
  log: Logger;
}

/** The sends of a request that go to contacts of its channel. */
interface LinkedSend {
  request: SendRequest;
  /** Conversations that the contacts have. */
  known: ReadonlySet<string>;
  /** Conversations of those that have none yet. */
  named: readonly NamedConversation[];
}

/**
 * Accepts sends of Surface A such that those to contacts of the channel are part of their conversations. A WhatsApp
 * message belongs to its channel, an SMS to the channel whose number is its sender ID; every other SMS, and every
 * recipient that is no contact, is accepted as it is, and nothing is looked up or written for it but the numbers of the
 * account's SMS channels, once a second.
 */
export class KnownContacts {
  readonly #acceptor: Accepting;
  readonly #options: KnownContactsOptions;
  readonly #smsChannels = new ShortCache<ReadonlyMap<string, string>>();

  constructor(acceptor: Accepting, options: KnownContactsOptions) {
    this.#acceptor = acceptor;
    this.#options = options;
  }

  replay(account: AccountRef, claim: IdempotencyKey): Promise<Acceptance | null> {
    return this.#acceptor.replay(account, claim);
  }

  /** @throws {AppError} as the acceptor */
  async accept(request: SendRequest): Promise<Acceptance> {
    const channelId = request.channelId ?? (await this.#smsChannelOf(request));
    const linked = channelId ? await this.#link(request, channelId) : null;
    if (!linked) return await this.#acceptor.accept(request);
    if (linked.named.length > 0) await noteNamed(this.#options.pool, linked.named);
    const acceptance = await this.#acceptor.accept(linked.request);
    if (!acceptance.replayed) await this.#note(linked, acceptance);
    return acceptance;
  }

  async #smsChannelOf({ kind, account, sender }: SendRequest): Promise<string | undefined> {
    if (kind !== 'sms') return undefined;
    const channels = await this.#smsChannels.get(account.id, async () => {
      const where = { accountId: account.id, kind: 'sms', deletedAt: null } as const;
      const found = await this.#options.prisma.channel.findMany({ where, select: { id: true, phoneNumber: true } });
      return new Map(found.map(({ id, phoneNumber }) => [phoneNumber, id]));
    });
    return channels.size === 0 ? undefined : channels.get(smsSenderOf(sender));
  }

  /** Null when no recipient is a contact of the channel. */
  async #link(request: SendRequest, channelId: string): Promise<LinkedSend | null> {
    const scope = { accountId: request.account.id, channelId };
    const known = new Set<string>();
    const named: NamedConversation[] = [];
    const [only] = request.recipients;
    // Who was named otherwise than by a number is known, and alone.
    if (only?.contactId !== undefined) {
      const { contactId, conversationId = newId() } = only;
      if (only.conversationId === undefined) named.push({ id: conversationId, contactId });
      else known.add(conversationId);
      return { request: { ...request, recipients: [{ ...only, conversationId }] }, known, named };
    }
    const phones = [...new Set(request.recipients.map(({ digits }) => digits))];
    const contacts = await findKnownContacts(this.#options.pool, scope, phones);
    if (contacts.length === 0) return null;
    const byPhone = new Map<string, { contactId: string; conversationId: string }>();
    for (const { phone, contactId, conversationId } of contacts) {
      const id = conversationId ?? newId();
      if (conversationId) known.add(id);
      else named.push({ id, contactId });
      byPhone.set(phone, { contactId, conversationId: id });
    }
    const recipients = request.recipients.map((each) => ({ ...each, ...byPhone.get(each.digits) }));
    return { request: { ...request, recipients }, known, named };
  }

  /**
   * The messages are accepted, so a store that fails now only leaves conversations where they were in the list, and those
   * that were to be made to maintenance, as the death of this process does.
   */
  async #note({ request, known, named }: LinkedSend, { acceptedAt, messages }: Acceptance): Promise<void> {
    const { pool, log } = this.#options;
    const ofContacts = messages.filter((_, index) => request.recipients[index]?.contactId).map(({ id }) => id);
    try {
      await repeated(() =>
        inTransaction(pool, async (client) => {
          if (named.length > 0) await openNamed(client, named, ofContacts, acceptedAt);
          if (known.size > 0) await touchConversations(client, [...known], acceptedAt);
        }),
      );
      // Whoever was deleted in the meantime is left; touching waited for deletions under way.
      await repeated(() => leaveDeletedContacts(pool, ofContacts));
      if (named.length > 0) await forgetNamed(pool, named);
    } catch (error) {
      log.warn({ err: error }, 'messages to contacts could not be noted in their conversations');
    }
  }
}
