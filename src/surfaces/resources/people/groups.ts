import { Type } from '@sinclair/typebox';
import type { Group } from '../../../features/contacts/groups/groups.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';
import { nameSchema } from '../names.js';

export const GroupName = nameSchema(200, 'Customers');
export const GroupDescription = Type.String({
  maxLength: 1000,
  examples: ['Everybody who has bought'],
  [RULE]: 'must be a string of at most 1000 characters',
});

export const GroupData = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String({ description: 'Empty if not set.' }),
  contactCount: Type.Integer(),
  createdAt: Timestamp,
});

export const MembersData = Type.Object({
  changed: Type.Integer({ description: 'Contacts that were added or removed.' }),
  unchanged: Type.Integer({
    description: 'Contacts that already were members (when adding) or were not members (when removing).',
  }),
});

export function groupRecord({ id, name, description, contactCount, createdAt }: Group) {
  return { id, name, description, contactCount, createdAt: createdAt.toISOString() };
}
