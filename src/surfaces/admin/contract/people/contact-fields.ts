import { Type } from '@sinclair/typebox';
import { PathId } from '../../../http/ids.js';
import { ContactFieldData, CreateFieldBody, UpdateFieldBody } from '../../../resources/people/contact-fields.js';
import { DoneData } from '../../answers.js';
import type { Contract } from '../contract.js';

const AccountPath = Type.Object({ accountId: PathId });
const FieldPath = Type.Object({ accountId: PathId, key: Type.String() });
const TagPath = Type.Object({ accountId: PathId, tag: Type.String() });

export const CONTACT_FIELDS = {
  'GET /accounts/:accountId/contact-fields': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleListContactFields',
    summary: 'List the contact fields of the account, oldest first',
    params: AccountPath,
    data: Type.Array(ContactFieldData),
  },
  'POST /accounts/:accountId/contact-fields': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleCreateContactField',
    summary: 'Define a contact field',
    params: AccountPath,
    body: CreateFieldBody,
    data: ContactFieldData,
    errors: [409],
  },
  'PUT /accounts/:accountId/contact-fields/:key': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleUpdateContactField',
    summary: 'Change the label or the choices of a contact field',
    params: FieldPath,
    body: UpdateFieldBody,
    data: ContactFieldData,
  },
  'DELETE /accounts/:accountId/contact-fields/:key': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleDeleteContactField',
    summary: 'Delete a contact field; its values are deleted in the background',
    description: '409 if an audience uses the field.',
    params: FieldPath,
    data: DoneData,
    errors: [409],
  },
  'GET /accounts/:accountId/contact-tags': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleListContactTags',
    summary: 'List the tags of the account in alphabetical order',
    params: AccountPath,
    data: Type.Array(Type.Object({ name: Type.String() })),
  },
  'DELETE /accounts/:accountId/contact-tags/:tag': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleDeleteContactTag',
    summary: 'Delete a tag that no contact has',
    params: TagPath,
    data: DoneData,
    errors: [409],
  },
} satisfies Contract;
