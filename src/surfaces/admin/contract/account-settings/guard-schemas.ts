import { Type } from '@sinclair/typebox';
import { MEASURES, type Measure, SCOPES, type Scope, SPANS, type Span } from '../../../../accounts/guard/guard.js';
import { Id, Timestamp } from '../../../http/schemas/values.js';
import { RULE } from '../../../http/validation.js';
import { Version } from '../version-schemas.js';

const Choice = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], description, [RULE]: `must be one of ${values.join(', ')}` });

const LIMIT_FIELDS = {
  most: Type.String({
    maxLength: 40,
    description: 'A number of messages, or an amount of money.',
    examples: ['1000', '25.00'],
  }),
  measure: Choice<Measure>(MEASURES, 'What is limited.'),
  span: Choice<Span>(SPANS, 'A calendar period in UTC.'),
  scope: Choice<Scope>(
    SCOPES,
    'Whether the limit applies to all messages together, to each recipient, or to each sender ID.',
  ),
};

const GUARD_FIELDS = {
  allowed: Type.Array(Type.String({ maxLength: 20 }), {
    maxItems: 1000,
    description: 'Allowed countries (ISO 3166) and number prefixes with `+`; empty allows all.',
    examples: [['DE', '+4477']],
  }),
  refusesRisky: Type.Boolean({
    description: 'Refuse premium-rate, shared-cost, satellite and international network numbers.',
  }),
};

const Watch = Type.Union(
  [
    Type.Object({
      holdMinutes: Type.Integer({ description: 'How long numbers are held, 1 to 1440 minutes.', examples: [20] }),
      safe: Type.Array(Type.String({ maxLength: 20 }), {
        maxItems: 1000,
        description: 'Number prefixes, with `+`, that are never held.',
      }),
    }),
    Type.Null(),
  ],
  {
    description: 'Only for accounts: holds messages that look like SMS pumping. Null turns it off.',
    [RULE]: 'must have holdMinutes and safe, or be null',
  },
);

export const GuardBody = Type.Object({
  guard: Type.Union(
    [
      Type.Object({ ...GUARD_FIELDS, limits: Type.Array(Type.Object(LIMIT_FIELDS), { maxItems: 18 }), watch: Watch }),
      Type.Null(),
    ],
    { description: 'Null removes the guard.', [RULE]: 'must be a guard, or null for none' },
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
            description: 'Used amount in the unit of the limit; null for limits per recipient or sender ID.',
          }),
        }),
      ),
      watch: Watch,
    }),
    Type.Null(),
  ],
  { description: 'Null if no guard is set.' },
);

export const GuardsData = Type.Object({
  currency: Type.String({ description: 'ISO 4217.', examples: ['USD'] }),
  guard: Guard,
  version: Version,
  keys: Type.Array(Type.Object({ id: Id, name: Type.String(), guard: Guard, version: Version }), {
    description: 'Active keys and apps.',
  }),
  holds: Type.Array(
    Type.Object({
      id: Id,
      prefix: Type.String({ description: 'Messages to numbers with this prefix are held.', examples: ['+4477009'] }),
      reason: Choice<string>(
        ['codes', 'receipts', 'country'],
        'Nobody enters the codes that are sent, messages fail, or traffic to a country grows too fast.',
      ),
      messages: Type.Integer({ description: 'Number of messages that caused the hold.' }),
      heldAt: Timestamp,
      until: Timestamp,
    }),
    { description: 'Current holds.' },
  ),
});

export const HoldPath = Type.Object({ accountId: Type.String(), holdId: Type.String() });
