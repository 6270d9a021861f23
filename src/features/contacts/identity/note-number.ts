import type pg from 'pg';
import { otherWhatsappForm } from '../../../carriers/numbers/whatsapp-numbers.js';
import type { Clock } from '../../../platform/clock.js';
import type { ChannelScope } from './identity-store.js';
import { inReport } from './note-people.js';
import { findParted, type SameNumber } from './number-store.js';
import { noteSamePerson } from './person.js';

/**
 * Notes that two numbers are one account, so that whoever is sent to by one and answers by the other is one contact. What is
 * known already costs one question.
 * @returns whether it was news of a contact
 */
export async function noteSameNumber(
  { pool, clock }: { pool: pg.Pool; clock: Clock },
  channelId: string,
  numbers: SameNumber,
): Promise<boolean> {
  const accountId = await findParted(pool, channelId, numbers);
  if (accountId === null) return false;
  await inReport(pool, (client) => noteSamePerson(client, { accountId, channelId }, numbers, clock.now()));
  return true;
}

/**
 * Makes both forms of a number that WhatsApp may know somebody by lead to one contact, in the transaction of what the person did:
 * somebody was imported, or is written to, by the form that is a phone number. Costs one question for numbers with two forms, and
 * nothing for all others.
 */
export async function joinNumberForms(
  client: pg.PoolClient,
  scope: ChannelScope,
  phone: string,
  at: Date,
): Promise<void> {
  const other = otherWhatsappForm(phone);
  if (other === null) return;
  const numbers = { sentTo: other, known: phone };
  if ((await findParted(client, scope.channelId, numbers)) !== null) await noteSamePerson(client, scope, numbers, at);
}
