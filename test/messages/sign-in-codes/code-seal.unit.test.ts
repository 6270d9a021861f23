import { describe, expect, it } from 'vitest';
import { maskSecret } from '../../../src/carriers/http/redaction.js';
import { countParts, segment } from '../../../src/carriers/sms/segments.js';
import { CodeSeal, insertCode, maskText } from '../../../src/messages/sign-in-codes/code-seal.js';

describe('the mask of a text', () => {
  it.each([
    '123456',
    'Your code is 123456.',
    `${'€{}'.repeat(60)}1234`,
    `${'a'.repeat(152)}€${'b'.repeat(100)}`,
    'Код для Acme: 123456.',
    `${'😀'.repeat(40)} 123456 ${'Ж'.repeat(60)}`,
    'line\nbreak\r\n"quoted" $& $1 \\n',
  ])('a mask has the length of its text in an SMS and reveals nothing: %j', (text) => {
    const mask = maskText(text);
    expect(segment(mask).encoding).toBe(segment(text).encoding);
    expect(segment(mask).parts.map(({ length }) => length)).toEqual(segment(text).parts.map(({ length }) => length));
    expect(countParts(mask)).toBe(countParts(text));
    expect(mask).not.toMatch(/[\p{L}\p{N}\s]/u);
    expect(insertCode({ body: mask, content: null }, text).body).toBe(text);
  });
});

describe('the call log of a carrier', () => {
  const text = 'Your code is 4 71 19, or AB12CD.';

  it.each([
    ['rejected: "Your code is 4 71 19, or AB12CD."', '***'],
    ['bad word: code', '***'],
    [Buffer.from(text).toString('hex').slice(0, 40), '***'],
    [Buffer.from(text).toString('base64').padEnd(80, '='), '***'],
    ['x'.repeat(80), '***'],
    ['THROTTLED', 'THROTTLED'],
    ['88', '88'],
  ])('the call log hides everything that may quote a secret text: %s', (logged, expected) => {
    expect(maskSecret(logged, text)).toBe(expected);
  });

  it('the call log hides only the code of a sign-in code', () => {
    expect(maskSecret('code 471190 is bad', '471190')).toBe('code ****** is bad');
    for (const writtenCode of [
      '471 190',
      '4 7 1 1 9 0',
      '471-190',
      '4,7,1,1,9,0',
      '471%20190',
      '471&nbsp;190',
      '471\\n190',
      '47\u00a011\u200b90',
    ]) {
      expect(maskSecret(`code ${writtenCode} is bad`, '471190'), writtenCode).toBe('code ****** is bad');
    }
    expect(maskSecret('at 47:11, 905 left', '471190')).toBe('at ******5 left');
    expect(maskSecret(Buffer.from('471190').toString('hex'), '471190')).toBe('******');
  });
});

describe('an encrypted sign-in code', () => {
  it('an encrypted code can be decrypted only for its verification and with its secrets', () => {
    const firstSeal = new CodeSeal(['first secret']);
    const { sealed, hash } = firstSeal.seal('123456', 'a');
    expect(new CodeSeal(['second secret', 'first secret']).open(sealed, 'a')).toBe('123456');
    expect(firstSeal.open(sealed, 'b')).toBeNull();
    expect(new CodeSeal(['second secret']).open(sealed, 'a')).toBeNull();
    expect([firstSeal.matches('123456', 'a', hash), firstSeal.matches('123457', 'a', hash)]).toEqual([true, false]);
  });
});
