import { Type } from '@sinclair/typebox';
import { TIMESTAMP_RULE } from '../../../platform/timestamps.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';

const Changed = Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()]);

export const AuditEntry = Type.Object({
  id: Id,
  at: Timestamp,
  actor: Type.Object({
    kind: Type.Unsafe<'operator' | 'cli' | 'system'>({ type: 'string', enum: ['operator', 'cli', 'system'] }),
    id: Type.Union([Id, Type.Null()], { description: "The operator's id." }),
    name: Type.String({ description: 'Of the operator, or of the user who ran a command.', examples: ['ada'] }),
    address: Type.Union([Type.String(), Type.Null()], { description: 'From where, as far as it is known.' }),
  }),
  action: Type.String({ description: '`thing.verb`.', examples: ['app.create'] }),
  accountId: Type.Union([Id, Type.Null()], { description: 'Null: it concerns the whole installation.' }),
  subject: Type.String({ description: 'Id or name of what was changed.' }),
  before: Changed,
  after: Changed,
  names: Type.Record(Type.String(), Type.String(), {
    description:
      'What the accounts, operators, apps, API keys and channels are called now whose ids the line holds, by id.',
  }),
});

const Text = (description: string) => Type.Optional(Type.String({ maxLength: 100, description }));
const Time = (description: string) => Type.Optional(Type.String({ description, [RULE]: TIMESTAMP_RULE }));

export const AUDIT_FILTERS = {
  actor: Text('A part of the name of who made the change, in any case.'),
  action: Text('The action, or its beginning: `app` finds `app.create`.'),
  subject: Text('Id or name of what was changed.'),
  from: Time('Not before; ISO 8601.'),
  to: Time('Before; ISO 8601.'),
};
