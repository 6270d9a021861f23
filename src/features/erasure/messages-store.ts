import type pg from 'pg';
import { deleteMessageCalls } from '../../carriers/http/call-store.js';
import { type Borders, readBorders } from '../../messages/search/number-store.js';
import {
  eraseMessageFields,
  eraseReferences,
  lockSubmittedMessages,
} from '../../messages/stored-messages/erase-store.js';
import { lowestIdAt, readIdTime } from '../../platform/ids.js';
import { eraseFallbacks } from '../fallbacks/erase-store.js';
import { eraseLinks } from '../links/link-store.js';
import { blankMessageStatuses, forgetCallbacks } from '../webhooks/erase-store.js';

export async function findBorders(pool: pg.Pool): Promise<(Borders & { above: string }) | null> {
  const borders = await readBorders(pool);
  if (borders === null) return null;
  return { ...borders, above: lowestIdAt(new Date(readIdTime(borders.last).getTime() + 1)) };
}

export async function blankMessages(
  client: pg.PoolClient,
  callingCode: string,
  messageIds: readonly string[],
): Promise<void> {
  // The messages are locked first, because records written after the lock no longer name the person.
  const ids = await lockSubmittedMessages(client, messageIds);
  await eraseReferences(client, ids);
  await eraseFallbacks(client, ids);
  await eraseLinks(client, ids);
  await deleteMessageCalls(client, ids);
  await forgetCallbacks(client, ids);
  await blankMessageStatuses(client, callingCode, ids);
  await eraseMessageFields(client, callingCode, ids);
}
