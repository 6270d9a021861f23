import { queryOptions } from '@tanstack/react-query';
import { type Body, call, type Data } from '../client/call.js';

export type ContactField = Data<'GET /accounts/:accountId/contact-fields'>[number];
export type NewContactField = Body<'POST /accounts/:accountId/contact-fields'>;
export type ContactFieldChange = Body<'PUT /accounts/:accountId/contact-fields/:key'>;

export const contactFieldsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['contact-fields', accountId],
    queryFn: ({ signal }) => call('GET /accounts/:accountId/contact-fields', { params: { accountId }, signal }),
  });

export const createContactField = (accountId: string, body: NewContactField) =>
  call('POST /accounts/:accountId/contact-fields', { params: { accountId }, body });

export const updateContactField = (accountId: string, key: string, body: ContactFieldChange) =>
  call('PUT /accounts/:accountId/contact-fields/:key', { params: { accountId, key }, body });

export const deleteContactField = (accountId: string, key: string) =>
  call('DELETE /accounts/:accountId/contact-fields/:key', { params: { accountId, key } });

export const contactTagsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['contact-tags', accountId],
    queryFn: async ({ signal }) =>
      (await call('GET /accounts/:accountId/contact-tags', { params: { accountId }, signal })).map(({ name }) => name),
  });
