/** How an SMSC writes an id: as a text of its own kind, or as a number. */
export type MessageIdFormat = 'text' | 'hex' | 'decimal';

/**
 * A message_id in the form by which it is stored and compared. Some SMSCs write the number of a message in hexadecimal
 * in the response and in decimal, often with leading zeros, in the receipt: told so, both become the same decimal number.
 * An id that is no such number stays as it is.
 */
export function normaliseMessageId(id: string, format: MessageIdFormat): string {
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
