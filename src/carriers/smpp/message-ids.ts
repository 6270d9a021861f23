import type { SmppSettings } from './settings.js';

type IdFormat = SmppSettings['responseIdFormat'];

/**
 * A message_id in the form by which it is stored and compared. Some SMSCs write the number of a message in hexadecimal
 * in the response and in decimal, often with leading zeros, in the receipt: told so, both become the same decimal number.
 * An id that is no such number stays as it is.
 */
export function normaliseId(id: string, format: IdFormat): string {
  const text = id.trim();
  switch (format) {
    case 'text':
      return text;
    case 'hex':
      return /^[0-9a-f]+$/i.test(text) ? BigInt(`0x${text}`).toString() : text;
    case 'decimal':
      return /^[0-9]+$/.test(text) ? BigInt(text).toString() : text;
  }
}
