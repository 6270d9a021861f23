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
  it.each(['Acme', 'Müller & Söhne', 'アクメ', 'Acme ❤️', "Joe's"])('accepts %s', (name) => {
    expect(isName(name)).toBe(true);
  });

  it.each(INVISIBLE.map((each) => [`U+${each.codePointAt(0)?.toString(16)}`, each]))(
    'rejects a name that contains %s',
    (_, each) => {
      for (const name of [`Acme${each}`, `${each}Acme`, `Ac${each}me`, each]) expect(isName(name)).toBe(false);
    },
  );

  it('removes invisible characters that an earlier version accepted', () => {
    expect(buildCodeText({ appName: 'Ac\u202eme\u2028' }, '123456')).toBe(buildCodeText({ appName: 'Acme' }, '123456'));
  });
});
