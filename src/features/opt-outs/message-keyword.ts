import type { Connection } from '../../platform/store/with-transaction.js';
import { getCommonMeaning, type OptOutMeaning, removeSpaces, toKeyword } from './keywords.js';
import { findAccountMeaning } from './opt-out-store.js';

export const KEYWORD_MEANINGS = ['stop', 'start', 'help'] as const;
export type KeywordMeaning = (typeof KEYWORD_MEANINGS)[number];

/** Words for help that North American carriers require (CTIA Short Code Monitoring Handbook). */
const HELP_WORDS: ReadonlySet<string> = new Set(['help', 'info']);

const TAPPED_TYPES: ReadonlySet<string> = new Set(['button', 'interactive']);

export interface MessageKeyword {
  /** Normalized. */
  word: string;
  meaning: KeywordMeaning;
}

interface KeywordMessage {
  kind: 'sms' | 'whatsapp';
  /** Meta's message type: text, button, interactive, image … */
  type: string;
  body: string;
}

/** Treats the text of an MMS like a text message, because it can be a keyword, unlike the caption of a WhatsApp file. */
export function getKeywordType({ kind, type }: Pick<KeywordMessage, 'kind' | 'type'>): string {
  return kind === 'sms' && type !== 'binary' ? 'text' : type;
}

interface ReadKeyword {
  word: string;
  /** Null unless the word opts out or in in every account. */
  meaning: OptOutMeaning | null;
  /** Whether the word means HELP, unless the account uses the word to opt out or in. */
  isHelp: boolean;
}

/** Returns null for a message that cannot be a keyword. */
export function readKeyword(message: KeywordMessage): ReadKeyword | null {
  const type = getKeywordType(message);
  const tapped = TAPPED_TYPES.has(type);
  const word = tapped || type === 'text' ? toKeyword(message.body) : null;
  if (word === null) return null;
  // A button "Help" usually belongs to the sender's own dialog.
  return { word, meaning: getCommonMeaning(word, { tapped }), isHelp: !tapped && HELP_WORDS.has(removeSpaces(word)) };
}

/** Finds what the message means as a keyword. An account's own opt-out word takes precedence over HELP. */
export async function findKeyword(
  connection: Connection,
  accountId: string,
  message: KeywordMessage,
): Promise<MessageKeyword | null> {
  const read = readKeyword(message);
  if (read === null) return null;
  const { word } = read;
  const meaning = read.meaning ?? (await findAccountMeaning(connection, accountId, word));
  if (meaning !== null) return { word, meaning };
  return read.isHelp ? { word, meaning: 'help' } : null;
}
