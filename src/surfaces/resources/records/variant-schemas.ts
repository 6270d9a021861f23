import { Type } from '@sinclair/typebox';
import {
  CRITERIA,
  type Criterion,
  MAX_VARIANTS,
  type WinnerReason,
} from '../../../features/campaigns/variants/variants.js';
import { NullableText, NullableTimestamp } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';
import { LanguageCode, TemplateComponents, TemplateName } from './templates.js';

const MAX_TEST_DAYS = 7;

const Share = (maximum: number, description: string) =>
  Type.Integer({
    minimum: 1,
    maximum,
    description,
    examples: [50],
    [RULE]: `must be a whole number from 1 to ${maximum}`,
  });

const FurtherVariant = Type.Object(
  {
    templateName: Type.Optional({ ...TemplateName, description: 'Required on WhatsApp channels.' }),
    language: Type.Optional({ ...LanguageCode, description: 'Required on WhatsApp channels.' }),
    text: Type.Optional(
      Type.String({
        description: 'Required on SMS channels. Gets the opt-out line of the campaign.',
        examples: ['Our spring sale starts today.'],
        [RULE]: 'must be a text',
      }),
    ),
    components: Type.Optional(TemplateComponents),
    share: Share(99, 'In percent of the members who get a variant.'),
  },
  { [RULE]: 'must be an object with share, and either templateName and language, or text' },
);

export const FurtherVariants = Type.Array(FurtherVariant, {
  maxItems: MAX_VARIANTS - 1,
  description:
    'Variants B, C and D for an A/B campaign. The message of the campaign itself is variant A and gets the remaining share. Members are assigned at random.',
  [RULE]: `must be an array of at most ${MAX_VARIANTS - 1} variants`,
});

const CriterionSchema = Type.Unsafe<Criterion>({
  type: 'string',
  enum: [...CRITERIA],
  description: 'The variant with the highest share of these messages wins.',
  examples: ['read'],
  [RULE]: `must be one of ${CRITERIA.join(', ')}`,
});

const VariantTestFields = Type.Object({
  share: Share(90, 'Percentage of the members who take part in the test. The other members get the winner.'),
  criterion: CriterionSchema,
  minutes: Type.Integer({
    minimum: 1,
    maximum: MAX_TEST_DAYS * 24 * 60,
    description: 'From the last message of the test to the choice of the winner.',
    examples: [240],
    [RULE]: `must be a whole number of minutes from 1 to ${MAX_TEST_DAYS * 24 * 60}`,
  }),
});

export const VariantTestBody = Type.Object(VariantTestFields.properties, {
  description: 'Sends the variants to some of the members first, and then the winner to all others.',
  [RULE]: 'must be an object with share, criterion and minutes',
});

const VariantName = Type.Unsafe<string>({ type: 'string', enum: ['A', 'B', 'C', 'D'], examples: ['A'] });

export const NullableVariantName = Type.Union([VariantName, Type.Null()], {
  description: 'Null for a campaign without variants.',
});

export const VARIANT_FIELDS = {
  variants: Type.Array(
    Type.Object({
      variant: VariantName,
      share: Type.Integer(),
      templateName: NullableText,
      language: NullableText,
      text: NullableText,
    }),
    { description: 'From A. Empty for a campaign without variants.' },
  ),
  test: Type.Union([VariantTestFields, Type.Null()]),
  testEndsAt: {
    ...NullableTimestamp,
    description: 'When the winner of the test is chosen. Null until every message of the test is created.',
  },
  winner: Type.Union([VariantName, Type.Null()], { description: 'Null until the test has ended.' }),
  winnerReason: Type.Union(
    [
      Type.Unsafe<WinnerReason>({ type: 'string', enum: ['most', 'tie', 'no_events'], examples: ['most'] }),
      Type.Null(),
    ],
    {
      description:
        '`most`: the winner has the highest share. `tie`: several variants have the highest share, so A wins. `no_events`: no variant has any such message, so A wins.',
    },
  ),
};
