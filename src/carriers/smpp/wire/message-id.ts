export type MessageIdFormat = 'text' | 'hex' | 'decimal';

/** Some SMSCs write the ID in hexadecimal in the response and in decimal, often with leading zeros, in the receipt. */
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
