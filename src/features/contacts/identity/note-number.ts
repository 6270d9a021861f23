import type pg from 'pg';
import type { Clock } from '../../../platform/clock.js';
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
