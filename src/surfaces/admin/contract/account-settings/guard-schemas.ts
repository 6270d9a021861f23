import { Type } from '@sinclair/typebox';
import { MEASURES, type Measure, SCOPES, type Scope, SPANS, type Span } from '../../../../accounts/guard/guard.js';
import { Id, Timestamp } from '../../../http/schemas/values.js';
import { RULE } from '../../../http/validation.js';
import { Version } from '../version-schemas.js';

const OneOf = <T extends string>(words: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...words], description, [RULE]: `must be one of ${words.join(', ')}` });

const LIMIT_FIELDS = {
  most: Type.String({
    maxLength: 40,
    description: 'A number of messages, or an amount of money.',
    examples: ['1000', '25.00'],
  }),
  measure: OneOf<Measure>(MEASURES, 'What is counted.'),
  span: OneOf<Span>(SPANS, 'Of the calendar, in UTC.'),
  scope: OneOf<Scope>(SCOPES, 'All together, or each recipient, or each sender ID.'),
};

const GUARD_FIELDS = {
  allowed: Type.Array(Type.String({ maxLength: 20 }), {
    maxItems: 1000,
    description: 'Countries (ISO 3166) and beginnings of numbers with `+`; none: any.',
    examples: [['DE', '+4477']],
  }),
  refusesRisky: Type.Boolean({
    description: 'Numbers at premium rate or shared cost, of satellites and of international networks are refused.',
  }),
};

const Watch = Type.Union(
  [
    Type.Object({
      holdMinutes: Type.Integer({ description: 'For how long numbers are held, 1 to 1440.', examples: [20] }),
      safe: Type.Array(Type.String({ maxLength: 20 }), {
        maxItems: 1000,
        description: 'Beginnings of numbers, with `+`, that are never held.',
      }),
    }),
    Type.Null(),
  ],
  {
    description: 'Of an account alone: what looks like pumping is held. Null: nothing is.',
    [RULE]: 'must hold holdMinutes and safe, or be null',
  },
);

export const GuardBody = Type.Object({
  guard: Type.Union(
    [
      Type.Object({ ...GUARD_FIELDS, limits: Type.Array(Type.Object(LIMIT_FIELDS), { maxItems: 18 }), watch: Watch }),
      Type.Null(),
    ],
    { description: 'Null: no guard.', [RULE]: 'must be a guard, or null for none' },
  ),
});

const Guard = Type.Union(
  [
    Type.Object({
      ...GUARD_FIELDS,
      limits: Type.Array(
        Type.Object({
          ...LIMIT_FIELDS,
          used: Type.Union([Type.String(), Type.Null()], {
            description: 'In the same unit; null of limits of one recipient or sender ID.',
          }),
        }),
      ),
      watch: Watch,
    }),
    Type.Null(),
  ],
  { description: 'Null: none is set.' },
);

export const GuardsData = Type.Object({
  currency: Type.String({ description: 'ISO 4217.', examples: ['USD'] }),
  guard: Guard,
  version: Version,
  keys: Type.Array(Type.Object({ id: Id, name: Type.String(), guard: Guard, version: Version }), {
    description: 'Keys and apps that are not revoked.',
  }),
  holds: Type.Array(
    Type.Object({
      id: Id,
      prefix: Type.String({ description: 'With which the numbers begin.', examples: ['+4477009'] }),
      reason: OneOf<string>(
        ['codes', 'receipts', 'country'],
        'Codes are not checked, messages fail, or a country goes too fast.',
      ),
      messages: Type.Integer({ description: 'How many there were for it.' }),
      heldAt: Timestamp,
      until: Timestamp,
    }),
    { description: 'What is held now.' },
  ),
});

export const HoldPath = Type.Object({ accountId: Type.String(), holdId: Type.String() });
