import { createHash } from 'node:crypto';
import { isUserId } from '../../numbers/user-ids.js';

/**
 * Why a report is not used: this version does not know what it is (`unknown`), it lacks what it must have (`incomplete`), it is
 * no JSON (`unreadable`), or what it is about is not here: `no-channel`, `no-template`, `no-message`, `no-contact`. A message may
 * still come: the runner tries for a while before it keeps a report of one.
 */
export type UnusedReason =
  | 'unknown'
  | 'incomplete'
  | 'unreadable'
  | 'no-channel'
  | 'no-template'
  | 'no-message'
  | 'no-contact';

/** A part of a callback that was not used, in the form of a callback: it can be played again. */
export interface UnusedReport {
  /** The callback that it is a part of. */
  callbackId: string;
  /** Name of the carrier. */
  carrier: string;
  /** Null where none is known. */
  channelId: string | null;
  /** In the carrier's words, which are of a form that holds no text of anybody: `field:…`, `inbound:…`, `status:…`. */
  kind: string;
  reason: UnusedReason;
  /** Numbers and ids of people and messages in it. */
  ids: string[];
  body: Buffer;
  receivedAt: Date;
}

/** By which a report that comes twice is kept once. */
export function digestOf({ kind, body }: Pick<UnusedReport, 'kind' | 'body'>): Buffer {
  return createHash('sha256').update(kind).update('\0').update(body).digest();
}

/** More of them no report of one thing has. */
const MOST_IDS = 50;
const MESSAGE_ID = /^wa[a-z]*id\.[\w+/=.-]{1,200}$/;
const NUMBER = /^\+?[1-9]\d{5,17}$/;

/**
 * What a report names: numbers, user ids, and the carrier's ids of messages, each where it is a value of its own. A number
 * has no plus sign.
 */
export function idsIn(report: unknown): string[] {
  const found = new Set<string>();
  collect(report, '', found);
  return [...found];
}

/** The same of what is no JSON: whatever in it looks like a number or a user id. */
export function idsInText(text: string): string[] {
  const found = text.match(/\b(?:[1-9]\d{5,17}|[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128})\b/g) ?? [];
  return [...new Set(found)].slice(0, MOST_IDS);
}

function collect(value: unknown, name: string, found: Set<string>): void {
  if (found.size >= MOST_IDS) return;
  if (typeof value === 'string') {
    // A moment in seconds looks like a number.
    if (name.includes('time')) return;
    if (NUMBER.test(value)) found.add(value.replace('+', ''));
    else if (MESSAGE_ID.test(value) || isUserId(value)) found.add(value);
  } else if (Array.isArray(value)) {
    for (const each of value) collect(each, name, found);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value)) collect(each, key, found);
  }
}
