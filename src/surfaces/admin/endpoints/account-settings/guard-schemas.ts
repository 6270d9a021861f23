import { Type } from '@sinclair/typebox';
import { MEASURES, type Measure, SCOPES, type Scope, SPANS, type Span } from '../../../../accounts/guard/guard.js';
import { Id } from '../../../http/schemas/values.js';
import { RULE } from '../../../http/validation.js';

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

export const GuardBody = Type.Object({
  guard: Type.Union(
    [Type.Object({ ...GUARD_FIELDS, limits: Type.Array(Type.Object(LIMIT_FIELDS), { maxItems: 18 }) }), Type.Null()],
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
    }),
    Type.Null(),
  ],
  { description: 'Null: none is set.' },
);

export const GuardsData = Type.Object({
  currency: Type.String({ description: 'ISO 4217.', examples: ['USD'] }),
  guard: Guard,
  keys: Type.Array(Type.Object({ id: Id, name: Type.String(), guard: Guard }), {
    description: 'Keys and apps that are not revoked.',
  }),
});
