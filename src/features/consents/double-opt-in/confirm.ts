import type pg from 'pg';
import type { InboundChannel } from '../../../carriers/inbound-message.js';
import { type PersonIds, toAddresses } from '../../../carriers/numbers/user-ids.js';
import { addFurtherNumbers } from '../../opt-outs/further-numbers-store.js';
import { toKeyword } from '../../opt-outs/keywords.js';
import { recordConsent, toConsentScope } from '../../opt-outs/ledger/record-consent.js';
import { getKeywordType } from '../../opt-outs/message-keyword.js';
import { lockOpenRequest, markConfirmed } from './request-store.js';
import { isYes } from './texts.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** A person can confirm for this long after the request was accepted. */
export const CONFIRMATION_MS = 7 * DAY_MS;

const TAPPED_TYPES: ReadonlySet<string> = new Set(['button', 'interactive']);

export interface ConsentAnswer {
  channel: InboundChannel;
  contactId: string;
  ids: PersonIds & { username: string | null };
  /** Meta's message type: text, button, interactive, image … */
  type: string;
  body: string;
  receivedAt: Date;
}

/**
 * Grants consent if the message confirms an open request. A message that cannot be an answer costs no query. Call this function
 * in the transaction that stores the message, and only for a message that was not stored before and is not a keyword.
 * Returns whether consent was granted.
 */
export async function confirmConsent(client: pg.PoolClient, answer: ConsentAnswer, now: Date): Promise<boolean> {
  const { channel, contactId, ids, receivedAt } = answer;
  const type = getKeywordType({ kind: channel.kind, type: answer.type });
  const isTapped = TAPPED_TYPES.has(type);
  const word = isTapped || type === 'text' ? toKeyword(answer.body) : null;
  if (word === null || !(isTapped || isYes(word))) return false;
  const { id: channelId, accountId, kind, phoneNumber: sender } = channel;
  const scope = toConsentScope({ accountId, channelId, kind, sender });
  const known = toAddresses(ids);
  const addresses = kind === 'whatsapp' ? await addFurtherNumbers(client, channelId, known) : known;
  const since = new Date(receivedAt.getTime() - CONFIRMATION_MS);
  const request = await lockOpenRequest(client, scope, addresses, { since, until: receivedAt });
  if (request === null || !(isYes(word) || word === request.buttonLabel)) return false;
  const { id, purpose, name, wording, wordingVersion, ip, url } = request;
  const decision = {
    ...{ purposes: [purpose], isGranted: true, source: 'double_opt_in' as const },
    ...{ name, wording, wordingVersion, ip, url, decidedAt: receivedAt },
  };
  const party = { accountId, contactId, channelId, kind, sender, person: ids };
  const [consentId] = await recordConsent(client, party, known, { decision, at: now });
  await markConfirmed(client, id, consentId as string);
  return true;
}
