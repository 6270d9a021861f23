import { countParts, MAX_PARTS } from '../../carriers/sms/segments.js';
import { invalidField } from '../../platform/errors/app-error.js';
import type { SendRequest } from '../compose/send-request.js';

/**
 * Bytes of text and content that one request may store, over all of its recipients. Ten thousand recipients of 4,096
 * Cyrillic letters fit in; what goes beyond would hold all other commits up for seconds.
 */
const MAX_STORED_BYTES = 100 * 1024 * 1024;
/** Bytes of text that weigh as much in a commit as one more message. */
export const BYTES_PER_MESSAGE = 4_096;

/**
 * SMS parts of each message of a request; 1 for WhatsApp.
 * @throws {AppError} INVALID_REQUEST for a text of more parts than can be joined (3GPP 23.040 §9.2.3.24.1)
 */
export function partsOf(request: SendRequest): number {
  if (request.kind !== 'sms') return 1;
  const parts = countParts(request.body);
  if (parts > MAX_PARTS) throw invalidField('message', `must not need more than ${MAX_PARTS} SMS parts, not ${parts}`);
  return parts;
}

/**
 * Bytes that a request stores as text, content and notes.
 * @throws {AppError} INVALID_REQUEST when they are too many
 */
export function storedBytesOf(request: SendRequest): number {
  const { body, content, notes, recipients } = request;
  // A UTF-16 unit takes three bytes of UTF-8 at the most, so an ordinary request is not measured.
  const beside = (content ? JSON.stringify(content) : '') + (notes ? JSON.stringify(notes) : '');
  const most = 3 * (body.length + beside.length);
  if (most * recipients.length <= BYTES_PER_MESSAGE) return most * recipients.length;
  const each = Buffer.byteLength(body) + Buffer.byteLength(beside);
  const bytes = each * recipients.length;
  if (bytes > MAX_STORED_BYTES) {
    const most = Math.floor(MAX_STORED_BYTES / each);
    throw invalidField('to', `must not hold more than ${most} recipients for a text and content of ${each} bytes`);
  }
  return bytes;
}

/** What a request weighs in a commit: its messages, and more where its texts are long. */
export function weightOf(messages: number, storedBytes: number): number {
  return messages + Math.floor(storedBytes / BYTES_PER_MESSAGE);
}
