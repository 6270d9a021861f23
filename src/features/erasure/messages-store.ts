import type pg from 'pg';
import { forgetCallsOf } from '../../carriers/http/call-store.js';
import { type Borders, readBorders } from '../../messages/search/number-store.js';
import {
  eraseMessageFields,
  eraseReferences,
  lockSubmittedMessages,
} from '../../messages/stored-messages/erase-store.js';
import { lowestIdAt, timeOfId } from '../../platform/ids.js';
import { eraseFallbacks } from '../fallbacks/erase-store.js';
import { blankStatusesOf, forgetCallbacks } from '../webhooks/erase-store.js';

/** The borders of the store with an id above its newest; null when it holds no message. */
export async function findBorders(pool: pg.Pool): Promise<(Borders & { above: string }) | null> {
  const borders = await readBorders(pool);
  if (borders === null) return null;
  return { ...borders, above: lowestIdAt(new Date(timeOfId(borders.last).getTime() + 1)) };
}

/** Takes number, texts and notes out of messages that nothing sends any more, and out of all that tells of them. */
export async function blankMessages(
  client: pg.PoolClient,
  callingCode: string,
  messageIds: readonly string[],
): Promise<void> {
  // What others tell of them before is found below; what they tell afterwards is blank.
  const ids = await lockSubmittedMessages(client, messageIds);
  await eraseReferences(client, ids);
  await eraseFallbacks(client, ids);
  await forgetCallsOf(client, ids);
  await forgetCallbacks(client, ids);
  await blankStatusesOf(client, callingCode, ids);
  await eraseMessageFields(client, callingCode, ids);
}
