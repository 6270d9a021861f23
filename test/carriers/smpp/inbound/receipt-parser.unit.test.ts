import { describe, expect, it } from 'vitest';
import { isReceipt, parseReceipt } from '../../../../src/carriers/smpp/inbound/receipt-parser.js';
import type { IncomingMessage } from '../../../../src/carriers/smpp/wire/deliver-sm.js';

function createIncoming(text: string, fields: Partial<IncomingMessage> = {}): IncomingMessage {
  return {
    sourceTon: 1,
    source: '40722000001',
    destinationTon: 5,
    destination: 'Heliograph',
    esmClass: 0x04,
    dataCoding: 0,
    scheduleDeliveryTime: '',
    octets: Buffer.from(text, 'latin1'),
    tlvs: new Map(),
    ...fields,
  };
}

const createTlvs = (entries: readonly [number, Buffer][]) => new Map(entries);
const DATES = 'submit date:2701151200 done date:2701151201';

describe('receipt texts', () => {
  it.each([
    [
      'Appendix B',
      `id:0123456789 sub:001 dlvrd:001 ${DATES} stat:DELIVRD err:000 text:Hello`,
      '0123456789',
      '2701151201',
    ],
    [
      'dates with seconds',
      'id:A1 sub:001 dlvrd:001 submit date:270115120000 done date:270115120159 stat:DELIVRD err:000',
      'A1',
      '270115120159',
    ],
    [
      'a date with the century',
      'id:A1 submit date:20270115120000 done date:20270115120159 stat:DELIVRD',
      'A1',
      '20270115120159',
    ],
    [
      'dates in one word',
      'id:A1 sub:001 dlvrd:001 submitdate:2701151200 donedate:2701151201 stat:DELIVRD err:0 text:',
      'A1',
      '2701151201',
    ],
    [
      'underscores and capitals',
      'Id:A1 Sub:1 Dlvrd:1 Submit_Date:2701151200 Done_Date:2701151201 Stat:DELIVRD Err:0',
      'A1',
      '2701151201',
    ],
    [
      'spaces behind the colons',
      'id: A1 sub: 001 dlvrd: 001 submit date: 2701151200 done date: 2701151201 stat: DELIVRD err: 000 text: x',
      'A1',
      '2701151201',
    ],
    ['no dates and no text', 'id:b0c9-4f.7 stat:DELIVRD', 'b0c9-4f.7', null],
    ['a state in full', 'id:A1 stat:DELIVERED err:000', 'A1', null],
    ['commas', 'id:A1,sub:001,dlvrd:001,stat:DELIVRD,err:000', 'A1', null],
    [
      'a message text that looks like a receipt',
      `id:A1 ${DATES} stat:DELIVRD err:000 text:id:ZZ stat:REJECTD err:999`,
      'A1',
      '2701151201',
    ],
    ['a NUL at the end', 'id:A1 stat:DELIVRD\0', 'A1', null],
    ['a NUL at the start', '\0id:A1 stat:DELIVRD', 'A1', null],
    ['NULs between its fields', '\0\0id:A1\0stat:\0DELIVRD\0', 'A1', null],
    ['a byte order mark of UTF-8', '\u00ef\u00bb\u00bfid:A1 stat:DELIVRD', 'A1', null],
    ['a user data header that esm_class does not announce', '\x05\0\x03*\x01\x01id:A1 stat:DELIVRD', 'A1', null],
    ['line breaks', 'id:A1\r\nstat:DELIVRD\r\nerr:000', 'A1', null],
  ])('the text of an SMPP receipt is parsed with %s', (_, text, id, doneDate) => {
    expect(parseReceipt(createIncoming(text))).toEqual({
      ids: { tlv: null, text: id },
      status: 'delivered',
      state: 'DELIVRD',
      isKnown: true,
      doneDate,
      errorCode: null,
    });
  });

  it.each([
    ['DELIVRD', 'delivered'],
    ['EXPIRED', 'expired'],
    ['DELETED', 'undelivered'],
    ['UNDELIV', 'undelivered'],
    ['UNDELIVERABLE', 'undelivered'],
    ['FAILED', 'undelivered'],
    ['UNKNOWN', 'failed'],
    ['REJECTD', 'rejected'],
    ['REJECTED', 'rejected'],
    ['ACCEPTD', null],
    ['ENROUTE', null],
    ['BUFFERED', null],
    ['DELIV', 'delivered'],
    ['UNDEL', 'undelivered'],
    ['undelivered', 'undelivered'],
    ['DND_REJECTED', 'rejected'],
    ['REJECTED_DND', 'rejected'],
    ['NDNC-REJECT', 'rejected'],
    ['DND', 'rejected'],
    ['BLACKLISTED', 'rejected'],
    ['BLOCKED', 'rejected'],
    ['SPAM', 'rejected'],
    ['OPTOUT', 'rejected'],
    ['ABSENT_SUB', 'undelivered'],
    ['DELIVERY_FAILED', 'undelivered'],
    ['NON_DELIVERED', 'undelivered'],
    ['DELIVERED_TO_HANDSET', 'delivered'],
    ['SUCCESS', 'delivered'],
    ['TIMEOUT', 'expired'],
    ['CANCELLED', 'undelivered'],
    ['SUBMITTED', null],
    ['2', 'delivered'],
    ['05', 'undelivered'],
    ['8', 'rejected'],
    ['1', null],
  ])('the text of an SMPP receipt with the state %s means %s', (state, status) => {
    const receipt = parseReceipt(createIncoming(`id:A1 ${DATES} stat:${state} err:000 text:`));
    expect(receipt).toMatchObject({ status, isKnown: true });
  });

  it('the text of an SMPP receipt supplies its reason as the error code unless it contains a code', () => {
    const receipt = parseReceipt(createIncoming(`id:A1 ${DATES} stat:DND_REJECTED err:000 text:`));
    expect(receipt).toMatchObject({ state: 'REJECTD', errorCode: 'DND_REJECTED' });
    expect(parseReceipt(createIncoming('id:A1 stat:DND_REJECTED err:043')).errorCode).toBe('043');
  });

  it('the text of an SMPP receipt with an unknown state keeps the word and has no status', () => {
    const receipt = parseReceipt(createIncoming(`id:A1 ${DATES} stat:MISLAID err:000 text:`));
    expect(receipt).toMatchObject({ ids: { text: 'A1' }, state: 'MISLAID', isKnown: false, status: null });
  });

  const encodeUcs2 = (text: string) => Buffer.from(text, 'utf16le').swap16();
  const sentence = `id:A1 ${DATES} stat:DELIVRD err:000 text:Привет`;

  it.each([
    ['UCS-2 with its data_coding', encodeUcs2(sentence), 8],
    ['UCS-2 with a byte order mark', encodeUcs2(`\ufeff${sentence}`), 8],
    ['UCS-2 without its data_coding', encodeUcs2(sentence), 0],
    ['ASCII with the data_coding of its message', Buffer.from(sentence, 'latin1'), 8],
  ])('the text of an SMPP receipt is decoded from %s', (_, octets, dataCoding) => {
    expect(parseReceipt(createIncoming('', { octets, dataCoding }))).toMatchObject({
      ids: { text: 'A1' },
      status: 'delivered',
      doneDate: '2701151201',
    });
    const unmarkedReceipt = createIncoming('', { octets, dataCoding, esmClass: 0 });
    expect(isReceipt(unmarkedReceipt)).toBe('perhaps');
  });

  it('the text of an SMPP receipt is found after a user data header', () => {
    const octets = Buffer.concat([Buffer.from([5, 0, 3, 1, 1, 1]), encodeUcs2(sentence)]);
    expect(parseReceipt(createIncoming('', { octets, dataCoding: 8, esmClass: 0x44 })).ids.text).toBe('A1');
  });

  it('the text of an SMPP receipt supplies the error code', () => {
    expect(parseReceipt(createIncoming('id:A1 stat:UNDELIV err:11B'))?.errorCode).toBe('11B');
  });

  it.each(['', 'stat:DELIVRD', 'id:A1', 'Hello, how are you?', 'id: stat:'])(
    'the text of an SMPP receipt is not a receipt: "%s"',
    (text) => {
      const { ids, state } = parseReceipt(createIncoming(text));
      expect(ids.text === null || state === null).toBe(true);
    },
  );
});

describe('receipt TLVs', () => {
  const allTlvs = createTlvs([
    [0x001e, Buffer.from('F00D\0')],
    [0x0427, Buffer.from([5])],
    [0x0423, Buffer.from([3, 0, 27])],
  ]);

  it('the TLVs of an SMPP receipt are sufficient without a text', () => {
    expect(parseReceipt(createIncoming('', { tlvs: allTlvs }))).toEqual({
      ids: { tlv: 'F00D', text: null },
      status: 'undelivered',
      state: 'UNDELIV',
      isKnown: true,
      doneDate: null,
      errorCode: '27',
    });
  });

  it('the TLVs of an SMPP receipt take precedence over the text, which supplies the rest', () => {
    const text = `id:A1 ${DATES} stat:DELIVRD err:042 text:`;
    expect(parseReceipt(createIncoming(text, { tlvs: allTlvs }))).toEqual({
      ids: { tlv: 'F00D', text: 'A1' },
      status: 'undelivered',
      state: 'UNDELIV',
      isKnown: true,
      doneDate: '2701151201',
      errorCode: '042',
    });
    const id = createTlvs([[0x001e, Buffer.from('F00D')]]);
    expect(parseReceipt(createIncoming(text, { tlvs: id }))).toMatchObject({
      ids: { tlv: 'F00D' },
      status: 'delivered',
    });
  });

  it.each([
    ['DELIVRD', 'delivered', 'DELIVRD'],
    ['UNDELIV', 'undelivered', 'UNDELIV'],
    ['DND_REJECTED', 'rejected', 'REJECTD'],
    ['ENROUTE', null, 'ENROUTE'],
  ])(
    'the TLVs of an SMPP receipt yield to the state %s in the text if message_state is invalid',
    (word, status, state) => {
      for (const value of [0, 200]) {
        const zeroState = createTlvs([
          [0x001e, Buffer.from('F00D\0')],
          [0x0427, Buffer.from([value])],
        ]);
        expect(parseReceipt(createIncoming(`id:A1 ${DATES} stat:${word} err:000`, { tlvs: zeroState }))).toMatchObject({
          status,
          state,
        });
      }
    },
  );

  it.each([
    [0, null],
    [1, null],
    [2, 'delivered'],
    [3, 'expired'],
    [4, 'undelivered'],
    [5, 'undelivered'],
    [6, null],
    [7, 'failed'],
    [8, 'rejected'],
  ])('the TLVs of an SMPP receipt with message_state %i mean %s', (state, status) => {
    const states = createTlvs([
      [0x001e, Buffer.from('A1')],
      [0x0427, Buffer.from([state])],
    ]);
    expect(parseReceipt(createIncoming('', { tlvs: states }))?.status).toBe(status);
  });
});

describe('intermediate notifications', () => {
  it('an intermediate SMPP notification is not final unless it reports delivery', () => {
    const notification = { esmClass: 0x20 };
    expect(parseReceipt(createIncoming('id:A1 stat:UNDELIV err:027', notification))?.status).toBeNull();
    expect(parseReceipt(createIncoming('id:A1 stat:DELIVRD err:000', notification))?.status).toBe('delivered');
  });
});

describe('isReceipt', () => {
  const text = `id:A1 ${DATES} stat:DELIVRD err:000`;

  it('receipt detection recognizes a receipt by esm_class, regardless of other bits', () => {
    expect(isReceipt(createIncoming(text, { esmClass: 0x04 | 0x80 }))).toBe(true);
    expect(isReceipt(createIncoming(text, { esmClass: 0x20 }))).toBe(true);
  });

  it('receipt detection recognizes a receipt by its TLVs, which a phone cannot set', () => {
    const states = createTlvs([
      [0x001e, Buffer.from('A1')],
      [0x0427, Buffer.from([2])],
    ]);
    expect(isReceipt(createIncoming('', { esmClass: 0, tlvs: states }))).toBe(true);
  });

  it('receipt detection is unsure about a receipt recognizable only by its text, which a phone can send', () => {
    expect(isReceipt(createIncoming(text, { esmClass: 0 }))).toBe('perhaps');
    expect(isReceipt(createIncoming('Hello', { esmClass: 0 }))).toBe(false);
    expect(isReceipt(createIncoming('id:A1 and no state', { esmClass: 0 }))).toBe(false);
    expect(isReceipt(createIncoming('Its stat: fine', { esmClass: 0 }))).toBe(false);
    const id = createTlvs([[0x001e, Buffer.from('A1')]]);
    expect(isReceipt(createIncoming('stat:DELIVRD', { esmClass: 0, tlvs: id }))).toBe('perhaps');
    expect(isReceipt(createIncoming('Hello', { esmClass: 0, tlvs: id }))).toBe(false);
  });
});
