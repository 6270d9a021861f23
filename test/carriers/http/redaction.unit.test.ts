import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRedactor } from '../../../src/carriers/http/redaction.js';

it('a secret is removed in every encoding used in URLs, forms and JSON', () => {
  // The § marks ensure that the secret occurs nowhere else in the tested texts.
  const secret = fc.string({ unit: 'grapheme', minLength: 8, maxLength: 40 }).map((text) => `§${text}§`);
  fc.assert(
    fc.property(secret, (text) => {
      const address = new URL('https://example.com/');
      address.searchParams.set('q', text);
      const encodedTexts = [
        text,
        address.href,
        `https://example.com/${encodeURIComponent(text)}/messages`,
        new URLSearchParams({ a: text }).toString(),
        JSON.stringify({ a: [text] }),
      ];
      const [plain, inQuery, inPath, inForm, inJson] = encodedTexts.map(createRedactor([text]));
      expect([plain, inPath, inForm, inJson]).toEqual([
        '***',
        'https://example.com/***/messages',
        'a=***',
        '{"a":["***"]}',
      ]);
      expect(inQuery).toBe('https://example.com/?q=***');
    }),
  );
});

it.each([
  ['https://example.com/?access_token=abc&to=4479', 'https://example.com/?access_token=***&to=4479'],
  ['https://example.com/?to=4479&api-key=abc#x', 'https://example.com/?to=4479&api-key=***#x'],
  ['https://example.com/?key=abc', 'https://example.com/?key=***'],
  ['https://bob:abc@example.com/', 'https://***@example.com/'],
  ['username=bob&password=abc&text=hi', 'username=bob&password=***&text=hi'],
  ['{"client_secret": "a\\"bc", "text":"hi"}', '{"client_secret": "***", "text":"hi"}'],
  ['{"text":"hi","accessToken":"abc… (9 characters more)', '{"text":"hi","accessToken":"***'],
  ['{"key":"orderKey","text":"my password is none"}', '{"key":"orderKey","text":"my password is none"}'],
])('values of secret fields are removed in %s', (text, redacted) => {
  expect(createRedactor([])(text)).toBe(redacted);
});

it('empty and very short secrets are not searched for', () => {
  expect(createRedactor(['', 'a', 'abc'])('abacus abc')).toBe('abacus abc');
});
