import type pg from 'pg';
import type { InboundChannel } from '../../carriers/inbound-message.js';
import { extractPhone, extractUserId, type PersonIds, toAddresses } from '../../carriers/numbers/user-ids.js';
import { emitEvents } from '../../messages/events/outbox.js';
import type { EventFacts } from '../../messages/events/webhook-events.js';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import { listDecidedPurposes, recordConsent } from './ledger/record-consent.js';

type Facts = EventFacts<'contact.opted_out'>;

export interface DecidedOptOut extends Pick<Facts, 'contactId' | 'channelId' | 'kind' | 'sender' | 'person'> {
  accountId: string;
  isActive: boolean;
  keyword?: string | null;
  /** Default: false. */
  marketingOnly?: boolean;
  source: Facts['source'];
  at: Date;
}

/** Call this function in the transaction that changes the opt-out. */
export async function emitOptOutEvent(client: pg.PoolClient, decision: DecidedOptOut): Promise<void> {
  const {
    accountId,
    channelId,
    isActive,
    at,
    contactId,
    kind,
    sender,
    person,
    keyword = null,
    source,
    marketingOnly = false,
  } = decision;
  const type = isActive ? 'contact.opted_out' : 'contact.opted_in';
  const { phone, userId, username } = person;
  const scope = marketingOnly ? ('marketing' as const) : ('all' as const);
  const facts = { contactId, kind, channelId, sender, person: { phone, userId, username }, keyword, source, scope };
  await emitEvents(client, { accountId, channelId, type, occurredAt: at }, [facts]);
}

/** Writes an entry of the consent ledger for an opt-out that changed, and notifies webhooks of both, in the same transaction. */
export async function recordOptOut(
  client: pg.PoolClient,
  decision: DecidedOptOut,
  addresses: readonly string[],
): Promise<void> {
  const { isActive, marketingOnly = false, keyword: wording, source, at } = decision;
  const purposes = listDecidedPurposes({ isActive, marketingOnly });
  const entry = { purposes, isGranted: !isActive, source, wording, decidedAt: at };
  await recordConsent(client, decision, addresses, { decision: entry, at });
  await emitOptOutEvent(client, decision);
}

/** An account may have several SMS channels with one number; inbound messages go to the oldest active one. */
const FIND_PARTY: PlannedStatement = {
  text: `
SELECT ch.id AS "channelId", ch.phone_number AS "phoneNumber", k.id AS "contactId", k.phone, k.user_id AS "userId", k.username
FROM channels ch LEFT JOIN LATERAL (
  SELECT c.id, c.phone, c.user_id, c.username FROM contacts c
  WHERE c.channel_id = ch.id AND (c.phone = ANY($4::text[]) OR c.user_id = ANY($4::text[]))
  ORDER BY c.id LIMIT 1) k ON true
WHERE ch.account_id = $1 AND ch.kind = $2::channel_kind AND ch.deleted_at IS NULL
  AND $3 = CASE ch.kind WHEN 'sms' THEN opt_out_sender(ch.phone_number) ELSE ch.id::text END
ORDER BY k.id IS NULL, NOT ch.is_active, ch.id LIMIT 1`,
};

interface Party {
  channelId: string;
  phoneNumber: string;
  contactId: string | null;
  phone: string | null;
  userId: string | null;
  username: string | null;
}

export interface OptOutAddressees {
  accountId: string;
  kind: InboundChannel['kind'];
  /** As stored in `opt_outs.sender`. */
  sender: string;
  addresses: readonly string[];
}

/** Finds the channel and the contact of an opt-out that was decided for addresses instead of a contact. */
export async function findOptOutParty(
  client: pg.PoolClient,
  { accountId, kind, sender, addresses }: OptOutAddressees,
): Promise<Pick<DecidedOptOut, 'contactId' | 'channelId' | 'kind' | 'sender' | 'person'>> {
  const { rows } = await client.query<Party>({ ...FIND_PARTY, values: [accountId, kind, sender, addresses] });
  const [party] = rows;
  const address = addresses[0] ?? '';
  const person = party?.contactId
    ? party
    : { phone: extractPhone(address), userId: extractUserId(address), username: null };
  return {
    contactId: party?.contactId ?? null,
    channelId: party?.channelId ?? null,
    kind,
    sender: party?.phoneNumber ?? sender,
    person,
  };
}

const FIND_CHANNEL: PlannedStatement = {
  text: 'SELECT kind, phone_number AS "phoneNumber" FROM channels WHERE id = $1',
};

export interface ContactDecision extends Pick<DecidedOptOut, 'accountId' | 'isActive' | 'source' | 'at'> {
  channelId: string;
  contact: { id: string } & Facts['person'] & PersonIds;
}

/** As `recordOptOut`, for a decision about a contact. */
export async function recordContactOptOut(client: pg.PoolClient, decision: ContactDecision): Promise<void> {
  const { contact, channelId } = decision;
  const { rows } = await client.query<Pick<InboundChannel, 'kind' | 'phoneNumber'>>({
    ...FIND_CHANNEL,
    values: [channelId],
  });
  const { kind, phoneNumber: sender } = rows[0] as (typeof rows)[0];
  const party = { contactId: contact.id, kind, sender, person: contact };
  await recordOptOut(client, { ...decision, ...party }, toAddresses(contact));
}
