import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExact } from '../../../src/carriers/http-api/answer/exact-json.js';

describe('parseExact', () => {
  it.each([
    ['{"id":1234567890123456789}', { id: '1234567890123456789' }],
    ['[-9007199254740993, 9007199254740991]', ['-9007199254740993', 9007199254740991]],
    [
      '{"text":"call 1234567890123456789","a\\"b":12345678901234567}',
      { text: 'call 1234567890123456789', 'a"b': '12345678901234567' },
    ],
    ['{"n":1234567890123456789.5,"e":1e30}', { n: Number('1234567890123456789.5'), e: 1e30 }],
  ])('reads %s', (text, expected) => {
    expect(parseExact(text)).toEqual(expected);
  });

  it('otherwise behaves like JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!/\d{16}/.test(text));
        expect(parseExact(text)).toEqual(JSON.parse(text));
      }),
    );
    expect(() => parseExact('{"id":1234567890123456789')).toThrow(SyntaxError);
  });
});
