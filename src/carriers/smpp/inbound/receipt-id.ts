import { type MessageIdFormat, normaliseMessageId } from '../wire/message-id.js';

export interface ReceiptIdsOptions {
  responseIdFormat: MessageIdFormat;
  receiptIdFormat: MessageIdFormat;
}

/**
 * Which message a receipt is about, where an SMSC writes ids otherwise in receipts than in responses. The text has the id
 * in the form of receipts. The TLV may have it in that form, or repeat what the response said (SMPP 3.4 §5.3.2.12 calls it
 * the handle of the SMSC, which that is): digits alone do not tell, so what one receipt of the carrier has shown counts for
 * those that come after it.
 */
export class ReceiptIds {
  readonly #options: ReceiptIdsOptions;
  #tlvRepeats = false;

  constructor(options: ReceiptIdsOptions) {
    this.#options = options;
  }

  /** The id as messages are stored under it; null where there is none. */
  read({ tlv, text }: { tlv: string | null; text: string | null }): string | null {
    const { responseIdFormat, receiptIdFormat } = this.#options;
    const ofText = text === null ? null : normaliseMessageId(text, receiptIdFormat);
    if (tlv === null) return ofText;
    const asReceipt = normaliseMessageId(tlv, receiptIdFormat);
    const asResponse = normaliseMessageId(tlv, responseIdFormat);
    if (asReceipt === asResponse) return asReceipt;
    if (asReceipt === ofText) this.#tlvRepeats = false;
    else if (asResponse === ofText || !fits(tlv, receiptIdFormat)) this.#tlvRepeats = true;
    return this.#tlvRepeats ? asResponse : asReceipt;
  }
}

/** Whether an id can have been written in a format: one with letters is no decimal number. */
function fits(id: string, format: MessageIdFormat): boolean {
  return format === 'text' || (format === 'hex' ? /^[0-9a-f]+$/i : /^[0-9]+$/).test(id.trim());
}
