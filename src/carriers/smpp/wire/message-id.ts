/** How an SMSC writes message IDs: as opaque text, or as a number. */
export type MessageIdFormat = 'text' | 'hex' | 'decimal';

/**
 * Converts a message_id to the form that is stored and compared. Some SMSCs write the ID in hexadecimal in the
 * response and in decimal, often with leading zeros, in the receipt. With the formats configured, both become the
 * same decimal number. An ID that is not in the format stays unchanged.
 */
export function normalizeMessageId(id: string, format: MessageIdFormat): string {
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
