import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countParts,
  deriveConcatenationReference,
  encodeParts,
  MAX_PARTS,
  segment,
} from '../../../src/carriers/sms/segments.js';

const repeatLetter = (count: number): string => 'a'.repeat(count);
const repeatCyrillic = (count: number): string => 'ж'.repeat(count);

const cases: [name: string, text: string, encoding: 'gsm7' | 'ucs2', partLengths: number[]][] = [
  ['an empty text', '', 'gsm7', [0]],
  ['160 basic characters', repeatLetter(160), 'gsm7', [160]],
  ['161 basic characters', repeatLetter(161), 'gsm7', [153, 8]],
  ['306 basic characters', repeatLetter(306), 'gsm7', [153, 153]],
  ['307 basic characters', repeatLetter(307), 'gsm7', [153, 153, 1]],
  ['80 euro signs', '€'.repeat(80), 'gsm7', [80]],
  ['81 euro signs', '€'.repeat(81), 'gsm7', [76, 5]],
  ['an escape pair at the end of the first part', `${repeatLetter(152)}€${repeatLetter(152)}`, 'gsm7', [152, 152, 1]],
  ['80 backslashes', '\\'.repeat(80), 'gsm7', [80]],
  ['every extension character', '^{}\\[~]|€\f', 'gsm7', [10]],
  ['an uppercase C with cedilla', 'Ç', 'gsm7', [1]],
  ['a lowercase c with cedilla', 'ç', 'ucs2', [1]],
  ['a backtick', '`', 'ucs2', [1]],
  ['CRLF', `${repeatLetter(158)}\r\n`, 'gsm7', [160]],
  ['CRLF one septet too long', `${repeatLetter(159)}\r\n`, 'gsm7', [153, 8]],
  ['158 letters and a form feed, which takes two septets', `${repeatLetter(158)}\f`, 'gsm7', [159]],
  ['159 letters and a form feed', `${repeatLetter(159)}\f`, 'gsm7', [153, 7]],
  ['the escape character itself', '\u001b', 'ucs2', [1]],
  ['a tab', '\t', 'ucs2', [1]],
  ['70 Cyrillic letters', repeatCyrillic(70), 'ucs2', [70]],
  ['71 Cyrillic letters', repeatCyrillic(71), 'ucs2', [67, 4]],
  [
    'a surrogate pair at the end of the first part',
    `${repeatCyrillic(66)}😀${repeatCyrillic(66)}`,
    'ucs2',
    [66, 67, 1],
  ],
  ['35 emoji', '😀'.repeat(35), 'ucs2', [70]],
  ['36 emoji', '😀'.repeat(36), 'ucs2', [66, 6]],
  ['a letter with 150 combining marks', `e${'\u0301'.repeat(150)}`, 'ucs2', [67, 67, 17]],
  ['one letter outside the alphabet among 70', `${repeatLetter(70)}ж`, 'ucs2', [67, 4]],
];

describe('segment', () => {
  it.each(cases)('segmentation splits %s as expected', (_name, text, encoding, partLengths) => {
    const segmentation = segment(text);
    expect(segmentation.encoding).toBe(encoding);
    expect(segmentation.parts.map((part) => part.length)).toEqual(partLengths);
    expect(segmentation.parts.join('')).toBe(text);
    expect(countParts(text)).toBe(partLengths.length);
    for (const part of encodeParts(segmentation, 0)) expect(part.octets).toBeLessThanOrEqual(140);
  });
});

const gsmCharacter = fc.constantFrom(...'@£$¥èΔ_ΦÆ !"#AZaz09¿àÇ\n\r€[]{}^~|\\\f');
const anyText = fc.oneof(
  fc.string({ unit: gsmCharacter, maxLength: 700 }),
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.string({ unit: fc.constantFrom('ж', '😀', 'a', '€', '\u0301', '\u{10ffff}'), maxLength: 400 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 300 }).map((units) => String.fromCharCode(...units)),
);

describe('arbitrary texts', () => {
  it('segmentation preserves the text, fits 140 octets per part, splits no surrogate pair and matches the part count', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const segmentation = segment(text);
        expect(segmentation.parts.join('')).toBe(text);
        expect(countParts(text)).toBe(segmentation.parts.length);
        for (const part of encodeParts(segmentation, 7)) expect(part.octets).toBeLessThanOrEqual(140);
        for (let index = 1; index < segmentation.parts.length; index++) {
          const boundary = `${segmentation.parts[index - 1]?.slice(-1)}${segmentation.parts[index]?.slice(0, 1)}`;
          expect(boundary).not.toMatch(/^[\ud800-\udbff][\udc00-\udfff]$/);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('segmentation fills each part completely before starting the next', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { encoding, parts } = segment(text);
        for (let index = 1; index < parts.length; index++) {
          const nextCharacter = String.fromCodePoint((parts[index] as string).codePointAt(0) as number);
          const withNextCharacter = { encoding, parts: [`${parts[index - 1]}${nextCharacter}`, ''] };
          expect(encodeParts(withNextCharacter, 0)[0]?.octets).toBeGreaterThan(140);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('segmentation produces octets that decode to the text', () => {
    const alphabet =
      '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ�ÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
    const extension: Record<number, string> = {
      10: '\f',
      20: '^',
      40: '{',
      41: '}',
      47: '\\',
      60: '[',
      61: '~',
      62: ']',
      64: '|',
      101: '€',
    };
    const decodeGsm = (octets: Buffer): string => {
      let text = '';
      for (let index = 0; index < octets.length; index++) {
        const octet = octets[index] as number;
        text += octet === 0x1b ? extension[octets[++index] as number] : alphabet[octet];
      }
      return text;
    };
    fc.assert(
      fc.property(anyText, (text) => {
        const segmentation = segment(text);
        const decode = (octets: Buffer): string =>
          segmentation.encoding === 'gsm7' ? decodeGsm(octets) : Buffer.from(octets).swap16().toString('utf16le');
        expect(encodeParts(segmentation, 0).map((part) => decode(part.userData))).toEqual(segmentation.parts);
      }),
    );
  });
});

describe('encodeParts', () => {
  it('the part encoder encodes a single GSM part without a header, as septets of the default alphabet', () => {
    expect(encodeParts(segment('@A€à'), 9)).toEqual([
      { udh: null, userData: Buffer.from([0x00, 0x41, 0x1b, 0x65, 0x7f]), octets: 5 },
    ]);
  });

  it('the part encoder encodes a single UCS-2 part as big-endian octets', () => {
    expect(encodeParts(segment('ж😀'), 9)).toEqual([
      { udh: null, userData: Buffer.from([0x04, 0x36, 0xd8, 0x3d, 0xde, 0x00]), octets: 6 },
    ]);
  });

  it('the part encoder numbers the parts in a concatenation header, which counts towards the 140 octets', () => {
    const gsm = encodeParts(segment(repeatLetter(161)), 0xab);
    expect(gsm.map((part) => part.udh)).toEqual([
      Buffer.from([5, 0, 3, 0xab, 2, 1]),
      Buffer.from([5, 0, 3, 0xab, 2, 2]),
    ]);
    expect(gsm.map((part) => part.octets)).toEqual([140, 14]);
    expect(encodeParts(segment(repeatCyrillic(71)), 1).map((part) => part.octets)).toEqual([140, 14]);
    expect(encodeParts(segment(repeatLetter(160)), 1).map((part) => part.octets)).toEqual([140]);
  });

  it('the part encoder accepts 255 parts and rejects 256', () => {
    expect(encodeParts(segment(repeatLetter(153 * MAX_PARTS)), 0)).toHaveLength(255);
    expect(() => encodeParts(segment(repeatLetter(153 * MAX_PARTS + 1)), 0)).toThrow(RangeError);
  });
});

describe('concatenationReference', () => {
  it('the concatenation reference is the low octet of the counter in the message ID', () => {
    expect(deriveConcatenationReference('01a1fd4c-c38d-7554-ac76-8e50cbaae787')).toBe(0x50);
    expect(deriveConcatenationReference('01a1fd4c-c38d-7554-ac76-8effcbaae787')).toBe(0xff);
  });
});
