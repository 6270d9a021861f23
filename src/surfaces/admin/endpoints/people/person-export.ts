import { Type } from '@sinclair/typebox';
import { readContact } from '../../../../features/contacts/change.js';
import { countExportedRows, exportPerson } from '../../../../features/person-export/export.js';
import { pathId, requireFound } from '../../../http/ids.js';
import type { UseCaseOptions } from '../../../http/use-case-options.js';
import { ChannelResourcePath } from '../../contract/paths.js';
import { type Endpoints, endpoint } from '../../endpoint.js';
import { requestScope } from '../../session-auth.js';

export type PersonExportEndpointOptions = UseCaseOptions<typeof exportPerson | typeof readContact>;

const { config, schema } = endpoint({
  needs: 'developer',
  roleScope: 'account',
  operationId: 'consoleExportPerson',
  summary: 'Export everything that the account stores about the person of a contact',
  params: ChannelResourcePath,
  data: Type.Null(),
});
const file = { description: 'The file.', content: { 'application/json': { schema: Type.Any() } } };

export const personExportEndpoints: Endpoints<PersonExportEndpointOptions> = async (app, options) => {
  app.get(
    '/accounts/:accountId/channels/:channelId/contacts/:id/export',
    { config, schema: { ...schema, response: { ...schema.response, 200: file } } },
    async (request, reply) => {
      const scope = requestScope(request);
      const { id } = request.params as { id: string };
      const contact = requireFound(await readContact(options, { ...scope, id: pathId(id, 'contact') }), 'contact');
      const exported = await exportPerson(options, { address: contact.id, accountId: scope.accountId });
      const after = { rows: countExportedRows(exported) };
      await request.change(async () => ({
        result: null,
        audit: { action: 'person.export', subject: contact.id, after },
      }));
      return reply
        .type('application/json; charset=utf-8')
        .header('content-disposition', `attachment; filename="person-${contact.id}.json"`)
        .header('cache-control', 'no-store')
        .send(JSON.stringify(exported, null, 2));
    },
  );
};
