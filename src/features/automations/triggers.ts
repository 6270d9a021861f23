import type pg from 'pg';
import { newId } from '../../platform/ids.js';
import { MAX_WORD_LENGTH } from '../opt-outs/keywords.js';
import { insertKeywordRun } from './start-store.js';

export interface TriggeringMessage {
  accountId: string;
  channelId: string;
  contactId: string;
  /** Meta's message type: text, button, interactive, image … */
  type: string;
  body: string;
}

/** A contact writes or chooses the body of these types. A caption does not count. */
const KEYWORD_TYPES: ReadonlySet<string> = new Set(['text', 'button', 'interactive']);

/** In Unicode code points; the same limit as for opt-out words. */
export const KEYWORD_LIMIT = MAX_WORD_LENGTH;

export const KEYWORD_VARIABLE = 'message';

/** PostgreSQL compares keywords with its function `keyword_key`. */
export function trimKeyword(text: string): string {
  return text.trim();
}

/**
 * Call it in the transaction that first stores the message, so that a message starts at most one run.
 * @param now business time
 */
export async function startRunByKeyword(client: pg.PoolClient, message: TriggeringMessage, now: Date): Promise<void> {
  const text = trimKeyword(message.body);
  // A code point is at most two UTF-16 units, and a letter with combining marks may be several code points.
  if (text === '' || text.length > 6 * KEYWORD_LIMIT || !KEYWORD_TYPES.has(message.type)) return;
  const { accountId, channelId, contactId, body } = message;
  await insertKeywordRun(client, {
    id: newId(),
    accountId,
    channelId,
    contactId,
    keyword: text,
    variable: { name: KEYWORD_VARIABLE, value: body },
    now,
  });
}
