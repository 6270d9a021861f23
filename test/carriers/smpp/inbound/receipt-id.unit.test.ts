import { describe, expect, it } from 'vitest';
import { ReceiptIdReader } from '../../../../src/carriers/smpp/inbound/receipt-id.js';

const HEX_AND_DECIMAL = { responseIdFormat: 'hex', receiptIdFormat: 'decimal' } as const;

describe('receipt message IDs', () => {
  it.each([
    ['a text only', null, '0000061453', '61453'],
    ['a TLV that repeats the response', 'F00D', null, '61453'],
    ['a TLV that repeats the response, in addition to the text', 'F00D', '61453', '61453'],
    ['a TLV of digits that repeats the response, in addition to the text', '10', '0016', '16'],
    ['a TLV in the form of receipts, in addition to the text', '0016', '16', '16'],
    ['a TLV of digits alone', '16', null, '16'],
    ['nothing', null, null, null],
  ])('the message ID of an SMPP receipt is read correctly from %s', (_, tlv, text, id) => {
    expect(new ReceiptIdReader(HEX_AND_DECIMAL).read({ tlv, text })).toBe(id);
  });

  it('the message ID of an SMPP receipt in an ambiguous TLV is read in the form of earlier receipts', () => {
    const ids = new ReceiptIdReader(HEX_AND_DECIMAL);
    expect(ids.read({ tlv: 'F00D', text: null })).toBe('61453');
    expect(ids.read({ tlv: '10', text: null })).toBe('16');
    expect(ids.read({ tlv: '11', text: '11' })).toBe('11');
    expect(ids.read({ tlv: '12', text: null })).toBe('12');
  });

  it('the message ID of an SMPP receipt is taken from the TLV if both formats are equal', () => {
    const ids = new ReceiptIdReader({ responseIdFormat: 'text', receiptIdFormat: 'text' });
    expect(ids.read({ tlv: '00F00D', text: '61453' })).toBe('00F00D');
  });
});
