import type pg from 'pg';
import { AppError } from '../../platform/errors.js';
import type { Statement } from '../../platform/store/pool.js';
import type { Deps } from '../../process/deps.js';
import { findOrCreateContact } from '../contacts/contacts.js';
import { isWindowOpen } from './window.js';

/** A contact and the conversation that the channel has with it. */
export interface Party {
  contactId: string;
  conversationId: string;
}

const FIND_PARTY: Statement = {
  name: 'parties-find',
  text: `SELECT c.id AS "contactId", v.id AS "conversationId", v.last_inbound_at AS "lastInboundAt"
         FROM contacts c JOIN conversations v ON v.contact_id = c.id
         WHERE c.channel_id = $1 AND c.phone = $2 AND c.account_id = $3`,
};

/** Writes the row even where it does not move it, so that it waits for a deletion in any case. */
const TOUCH_ONE: Statement = {
  name: 'parties-touch-one',
  text: 'UPDATE conversations SET last_message_at = greatest(last_message_at, $2::timestamptz) WHERE id = $1',
};

/**
 * A statement of its own. One that locks rows in a subquery and updates them as well deadlocks with itself where others
 * hold FOR KEY SHARE, as each insert of an inbound message does: who waits for the version of a row that was locked first
 * holds up the update of the one who has locked the next version.
 */
const LOCK_SEVERAL: Statement = {
  name: 'parties-lock-several',
  text: 'SELECT id FROM conversations WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE',
};

const TOUCH_SEVERAL: Statement = {
  name: 'parties-touch-several',
  text: 'UPDATE conversations SET last_message_at = $2 WHERE id = ANY($1::uuid[]) AND last_message_at < $2',
};

/** The contacts of a channel as its sends find them, by number. */
export function parties(
  { pool, clock }: Pick<Deps, 'pool' | 'clock'>,
  { account, channel }: { account: { id: string }; channel: { id: string } },
) {
  const find = async (phone: string) => {
    const { rows } = await pool.query<Party & { lastInboundAt: Date | null }>({
      ...FIND_PARTY,
      values: [channel.id, phone, account.id],
    });
    return rows[0] ?? null;
  };

  return {
    /** Null when the number belongs to no contact of the channel. */
    async findParty(phone: string): Promise<Party | null> {
      const found = await find(phone);
      return found && { contactId: found.contactId, conversationId: found.conversationId };
    },

    /** Makes contact and conversation unless somebody has made them meanwhile. */
    async makeParty(phone: string): Promise<Party> {
      const contact = { accountId: account.id, channelId: channel.id, phone, at: clock.now() };
      const { contactId, conversationId } = await findOrCreateContact(pool, contact);
      return { contactId, conversationId };
    },

    /**
     * The contact of a number, if it wrote within the last 24 hours.
     * @throws {AppError} WINDOW_EXPIRED if not, an unknown number included
     */
    async requireOpenWindow(phone: string): Promise<Party> {
      const found = await find(phone);
      if (!found || !isWindowOpen(found.lastInboundAt, clock.now())) {
        throw new AppError(
          'WINDOW_EXPIRED',
          'The contact sent no message within the last 24 hours; send a template message instead.',
        );
      }
      return { contactId: found.contactId, conversationId: found.conversationId };
    },
  };
}

/**
 * Moves a conversation to the top of the list: a message of either direction was sent or received at the moment. It waits
 * for whoever is deleting it.
 * @returns whether it is there
 */
export async function touchConversation(
  connection: pg.Pool | pg.PoolClient,
  conversationId: string,
  at: Date,
): Promise<boolean> {
  const { rowCount } = await connection.query({ ...TOUCH_ONE, values: [conversationId, at.toISOString()] });
  return rowCount === 1;
}

/** Moves conversations to the top of the list, in the caller's transaction; those that are gone are passed over. */
export async function touchConversations(
  client: pg.PoolClient,
  conversationIds: readonly string[],
  at: Date,
): Promise<void> {
  await client.query({ ...LOCK_SEVERAL, values: [conversationIds] });
  await client.query({ ...TOUCH_SEVERAL, values: [conversationIds, at.toISOString()] });
}
