import type pg from 'pg';
import { emitEvents } from '../../../messages/events/outbox.js';
import type { EventFacts } from '../../../messages/events/webhook-events.js';
import { toOptOutSender } from '../../../messages/send/checks/opted-out.js';
import { addFurtherNumbers } from '../further-numbers-store.js';
import {
  CONSENT_PURPOSES,
  type ConsentDecision,
  type ConsentPurpose,
  type ConsentScope,
  insertConsents,
} from './ledger-store.js';

type Facts = EventFacts<'consent.changed'>;

/** The person and the sender of a decision. */
export interface ConsentParty extends Pick<Facts, 'contactId' | 'channelId' | 'kind' | 'sender' | 'person'> {
  accountId: string;
}

/** Returns the key under which entries about the party's sender are stored. */
export function toConsentScope({
  accountId,
  kind,
  channelId,
  sender,
}: Omit<ConsentParty, 'contactId' | 'person'>): ConsentScope {
  return { accountId, kind, sender: toOptOutSender({ id: channelId ?? sender, kind, phoneNumber: sender }) };
}

/** The purposes that an opt-out or its end is about. START and its equivalents allow every purpose. */
export function listDecidedPurposes({
  isActive,
  marketingOnly,
}: {
  isActive: boolean;
  marketingOnly: boolean;
}): readonly ConsentPurpose[] {
  return isActive && marketingOnly ? ['marketing'] : CONSENT_PURPOSES;
}

/**
 * Writes entries of the consent ledger and notifies webhooks. Call this function in the transaction that changes the opt-out, if
 * the decision changes one. Returns the IDs of the entries, in the order of the purposes.
 * @param addresses of the person; further numbers of a WhatsApp contact are added
 */
export async function recordConsent(
  client: pg.PoolClient,
  { accountId, ...party }: ConsentParty,
  addresses: readonly string[],
  { decision, at }: { decision: ConsentDecision; at: Date },
): Promise<string[]> {
  const scope = toConsentScope({ accountId, ...party });
  const all = scope.kind === 'whatsapp' ? await addFurtherNumbers(client, scope.sender, addresses) : addresses;
  // The first address is the main one, and the query does not keep the order.
  const ids = await insertConsents(client, scope, [...addresses, ...all], { decision, at });
  const { purposes, isGranted, source, decidedAt } = decision;
  const facts = purposes.map((purpose, index) => ({
    ...party,
    consentId: ids[index] as string,
    purpose,
    decision: isGranted ? ('granted' as const) : ('withdrawn' as const),
    source,
    decidedAt,
  }));
  await emitEvents(client, { accountId, channelId: party.channelId, type: 'consent.changed', occurredAt: at }, facts);
  return ids;
}
