import type pg from 'pg';
import type { Recipient, SendRequest } from '../../messages/compose/send-request.js';
import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { ChannelKind } from '../../platform/generated/prisma/client.js';
import { findOrCreateContact } from '../contacts/contacts.js';
import { findParty, type Party } from './party-store.js';
import { isWindowOpen } from './window.js';

export type { Party } from './party-store.js';

export interface PartyOptions {
  pool: pg.Pool;
  clock: Clock;
}

/**
 * The send with a contact and a conversation for each recipient who had none yet, made in the transaction that commits it:
 * a send that is refused leaves none behind.
 */
export async function makeParties(
  client: pg.PoolClient,
  { account, channelId, recipients, ...request }: SendRequest,
  at: Date,
): Promise<SendRequest> {
  const known: Recipient[] = [];
  for (const recipient of recipients) {
    if (recipient.contactId !== undefined || !channelId) {
      known.push(recipient);
      continue;
    }
    const asked = { accountId: account.id, channelId, phone: recipient.digits, at };
    const { contactId, conversationId } = await findOrCreateContact(client, asked);
    known.push({ ...recipient, contactId, conversationId });
  }
  return { ...request, account, channelId, recipients: known };
}

/** The contacts of a channel as its sends find them, by number. */
export function parties(
  { pool, clock }: PartyOptions,
  { account, channel }: { account: { id: string }; channel: { id: string; kind?: ChannelKind } },
) {
  const scope = { accountId: account.id, channelId: channel.id };

  return {
    /** Null when the number belongs to no contact of the channel. */
    async findParty(phone: string): Promise<Party | null> {
      const found = await findParty(pool, scope, phone);
      return found && { contactId: found.contactId, conversationId: found.conversationId };
    },

    /** Makes contact and conversation unless another request has just made them. */
    async makeParty(phone: string): Promise<Party> {
      const { contactId, conversationId } = await findOrCreateContact(pool, { ...scope, phone, at: clock.now() });
      return { contactId, conversationId };
    },

    /**
     * The contact of a number, if it wrote within the last 24 hours.
     * @throws {AppError} WINDOW_EXPIRED if not, an unknown number included
     */
    async requireOpenWindow(phone: string): Promise<Party> {
      const found = await findParty(pool, scope, phone);
      if (!found || !isWindowOpen(found.lastInboundAt, clock.now())) {
        throw new AppError(
          'WINDOW_EXPIRED',
          channel.kind === 'sms'
            ? 'The contact sent no message within the last 24 hours; send an SMS by POST /v2/send instead.'
            : 'The contact sent no message within the last 24 hours; send a template message instead.',
        );
      }
      return { contactId: found.contactId, conversationId: found.conversationId };
    },
  };
}
