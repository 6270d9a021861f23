import { describe, expect, it } from 'vitest';
import { detectLayout, EncodingDetector, escapeFormula, readCell } from '../../../src/platform/text/csv-text.js';

function detectEncoding(...parts: Uint8Array[]) {
  const detector = new EncodingDetector();
  for (const part of parts) detector.write(part);
  return detector.end();
}

const encodeCyrillic = (text: string) =>
  Buffer.from(
    [...text].map((letter) => (letter < '\x80' ? letter.charCodeAt(0) : letter.charCodeAt(0) - 0x410 + 0xc0)),
  );

describe('EncodingDetector', () => {
  const german = 'phone;name\r\n+4915112345678;Jürgen Müller\r\n';

  it.each([
    ['utf-8', Buffer.from('phone,name\n+15005550111,Ada\n')],
    ['utf-8', Buffer.from(german)],
    ['utf-8', Buffer.from(`\uFEFF${german}`)],
    ['windows-1252', Buffer.from(german, 'latin1')],
    ['windows-1252', Buffer.from('phone,name\n+33612345678,Zoé\n', 'latin1')],
    ['utf-16le', Buffer.from(`\uFEFF${german}`, 'utf16le')],
    ['utf-16le', Buffer.from(german, 'utf16le')],
    ['utf-16be', Buffer.from(`\uFEFF${german}`, 'utf16le').swap16()],
    ['utf-16be', Buffer.from(german, 'utf16le').swap16()],
    ['windows-1251', encodeCyrillic('phone;name\n+79261234567;Ирина Петрова\n+79261234568;Александр Иванов\n')],
    ['utf-8', Buffer.alloc(0)],
  ])('detects %s (case %#)', (encoding, bytes) => {
    expect(detectEncoding(bytes)).toBe(encoding);
  });

  it('detects an encoding by a character far down in the file or across two chunks', () => {
    const rows = '+15005550111,Ada\n'.repeat(20_000);
    expect(detectEncoding(Buffer.from(rows), Buffer.from(`${rows}+33612345678,Zoé Müller\n`, 'latin1'))).toBe(
      'windows-1252',
    );
    const [first, second] = [Buffer.from('phone,name\n1,Z'), Buffer.from('é\n')];
    expect(detectEncoding(first, second.subarray(0, 1), second.subarray(1))).toBe('utf-8');
    expect(detectEncoding(first, second.subarray(0, 1))).toBe('windows-1252');
  });
});

describe('detectLayout', () => {
  it.each([
    ['phone,name\n', { delimiter: ',', start: 0 }],
    ['phone;name\n1;"a,b,c"\n', { delimiter: ';', start: 0 }],
    ['"a,b,c";phone\n', { delimiter: ';', start: 0 }],
    ['phone\tname\n', { delimiter: '\t', start: 0 }],
    ['phone|name\n', { delimiter: '|', start: 0 }],
    ['phone\n', { delimiter: ',', start: 0 }],
    ['sep=;\r\nphone;name\n', { delimiter: ';', start: 7 }],
    ['\uFEFF"sep=\t"\nphone\tname\n', { delimiter: '\t', start: 9 }],
    ['', { delimiter: ',', start: 0 }],
  ])('detects the layout of %j as %j', (text, layout) => {
    expect(detectLayout(text)).toEqual(layout);
  });

  it('uses the given delimiter', () => {
    expect(detectLayout('sep=;\nphone,name\n', ',')).toEqual({ delimiter: ',', start: 6 });
  });
});

describe('escapeFormula', () => {
  it.each(
    Object.entries({
      '=1+1': "'=1+1",
      '＝1+1': "'＝1+1",
      '@SUM(A1)': "'@SUM(A1)",
      ' =1': " '=1",
      // In many countries a spreadsheet starts a new cell at a semicolon.
      'Ada;=1+1': "Ada;'=1+1",
      'Ada; ＋1': "Ada; '＋1",
      'a;-b;=c': "a;'-b;'=c",
      '+1 500': "'+1 500",
      '+15005550111': '+15005550111',
      'Ada = Bob': 'Ada = Bob',
    }),
  )('writes %j as %j, which readCell reads back', (cell, written) => {
    expect(escapeFormula(cell)).toBe(written);
    expect(readCell(written)).toBe(cell);
  });
});
