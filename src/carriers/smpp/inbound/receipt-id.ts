import { type MessageIdFormat, normalizeMessageId } from '../wire/message-id.js';

export interface ReceiptIdFormats {
  responseIdFormat: MessageIdFormat;
  receiptIdFormat: MessageIdFormat;
}

/**
 * Some SMSCs write IDs differently in receipts than in responses, but repeat the response's ID in a TLV (SMPP 3.4 §5.3.2.12).
 * If an ID consists only of digits, its format is ambiguous, so the format of an earlier receipt is assumed.
 */
export class ReceiptIdReader {
  readonly #options: ReceiptIdFormats;
  #tlvHasResponseFormat = false;

  constructor(options: ReceiptIdFormats) {
    this.#options = options;
  }

  /** Converts the ID to the form in which message IDs are stored. */
  read({ tlv, text }: { tlv: string | null; text: string | null }): string | null {
    const { responseIdFormat, receiptIdFormat } = this.#options;
    const fromText = text === null ? null : normalizeMessageId(text, receiptIdFormat);
    if (tlv === null) return fromText;
    const fromTlvAsReceipt = normalizeMessageId(tlv, receiptIdFormat);
    const fromTlvAsResponse = normalizeMessageId(tlv, responseIdFormat);
    if (fromTlvAsReceipt === fromTlvAsResponse) return fromTlvAsReceipt;
    if (fromTlvAsReceipt === fromText) this.#tlvHasResponseFormat = false;
    else if (fromTlvAsResponse === fromText || !isInFormat(tlv, receiptIdFormat)) this.#tlvHasResponseFormat = true;
    return this.#tlvHasResponseFormat ? fromTlvAsResponse : fromTlvAsReceipt;
  }
}

function isInFormat(id: string, format: MessageIdFormat): boolean {
  return format === 'text' || (format === 'hex' ? /^[0-9a-f]+$/i : /^[0-9]+$/).test(id.trim());
}
