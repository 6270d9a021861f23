import { Type } from '@sinclair/typebox';
import { INTERNATIONAL, REGIONS, WRITTEN_PHONE_RULE } from '../../../carriers/numbers/written-numbers.js';
import { RULE, WRITTEN_PHONE } from '../validation.js';

/**
 * A phone number that a person writes: in any usual form with a plus sign, or digits alone. Whoever handles the request gets
 * its digits. The contract's own fields take digits only and are not of this kind.
 */
export const WrittenPhone = (description: string) =>
  Type.String({
    description: `${description} In any usual form with a plus sign, or digits with country code.`,
    maxLength: 60,
    examples: ['+1 500 555 0111'],
    [WRITTEN_PHONE]: true,
    [RULE]: WRITTEN_PHONE_RULE,
  });

/** How the numbers of an import are read that have no plus sign. */
export const NumbersCountry = Type.Unsafe<string>({
  type: 'string',
  enum: [INTERNATIONAL, ...REGIONS],
  description:
    `How numbers without a plus sign are read: by the country with this ISO code, or as \`${INTERNATIONAL}\`: they begin with ` +
    'their country code.',
  examples: ['US'],
  [RULE]: `must be the ISO code of a country, such as US, or ${INTERNATIONAL}`,
});
