import { describe, expect, it } from 'vitest';
import { withoutSecret } from '../../../src/carriers/http/redaction.js';
import { countParts, segment } from '../../../src/carriers/sms/segments.js';
import { CodeSeal, maskFor, withCode } from '../../../src/messages/codes/code-seal.js';

describe('what stands in the place of a text', () => {
  it.each([
    '123456',
    'Your code is 123456.',
    `${'€{}'.repeat(60)}1234`,
    `${'a'.repeat(152)}€${'b'.repeat(100)}`,
    'Код для Acme: 123456.',
    `${'😀'.repeat(40)} 123456 ${'Ж'.repeat(60)}`,
    'line\nbreak\r\n"quoted" $& $1 \\n',
  ])('weighs what it weighs and tells nothing of it: %j', (text) => {
    const mask = maskFor(text);
    expect(segment(mask).encoding).toBe(segment(text).encoding);
    expect(segment(mask).parts.map(({ length }) => length)).toEqual(segment(text).parts.map(({ length }) => length));
    expect(countParts(mask)).toBe(countParts(text));
    expect(mask).not.toMatch(/[\p{L}\p{N}\s]/u);
    expect(withCode({ body: mask, content: null }, text).body).toBe(text);
  });
});

describe('what is written down of a carrier that was given a message', () => {
  const text = 'Your code is 4 71 19, or AB12CD.';

  it.each([
    ['rejected: "Your code is 4 71 19, or AB12CD."', '***'],
    ['bad word: code', '***'],
    [Buffer.from(text).toString('hex').slice(0, 40), '***'],
    [Buffer.from(text).toString('base64').padEnd(80, '='), '***'],
    ['x'.repeat(80), '***'],
    ['THROTTLED', 'THROTTLED'],
    ['88', '88'],
  ])('of a whole text hides what may quote it: %s', (said, shown) => {
    expect(withoutSecret(said, text)).toBe(shown);
  });

  it('of a code hides the code alone', () => {
    expect(withoutSecret('code 471190 is bad', '471190')).toBe('code ****** is bad');
    for (const written of [
      '471 190',
      '4 7 1 1 9 0',
      '471-190',
      '4,7,1,1,9,0',
      '471%20190',
      '471&nbsp;190',
      '471\\n190',
      '47\u00a011\u200b90',
    ]) {
      expect(withoutSecret(`code ${written} is bad`, '471190'), written).toBe('code ****** is bad');
    }
    expect(withoutSecret('at 47:11, 905 left', '471190')).toBe('at ******5 left');
    expect(withoutSecret(Buffer.from('471190').toString('hex'), '471190')).toBe('******');
  });
});

describe('a seal', () => {
  it('opens for the verification and under the secrets that it was made for', () => {
    const first = new CodeSeal(['first secret']);
    const { sealed, hash } = first.keep('123456', 'a');
    expect(new CodeSeal(['second secret', 'first secret']).open(sealed, 'a')).toBe('123456');
    expect(first.open(sealed, 'b')).toBeNull();
    expect(new CodeSeal(['second secret']).open(sealed, 'a')).toBeNull();
    expect([first.matches('123456', 'a', hash), first.matches('123457', 'a', hash)]).toEqual([true, false]);
  });
});
