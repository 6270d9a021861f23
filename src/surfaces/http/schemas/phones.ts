import { Type } from '@sinclair/typebox';
import { INTERNATIONAL, REGIONS, WRITTEN_PHONE_RULE } from '../../../carriers/numbers/written-numbers.js';
import { RULE, WRITTEN_PHONE } from '../validation.js';

/**
 * Phone number in any common format with a plus sign, or only digits. Fields of the contract accept only digits, so they must
 * not use this schema.
 */
export const WrittenPhone = (description: string) =>
  Type.String({
    description: `${description} Any usual form with a plus sign, or digits with country code.`,
    maxLength: 60,
    examples: ['+1 500 555 0111'],
    [WRITTEN_PHONE]: true,
    [RULE]: WRITTEN_PHONE_RULE,
  });

export const NumbersCountry = Type.Unsafe<string>({
  type: 'string',
  enum: [INTERNATIONAL, ...REGIONS],
  description:
    `How to read numbers without a plus sign: as numbers of the country with this ISO code, or \`${INTERNATIONAL}\` if they start ` +
    'with their country code.',
  examples: ['US'],
  [RULE]: `must be the ISO code of a country, such as US, or ${INTERNATIONAL}`,
});
