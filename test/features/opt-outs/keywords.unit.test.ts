import { describe, expect, it } from 'vitest';
import { getCommonMeaning, normalizeKeyword, toKeyword } from '../../../src/features/opt-outs/keywords.js';

const readMeaning = (text: string) => getCommonMeaning(toKeyword(text) ?? '');

describe('opt-out keywords', () => {
  it.each(['STOP', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'STOPALL', 'REVOKE', 'OPTOUT'])(
    'the keyword %s opts out',
    (word) => {
      for (const text of [
        word,
        word.toLowerCase(),
        ` ${word}\n`,
        `${word}.`,
        `"${word}"!!!`,
        `¡${word}!`,
        `(${word})`,
      ]) {
        expect(readMeaning(text), text).toBe('stop');
      }
    },
  );

  it.each([
    'S.T.O.P',
    'opt-out',
    'Opt_Out',
    'stop\u200b',
    '\u2066STOP\u2069',
    'ＳＴＯＰ',
    '\tstop\u00a0',
    'un-subscribe',
    '~STOP~',
    '`STOP`',
    '```stop```',
    'STOP+',
    '<stop>',
    '=STOP=',
    'S$TOP',
    '\u00b4STOP\u00b4',
    '^stop^',
    '\uff40STOP\uff40',
    'STOP\ufe0f',
    'STOP \u270b\ufe0f',
    'stop 👍',
    'stop 👍🏽',
    '🛑 Stop! 🛑',
    'S\u20ddT\u20ddO\u20ddP\u20dd',
    'ⓈⓉⓄⓅ',
    'st\u034fop',
    'opt out',
    'Opt Out.',
    'OPT - OUT',
    'STOP ALL',
    'Stop  all!',
    'un subscribe',
  ])('%j opts out despite punctuation, symbols, spaces or invisible characters', (text) =>
    expect(readMeaning(text)).toBe('stop'),
  );
});

describe('opt-in keywords', () => {
  it.each(['START', 'start.', 'Unstop', ' START! '])('the keyword %s opts in', (text) =>
    expect(readMeaning(text)).toBe('start'),
  );
});

describe('texts that only contain or resemble a keyword', () => {
  it.each([
    'please stop',
    'STOP it',
    "Don't stop",
    'stop stop',
    'stopp',
    'STOPS',
    'nonstop',
    'the end',
    'End of story.',
    'opt out of this',
    'stop all of it',
    'bus-stop',
    'restart',
    'START now',
    'STÓP',
    'ЅТОР',
    'stop 1\ufe0f\u20e3',
    'STO\u0301P',
    'stop\u0323',
    '$top',
    '',
    '...',
    '👍',
    '\u200b',
    `stop${'!'.repeat(1000)}`,
    `${'x'.repeat(1e5)} stop`,
  ])('the text %j means nothing', (text) => expect(readMeaning(text)).toBeNull());
});

describe('normalizeKeyword', () => {
  it.each([
    ['  Arrêt !', 'arrêt'],
    ['arre\u0302t', 'arrêt'],
    ['~arre\u0302t~', 'arrêt'],
    ['arre\u200b\u0302t', 'arrêt'],
    ['`ARRÊT` 🛑', 'arrêt'],
    ['बंद करो', 'बंद करो'],
    ['รหัสหยุด 👍', 'รหัสหยุด'],
    ['توقّف', 'توقّف'],
    ['İPTAL', 'iptal'],
    ['iptal', 'iptal'],
    ['ıptal', 'iptal'],
    ['STRASSE', 'strasse'],
    ['Straße', 'strasse'],
    ['No  more\nmessages', 'no more messages'],
    ['СТОП.', 'стоп'],
    ['退订。', '退订'],
    ['توقف', 'توقف'],
  ])('a keyword %j is normalized to %j, and does not change after that', (text, form) => {
    expect(normalizeKeyword(text)).toBe(form);
    expect(normalizeKeyword(form)).toBe(form);
  });
});

describe('labels of buttons and list entries', () => {
  const readTappedMeaning = (text: string) => getCommonMeaning(toKeyword(text) ?? '', { tapped: true });

  it.each(['STOP', 'StopAll!', 'Unsubscribe', 'Opt-out'])('the label %s opts out', (text) =>
    expect(readTappedMeaning(text)).toBe('stop'),
  );
  it.each(['Start', 'Unstop'])('the label %s opts in', (text) => expect(readTappedMeaning(text)).toBe('start'));
  it.each(['Cancel', 'End', 'Quit', 'Revoke'])('the label %s means nothing', (text) =>
    expect(readTappedMeaning(text)).toBeNull(),
  );
});
