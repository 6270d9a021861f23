import { describe, expect, it } from 'vitest';
import { APP_NAME_PATTERN, buildCodeText } from '../../../src/features/verifications/texts.js';

const isName = (name: string) => new RegExp(APP_NAME_PATTERN, 'u').test(name);
const INVISIBLE = [
  '\u202e',
  '\u2028',
  '\u2029',
  '\u200b',
  '\u200d',
  '\u2066',
  '\u00ad',
  '\ufeff',
  '\u3164',
  '\u0007',
  '\n',
  '\u{e0041}',
];

describe('the app name in a sign-in text', () => {
  it.each(['Acme', 'Müller & Söhne', 'アクメ', 'Acme ❤️', "Joe's"])(
    'the app name in a sign-in text accepts %s',
    (name) => {
      expect(isName(name)).toBe(true);
    },
  );

  it.each(INVISIBLE.map((character) => [`U+${character.codePointAt(0)?.toString(16)}`, character]))(
    'the app name in a sign-in text rejects a name that contains %s',
    (_, character) => {
      for (const name of [`Acme${character}`, `${character}Acme`, `Ac${character}me`, character])
        expect(isName(name)).toBe(false);
    },
  );

  it('the app name in a sign-in text removes invisible characters that an earlier version accepted', () => {
    expect(buildCodeText({ appName: 'Ac\u202eme\u2028' }, '123456')).toBe(buildCodeText({ appName: 'Acme' }, '123456'));
  });
});
