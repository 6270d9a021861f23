import { diffForAudit } from '../../../../accounts/audit/diff.js';
import { deleteUnusedField } from '../../../../features/audiences/delete-used.js';
import { lockField, type StoredField } from '../../../../features/contacts/custom/field-store.js';
import { createField, listFields, updateField } from '../../../../features/contacts/custom/fields.js';
import { deleteTag, listTags } from '../../../../features/contacts/custom/tags.js';
import type { Clock } from '../../../../platform/clock.js';
import { notFound } from '../../../../platform/errors/app-error.js';
import { requireFound } from '../../../http/ids.js';
import type { UseCaseOptions } from '../../../http/use-case-options.js';
import { toFieldRecord } from '../../../resources/people/contact-fields.js';
import { done, ok } from '../../answers.js';
import { CONTACT_FIELDS } from '../../contract/people/contact-fields.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { requestAccount } from '../../session-auth.js';

export type ContactFieldEndpointOptions = UseCaseOptions<typeof listFields | typeof listTags> & { clock: Clock };

export const contactFieldEndpoints: Endpoints<ContactFieldEndpointOptions> = async (app, options) => {
  const route = registerRoutes(app, CONTACT_FIELDS);
  const { clock } = options;

  route('GET /accounts/:accountId/contact-fields', async (request) =>
    ok((await listFields(options, requestAccount(request).id)).map(toFieldRecord)),
  );

  route('POST /accounts/:accountId/contact-fields', async (request) => {
    const { key, label, type, choices } = request.body;
    const accountId = requestAccount(request).id;
    return request.change(async ({ client }) => {
      const field = await createField({ pool: client }, accountId, { key, label, type, choices }, clock.now());
      const after = { ...auditedFields(field), type };
      return { result: ok(toFieldRecord(field)), audit: { action: 'contact-field.create', subject: key, after } };
    });
  });

  route('PUT /accounts/:accountId/contact-fields/:key', async (request) => {
    const { label, choices } = request.body;
    const { key } = request.params;
    const accountId = requestAccount(request).id;
    return request.change(async ({ client }) => {
      const before = requireFound(await lockField(client, accountId, key), 'field');
      const change = { label, choices, at: clock.now() };
      const after = requireFound(await updateField({ pool: client }, accountId, key, change), 'field');
      const auditEntry = diffForAudit('contact-field.update', key, auditedFields(before), auditedFields(after));
      return { result: ok(toFieldRecord(after)), audit: auditEntry };
    });
  });

  route('DELETE /accounts/:accountId/contact-fields/:key', async (request) => {
    const { key } = request.params;
    const accountId = requestAccount(request).id;
    return request.change(async ({ client }) => {
      const field = requireFound(await lockField(client, accountId, key), 'field');
      await deleteUnusedField({ pool: client }, accountId, key, clock.now());
      const before = { ...auditedFields(field), type: field.type };
      return { result: done(), audit: { action: 'contact-field.delete', subject: key, before } };
    });
  });

  route('GET /accounts/:accountId/contact-tags', async (request) =>
    ok((await listTags(options, requestAccount(request).id)).map((name) => ({ name }))),
  );

  route('DELETE /accounts/:accountId/contact-tags/:tag', async (request) => {
    const { tag } = request.params;
    const accountId = requestAccount(request).id;
    return request.change(async ({ client }) => {
      if (!(await deleteTag({ pool: client }, accountId, tag))) throw notFound('tag');
      return { result: done(), audit: { action: 'contact-tag.delete', subject: tag } };
    });
  });
};

function auditedFields({ label, choices }: StoredField) {
  return { label, choices: [...choices] };
}
