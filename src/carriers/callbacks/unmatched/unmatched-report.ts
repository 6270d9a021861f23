import { createHash } from 'node:crypto';
import { isUserId } from '../../numbers/user-ids.js';

/**
 * `incomplete` means that fields are missing, `unreadable` that the JSON is invalid, and `no-…` that an object does not exist.
 * The runner retries a report with the reason `no-message` for a while before it stores the report.
 */
export type UnmatchedReason =
  | 'unknown'
  | 'incomplete'
  | 'unreadable'
  | 'no-channel'
  | 'no-template'
  | 'no-message'
  | 'no-contact';

/** The `body` of an unmatched report has the format of a callback, so that the report can be replayed. */
export interface UnmatchedReport {
  callbackId: string;
  carrier: string;
  /** Null if unknown. */
  channelId: string | null;
  /** Kind of report in the carrier's terms: `field:…`, `inbound:…`, `status:…`. Contains no message text. */
  kind: string;
  reason: UnmatchedReason;
  ids: string[];
  body: Buffer;
  receivedAt: Date;
}

/** Repeated reports have the same digest and are stored once. */
export function computeDigest({ kind, body }: Pick<UnmatchedReport, 'kind' | 'body'>): Buffer {
  return createHash('sha256').update(kind).update('\0').update(body).digest();
}

const MAX_IDS = 50;
const MESSAGE_ID = /^wa[a-z]*id\.[\w+/=.-]{1,200}$/;
const NUMBER = /^\+?[1-9]\d{5,17}$/;

/** Finds complete field values that are phone numbers (without plus sign), user IDs or carrier message IDs. */
export function findIds(report: unknown): string[] {
  const ids = new Set<string>();
  collectIds(report, '', ids);
  return [...ids];
}

export function findIdsInText(text: string): string[] {
  const matches = text.match(/\b(?:[1-9]\d{5,17}|[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128})\b/g) ?? [];
  return [...new Set(matches)].slice(0, MAX_IDS);
}

function collectIds(value: unknown, name: string, ids: Set<string>): void {
  if (ids.size >= MAX_IDS) return;
  if (typeof value === 'string') {
    // Time fields are skipped, because a Unix timestamp looks like a phone number.
    if (name.includes('time')) return;
    if (NUMBER.test(value)) ids.add(value.replace('+', ''));
    else if (MESSAGE_ID.test(value) || isUserId(value)) ids.add(value);
  } else if (Array.isArray(value)) {
    for (const item of value) collectIds(item, name, ids);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) collectIds(member, key, ids);
  }
}
