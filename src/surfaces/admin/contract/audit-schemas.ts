import { Type } from '@sinclair/typebox';
import { TIMESTAMP_RULE } from '../../../platform/timestamps.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';

const ChangedFields = Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()]);

export const AuditEntry = Type.Object({
  id: Id,
  at: Timestamp,
  actor: Type.Object({
    kind: Type.Unsafe<'operator' | 'cli' | 'system'>({ type: 'string', enum: ['operator', 'cli', 'system'] }),
    id: Type.Union([Id, Type.Null()], { description: 'ID of the operator.' }),
    name: Type.String({ description: 'Name of the operator, or of the user who ran a command.', examples: ['ada'] }),
    address: Type.Union([Type.String(), Type.Null()], { description: 'IP address, if known.' }),
  }),
  action: Type.String({ description: '`resource.verb`.', examples: ['app.create'] }),
  accountId: Type.Union([Id, Type.Null()], { description: 'Null if it concerns the whole installation.' }),
  subject: Type.String({ description: 'ID or name of the changed resource.' }),
  before: ChangedFields,
  after: ChangedFields,
  names: Type.Record(Type.String(), Type.String(), {
    description:
      'Current names of the accounts, operators, apps, API keys and channels whose IDs appear in the entry, by ID.',
  }),
});

const Text = (description: string) => Type.Optional(Type.String({ maxLength: 100, description }));
const Time = (description: string) => Type.Optional(Type.String({ description, [RULE]: TIMESTAMP_RULE }));

export const AUDIT_FILTERS = {
  actor: Text('Part of the name of the person who made the change, in upper or lower case.'),
  action: Text('The action or its start: `app` matches `app.create`.'),
  subject: Text('ID or name of the changed resource.'),
  from: Time('At or after this time; ISO 8601.'),
  to: Time('Before this time; ISO 8601.'),
};
