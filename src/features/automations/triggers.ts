import type pg from 'pg';
import { newId } from '../../platform/ids.js';
import { MAX_WORD_LENGTH } from '../opt-outs/keywords.js';
import { startByKeyword } from './begin-store.js';

/** An inbound message that was stored just now. */
export interface StoredInbound {
  accountId: string;
  channelId: string;
  contactId: string;
  /** Meta's type: text, button, interactive, image … */
  type: string;
  /** Text, caption or button text. */
  body: string;
}

/** Types whose body is what the contact said; a caption is not. */
const SPOKEN_TYPES: ReadonlySet<string> = new Set(['text', 'button', 'interactive']);

/** Longest keyword in Unicode code points, as of a word that opts out. */
export const KEYWORD_LIMIT = MAX_WORD_LENGTH;

/** The variable of a run that an inbound message started: its text. */
export const KEYWORD_VARIABLE = 'message';

/** A keyword or a text without the white space around it. PostgreSQL compares the two, by its function `keyword_key`. */
export function keywordOf(text: string): string {
  return text.trim();
}

/**
 * Starts the automation whose keyword an inbound message is, if there is one. To be called in the transaction that
 * stores the message, and only when it was not stored before: then the message and its run are there together or not
 * at all, and no message starts two.
 * @param now business time: the run is due at once
 */
export async function onInbound(client: pg.PoolClient, inbound: StoredInbound, now: Date): Promise<void> {
  const text = keywordOf(inbound.body);
  // A code point is at most two of JavaScript's characters, and a letter with marks may be several code points.
  if (text === '' || text.length > 6 * KEYWORD_LIMIT || !SPOKEN_TYPES.has(inbound.type)) return;
  const { accountId, channelId, contactId, body } = inbound;
  await startByKeyword(client, {
    id: newId(),
    accountId,
    channelId,
    contactId,
    keyword: text,
    variable: { name: KEYWORD_VARIABLE, value: body },
    now,
  });
}
