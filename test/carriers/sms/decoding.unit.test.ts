import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  decodeText,
  findEncoding,
  type LanguageShifts,
  type TextEncoding,
} from '../../../src/carriers/sms/decoding.js';
import { LOCKING_TABLES, type SeptetTable, SINGLE_SHIFT_TABLES } from '../../../src/carriers/sms/national-tables.js';

const decode = (hex: string, dataCoding: number, shifts?: LanguageShifts) => {
  const encoding = findEncoding(dataCoding, 'gsm7', shifts) as TextEncoding;
  return decodeText({ octets: Buffer.from(hex.replaceAll(' ', ''), 'hex'), encoding });
};

describe('data_coding of SMPP 3.4 §5.2.19', () => {
  it.each([
    [0, '05 76 05 6e', 'évén'],
    [1, '41 53 43 49 49', 'ASCII'],
    [3, 'e9 76 e9', 'évé'],
    [6, 'bf e0 d8 d2 d5 e2', 'Привет'],
    [7, 'f9 ec e5 ed', 'שלום'],
    [8, '04 1f 04 40', 'Пр'],
    [9, '48 e9', 'Hé'],
    [11, '48 e9', 'Hé'],
  ])('with data_coding %i, %s is decoded as %s', (dataCoding, hex, text) => {
    expect(decode(hex, dataCoding)).toBe(text);
  });

  it.each([
    [5, 'Shift_JIS', '93 fa 96 7b 8c ea 41', '日本語A'],
    [5, 'half-width katakana of Shift_JIS', 'b1 b2 b3', 'ｱｲｳ'],
    [5, 'EUC-JP', 'c6 fc cb dc a4 ce', '日本の'],
    [5, 'ISO-2022-JP', '1b 24 42 46 7c 4b 5c 1b 28 42 41', '日本A'],
    [5, 'JIS without escape sequences', '24 33 24 73 24 4b', 'こんに'],
    [5, 'ASCII', '53 54 4f 50', 'STOP'],
    [10, 'ISO-2022-JP', '1b 24 42 24 22 24 24 1b 28 42 21', 'あい!'],
    [10, 'ISO-2022-JP with katakana and JIS X 0212', '1b 28 49 31 1b 24 28 44 30 21 1b 28 4a 78', 'ｱ丂x'],
    [10, 'ASCII', '53 54 4f 50', 'STOP'],
    [13, 'EUC-JP', '8f b0 a1 a4 a2', '丂あ'],
    [13, 'JIS X 0212 without escape sequences', '30 21 30 22', '丂丄'],
    [14, 'EUC-KR', 'b0 a1 b3 aa 21', '가나!'],
    [14, 'ISO-2022-KR', '1b 24 29 43 41 0e 30 21 20 33 2a 0f 42', 'A가 나B'],
    [14, 'ASCII', '53 54 4f 50', 'STOP'],
  ])('a text with data_coding %i sent as %s is decoded', (dataCoding, _encoding, hex, text) => {
    expect(decode(hex, dataCoding)).toBe(text);
  });
});

describe('coding groups of 3GPP TS 23.038 §4', () => {
  it.each([
    [0x00, 'gsm7'],
    [0x10, 'gsm7'],
    [0x14, 'binary'],
    [0x18, 'ucs2'],
    [0x1c, 'gsm7'],
    [0x20, 'binary'],
    [0x38, 'binary'],
    [0x40, 'gsm7'],
    [0x44, 'binary'],
    [0x48, 'ucs2'],
    [0x51, 'gsm7'],
    [0x59, 'ucs2'],
    [0x60, 'binary'],
    [0x80, 'gsm7'],
    [0xbf, 'gsm7'],
    [0xc0, 'gsm7'],
    [0xc8, 'gsm7'],
    [0xd0, 'gsm7'],
    [0xd9, 'gsm7'],
    [0xe0, 'ucs2'],
    [0xe8, 'ucs2'],
    [0xf0, 'gsm7'],
    [0xf1, 'gsm7'],
    [0xf4, 'binary'],
    [0xf7, 'binary'],
  ])('data_coding 0x%x means the encoding %s', (dataCoding, encoding) => {
    expect(findEncoding(dataCoding, 'gsm7')).toBe(encoding);
  });
});

describe('byte order marks', () => {
  it.each([
    ['ff fe 48 00 69 00', 8, 'Hi'],
    ['fe ff 00 48 00 69', 8, 'Hi'],
    ['00 48 00 69', 8, 'Hi'],
    ['ff fe 3d d8 00 de', 0xe0, '😀'],
    ['ff fe', 8, ''],
    ['ff fe 48', 8, ''],
  ])('a byte order mark selects the byte order of %s and is removed', (hex, dataCoding, text) => {
    expect(decode(hex, dataCoding)).toBe(text);
  });

  it('a byte order mark in UTF-8 is removed', () => {
    expect(decodeText({ octets: Buffer.from('\ufeffHi'), encoding: 'utf8' })).toBe('Hi');
  });
});

describe('national language tables of 3GPP TS 23.038 Annex A', () => {
  it.each([
    ['Turkish', { locking: 1, single: 1 }, '1c 07 0b 1d 1b 67 1b 65 04 60', 'ŞıĞşğ€€ç'],
    ['Turkish single shift', { locking: 0, single: 1 }, '1b 53 69 1b 73 40', 'Şiş¡'],
    ['Spanish single shift', { locking: 0, single: 2 }, '1b 61 1b 69 1b 09 1b 65', 'áíç€'],
    ['Portuguese', { locking: 3, single: 3 }, '4e 7b 6f 1b 1f 1b 7f 12', 'NãoÊâª'],
    ['Bengali', { locking: 4, single: 4 }, '2c 3a 40 15 1b 19 7c', ',:\u09ac\u0995\u09e6\u09dc'],
    ['Gujarati', { locking: 5, single: 5 }, '03 60 7f 1b 1c', 'અૐ૱૦'],
    ['Hindi', { locking: 6, single: 6 }, '00 2f 42 4c 5f 27 59 1b 19 1b 26', 'ँनमस्ते।॑'],
    ['Kannada', { locking: 7, single: 7 }, '15 2f 5f 2f 24 1b 2a', 'ಕನ್ನಡೲ'],
    ['Malayalam', { locking: 8, single: 8 }, '42 46 43 7f 1b 34', 'മലയ൹ൿ'],
    ['Oriya', { locking: 9, single: 9 }, '13 24 49 1b 26', '\u0b13\u0b21\u0b35\u0b5c'],
    ['Punjabi', { locking: 10, single: 10 }, '3d 7c 1d 50 40 52 1b 2d', 'ਪੱਜਾਬੀੵ'],
    ['Tamil', { locking: 11, single: 11 }, '27 42 51 48 5f 1b 2e', 'தமிழ்௺'],
    ['Telugu', { locking: 12, single: 12 }, '27 59 46 53 17 53 1b 32', 'తేలుగు౿'],
    ['Urdu', { locking: 13, single: 13 }, '00 25 2b 53 1b 3f', 'ارزو۔'],
  ])('national language tables decode a text in %s', (_language, shifts, hex, text) => {
    expect(decode(hex, 0, shifts)).toBe(text);
    expect(decode(hex, 0xf0, shifts)).toBe(text);
  });

  it('national language tables fall back to the default or locking table for characters missing from a single shift table', () => {
    expect(decode('1b 41 1b 05', 0, { locking: 0, single: 1 })).toBe('Aé');
    expect(decode('1b 15', 0, { locking: 6, single: 1 })).toBe('क');
  });

  it('national language tables are the default tables for an unknown language', () => {
    expect(decode('05 1b 65', 0, { locking: 2, single: 0 })).toBe('é€');
    expect(decode('05 1b 65', 0, { locking: 77, single: 99 })).toBe('é€');
  });

  it('national language tables do not apply to other alphabets', () => {
    expect(findEncoding(8, 'gsm7', { locking: 1, single: 1 })).toBe('ucs2');
    expect(findEncoding(0, 'latin1', { locking: 1, single: 1 })).toBe('latin1');
  });

  it('national language tables contain all Latin letters and digits, and no character twice, in locking tables', () => {
    for (const [language, table] of LOCKING_TABLES) {
      const characters = table.filter((character) => character !== undefined);
      expect(new Set(characters).size, `language ${language}`).toBe(characters.length);
      expect(characters.join(''), `language ${language}`).toMatch(/0123456789:;.*abcdefghijklmnopqrstuvwxyz/s);
      expect(table).toHaveLength(128);
    }
  });

  it('national language tables have not changed since they were compared with two other implementations', () => {
    const toArrays = (tables: ReadonlyMap<number, SeptetTable>) =>
      [...tables].map(([language, table]) => [
        language,
        Array.from({ length: 128 }, (_, septet) => table[septet] ?? ''),
      ]);
    const digest = createHash('sha256')
      .update(JSON.stringify([toArrays(LOCKING_TABLES), toArrays(SINGLE_SHIFT_TABLES)]))
      .digest('hex');
    expect(digest).toBe('b29dc5d5aff76ffb573551f7cf626f4b771601ef54810c0c027f847e0c99da7d');
  });
});
