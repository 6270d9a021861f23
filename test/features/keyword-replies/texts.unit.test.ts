import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { segment } from '../../../src/carriers/sms/segments.js';
import {
  DEFAULT_ACCOUNT_REPLIES,
  DEFAULT_CHANNEL_REPLIES,
  resolveTexts,
  sendsReplies,
} from '../../../src/features/keyword-replies/settings.js';
import { buildDefaultTexts, REPLY_LANGUAGES } from '../../../src/features/keyword-replies/texts.js';
import { KEYWORD_MEANINGS, readKeyword } from '../../../src/features/opt-outs/message-keyword.js';

const ACME = { name: 'Acme', contact: 'help@acme.example' };
const base = {
  accountName: 'Account',
  account: DEFAULT_ACCOUNT_REPLIES,
  channel: DEFAULT_CHANNEL_REPLIES,
  isCarrierReplying: false,
};

describe('texts of replies to keywords', () => {
  it.each(REPLY_LANGUAGES)('the default texts in %s name the sender, the help contact and how to stop', (language) => {
    const texts = buildDefaultTexts(language, ACME);
    const { stop, ...others } = buildDefaultTexts(language, ACME, true);
    expect(others).toEqual({ start: texts.start, help: texts.help });
    expect(stop).not.toBe(texts.stop);
    expect(segment(stop)).toMatchObject({ encoding: 'gsm7', parts: { length: 1 } });
    for (const meaning of KEYWORD_MEANINGS) {
      expect(texts[meaning]).toContain('Acme');
      expect(texts[meaning]).toContain('help@acme.example');
      expect(texts[meaning]).toContain(meaning === 'stop' ? 'START' : 'STOP');
      expect(segment(texts[meaning]).encoding).toBe('gsm7');
      expect(segment(texts[meaning]).parts).toHaveLength(1);
    }
  });

  it('a default text is never a keyword for another server, whatever the name and the contact are', () => {
    const words = fc.oneof(
      fc.constantFrom('', 'STOP', 'HELP', 'start', 'S.T.O.P.', '!'),
      fc.string({ unit: 'grapheme' }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...REPLY_LANGUAGES, 'unknown'), words, words, (language, name, contact) => {
        for (const text of Object.values(buildDefaultTexts(language, { name, contact }))) {
          const keyword = readKeyword({ kind: 'sms', type: 'text', body: text });
          expect(keyword === null || (keyword.meaning === null && !keyword.isHelp)).toBe(true);
        }
      }),
    );
  });

  it("a channel's settings replace the account's, and own texts replace the default texts", () => {
    const account = { ...DEFAULT_ACCOUNT_REPLIES, contact: '1500', texts: { help: 'Ours' } };
    const channel = { ...DEFAULT_CHANNEL_REPLIES, name: 'Shop', texts: { start: 'Hello again' } };
    const texts = resolveTexts({ ...base, account, channel });
    expect(texts).toEqual({ help: 'Ours', start: 'Hello again', stop: expect.stringMatching(/^Shop: .*Help: 1500\./) });
    expect(resolveTexts(base).stop).toMatch(/^Account: /);
  });

  it.each([
    [false, null, false, false],
    [false, true, false, false],
    [true, null, false, true],
    [true, null, true, false],
    [true, true, true, true],
    [true, false, false, false],
  ])(
    'with replies %s in the account and %s in the channel, and a carrier that replies itself: %s, a reply is sent: %s',
    (isOn, channelIsOn, isCarrierReplying, sends) => {
      const account = { ...DEFAULT_ACCOUNT_REPLIES, isOn };
      const channel = { ...DEFAULT_CHANNEL_REPLIES, isOn: channelIsOn };
      expect(sendsReplies({ ...base, account, channel, isCarrierReplying })).toBe(sends);
    },
  );
});
