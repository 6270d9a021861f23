import { countParts, MAX_PARTS } from '../../carriers/sms/segments.js';
import { invalidField } from '../../platform/errors/app-error.js';
import type { SendRequest } from '../compose/send-request.js';

/** Allows 4,096 Cyrillic letters to 10,000 recipients. A larger request would delay all other commits by seconds. */
const MAX_STORED_BYTES = 100 * 1024 * 1024;
export const BYTES_PER_MESSAGE = 4_096;

/**
 * Returns the number of SMS parts, or 1 for WhatsApp.
 * @throws {AppError} INVALID_REQUEST if the text needs more parts than can be concatenated (3GPP 23.040 §9.2.3.24.1)
 */
export function countPartsPerMessage(request: SendRequest): number {
  if (request.kind !== 'sms') return 1;
  const parts = countParts(request.body);
  if (parts > MAX_PARTS) throw invalidField('message', `must not need more than ${MAX_PARTS} SMS parts, not ${parts}`);
  return parts;
}

export function measureStoredBytes(request: SendRequest): number {
  const { body, content, notes, recipients } = request;
  // A UTF-16 code unit needs at most 3 bytes in UTF-8, so short requests need no exact measurement.
  const extras = (content ? JSON.stringify(content) : '') + (notes ? JSON.stringify(notes) : '');
  const maxBytes = 3 * (body.length + extras.length);
  if (maxBytes * recipients.length <= BYTES_PER_MESSAGE) return maxBytes * recipients.length;
  const bytesPerMessage = Buffer.byteLength(body) + Buffer.byteLength(extras);
  const bytes = bytesPerMessage * recipients.length;
  if (bytes > MAX_STORED_BYTES) {
    const maxRecipients = Math.floor(MAX_STORED_BYTES / bytesPerMessage);
    throw invalidField(
      'to',
      `must not have more than ${maxRecipients} recipients for a text and content of ${bytesPerMessage} bytes`,
    );
  }
  return bytes;
}

export function computeCommitWeight(messages: number, storedBytes: number): number {
  return messages + Math.floor(storedBytes / BYTES_PER_MESSAGE);
}
