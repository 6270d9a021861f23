import type pg from 'pg';
import { findOtherWhatsappForm } from '../../../carriers/numbers/whatsapp-numbers.js';
import type { Clock } from '../../../platform/clock.js';
import type { ChannelScope } from './identity-store.js';
import { findSplitAccount, type SameNumber } from './number-store.js';
import { recordSamePerson } from './person.js';
import { runReport } from './record-people.js';

/**
 * Joins the contacts of a person who gets messages on one number and replies from another. Recording a known pair again
 * costs one query.
 * @returns Whether a contact changed
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
 * Joins the contacts that have the two forms of a number. WhatsApp may use another form than the one that was imported
 * or messaged.
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
