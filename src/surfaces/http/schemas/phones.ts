import { Type } from '@sinclair/typebox';
import { INTERNATIONAL, REGIONS, WRITTEN_PHONE_RULE } from '../../../carriers/numbers/written-numbers.js';
import { RULE, WRITTEN_PHONE } from '../validation.js';

/**
 * A phone number as people write it: any usual form with a plus sign, or digits only. The handler receives digits. Fields of the
 * contract accept only digits and do not use this schema.
 */
export const WrittenPhone = (description: string) =>
  Type.String({
    description: `${description} Any usual form with a plus sign, or digits with country code.`,
    maxLength: 60,
    examples: ['+1 500 555 0111'],
    [WRITTEN_PHONE]: true,
    [RULE]: WRITTEN_PHONE_RULE,
  });

/** How an import reads numbers without a plus sign. */
export const NumbersCountry = Type.Unsafe<string>({
  type: 'string',
  enum: [INTERNATIONAL, ...REGIONS],
  description:
    `How to read numbers without a plus sign: as numbers of the country with this ISO code, or \`${INTERNATIONAL}\` if they start ` +
    'with their country code.',
  examples: ['US'],
  [RULE]: `must be the ISO code of a country, such as US, or ${INTERNATIONAL}`,
});
