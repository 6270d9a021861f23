import type pg from 'pg';
import { newId } from '../../platform/ids.js';
import { MAX_WORD_LENGTH } from '../opt-outs/keywords.js';
import { hasKeyword, insertKeywordRun } from './start-store.js';

export interface TriggeringMessage {
  accountId: string;
  channelId: string;
  contactId: string;
  /** Meta's message type: text, button, interactive, image … */
  type: string;
  body: string;
}

/** Message types whose text the contact wrote or chose, so that it can match a keyword. */
const KEYWORD_TYPES: ReadonlySet<string> = new Set(['text', 'button', 'interactive']);

/** Longest keyword in Unicode code points, which is also the limit for opt-out words. */
export const KEYWORD_LIMIT = MAX_WORD_LENGTH;

export const KEYWORD_VARIABLE = 'message';

/** PostgreSQL compares keywords with the SQL function `keyword_key`. */
export function trimKeyword(text: string): string {
  return text.trim();
}

/**
 * Call this function in the transaction that first stores the message, so that a message starts at most one run.
 * @param now Business time
 */
export async function startRunByKeyword(client: pg.PoolClient, message: TriggeringMessage, now: Date): Promise<void> {
  const text = toTrigger(message);
  if (text === null) return;
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

/** Whether the keyword of an active automation of the channel is the text, even if the automation does not run now. */
export async function isAutomationKeyword(client: pg.PoolClient, message: TriggeringMessage): Promise<boolean> {
  const text = toTrigger(message);
  return text !== null && (await hasKeyword(client, message, text));
}

function toTrigger({ body, type }: Pick<TriggeringMessage, 'body' | 'type'>): string | null {
  const text = trimKeyword(body);
  // 6 UTF-16 units per character leave room for surrogate pairs and combining marks.
  return text === '' || text.length > 6 * KEYWORD_LIMIT || !KEYWORD_TYPES.has(type) ? null : text;
}
