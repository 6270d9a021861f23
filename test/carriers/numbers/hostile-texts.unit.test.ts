import { describe, expect, it } from 'vitest';
import {
  canBeginNumber,
  explainPhoneRule,
  findCallingCode,
  isPhoneNumber,
  parsePhoneNumber,
  suggestDigits,
} from '../../../src/carriers/numbers/phone-numbers.js';
import {
  extractDigits,
  findRegion,
  lacksPlus,
  readWrittenNumber,
} from '../../../src/carriers/numbers/written-numbers.js';

/** Text length for which a linear algorithm needs milliseconds, and a quadratic algorithm many seconds. */
const LENGTH = 128 * 1024;

const READERS: Record<string, (text: string) => unknown> = {
  findCallingCode,
  isPhoneNumber: (text) => isPhoneNumber(text, 'possible'),
  mayBeginNumber: canBeginNumber,
  parsePhoneNumber: (text) => parsePhoneNumber(text, 'possible'),
  phoneRule: explainPhoneRule,
  suggestDigits,
  extractDigits,
  lacksPlus,
  readWrittenNumber: (text) =>
    ['US', 'international', 'digits', null].map((country) => readWrittenNumber(text, country)),
  findRegion,
};

describe('a very long text', () => {
  it.each(Object.keys(READERS))('a very long text is rejected quickly by %s', (name) => {
    for (const prefix of ['', '+', '+1', '00', '(0)', '+1415']) {
      for (const pump of ['-', ' ', '1', '0', '+', '1-', '(0)', ' 1', '.', 'x', '\u200b', 'tel:']) {
        READERS[name]?.(`${prefix}${pump.repeat(LENGTH / pump.length)}x`);
      }
    }
    expect(suggestDigits('+1 (415) 555-2671')).toBe('14155552671');
  });
});

describe('the error text for an invalid number', () => {
  it.each([
    ['+1 (415) 555-2671', /write 14155552671, digits only/],
    ['+14155552671', /write 14155552671, digits only/],
    ['415-55', /write it as digits only/],
    ['41', /calling code$/],
    ['+-', /calling code$/],
    ['+1 415 555 26x', /calling code$/],
  ])('the error text for the invalid number %s suggests how to write it, if it is a number', (text, rule) => {
    expect(explainPhoneRule(text)).toMatch(rule);
  });
});
