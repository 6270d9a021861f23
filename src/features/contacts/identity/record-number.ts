import type pg from 'pg';
import { findOtherWhatsappForm } from '../../../carriers/numbers/whatsapp-numbers.js';
import type { Clock } from '../../../platform/clock.js';
import type { ChannelScope } from './identity-store.js';
import { findSplitAccount, type SameNumber } from './number-store.js';
import { recordSamePerson } from './person.js';
import { runReport } from './record-people.js';

/**
 * Joins a person who gets messages on one number and replies from the other. A known pair costs one query.
 * @returns whether a contact changed
 */
export async function recordSameNumber(
  { pool, clock }: { pool: pg.Pool; clock: Clock },
  channelId: string,
  numbers: SameNumber,
): Promise<boolean> {
  const accountId = await findSplitAccount(pool, channelId, numbers);
  if (accountId === null) return false;
  await runReport(pool, (client) => recordSamePerson(client, { accountId, channelId }, numbers, clock.now()));
  return true;
}

/**
 * Joins the contacts under both forms of a number. WhatsApp may use a form other than the one under which a contact was
 * imported or messaged.
 */
export async function joinNumberForms(
  client: pg.PoolClient,
  scope: ChannelScope,
  phone: string,
  at: Date,
): Promise<void> {
  const other = findOtherWhatsappForm(phone);
  if (other === null) return;
  const numbers = { sentTo: other, known: phone };
  if ((await findSplitAccount(client, scope.channelId, numbers)) !== null)
    await recordSamePerson(client, scope, numbers, at);
}
