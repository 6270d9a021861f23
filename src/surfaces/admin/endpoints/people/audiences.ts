import type { Static } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { diffForAudit } from '../../../../accounts/audit/diff.js';
import { type Audience, lockAudience } from '../../../../features/audiences/audience-store.js';
import {
  createAudience,
  deleteAudience,
  listAudiencePage,
  readAudience,
  updateAudience,
} from '../../../../features/audiences/audiences.js';
import { previewCondition } from '../../../../features/audiences/preview.js';
import { loadContactRecords } from '../../../../features/contacts/record.js';
import type { Clock } from '../../../../platform/clock.js';
import { pathId, requireFound } from '../../../http/ids.js';
import type { UseCaseOptions } from '../../../http/use-case-options.js';
import { toAudienceRecord } from '../../../resources/people/audiences.js';
import { cursorPage, done, ok, page } from '../../answers.js';
import { AUDIENCES } from '../../contract/people/audiences.js';
import type { ContactEntry } from '../../contract/people/contacts-schemas.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { requestScope } from '../../session-auth.js';

export type AudienceEndpointOptions = UseCaseOptions<typeof previewCondition | typeof listAudiencePage> & {
  clock: Clock;
};

export const audienceEndpoints: Endpoints<AudienceEndpointOptions> = async (app, options) => {
  const route = registerRoutes(app, AUDIENCES);
  const { pool, clock } = options;
  const readId = (request: FastifyRequest) => pathId((request.params as { id: string }).id, 'audience');

  route('GET /accounts/:accountId/channels/:channelId/audiences', async (request) => {
    const pageRequest = { ...cursorPage(request.query), search: request.query.search };
    const { audiences, next } = await listAudiencePage(options, requestScope(request), pageRequest);
    return page(audiences.map(toAudienceRecord), next);
  });

  route('POST /accounts/:accountId/channels/:channelId/audiences', async (request) => {
    const { name, condition } = request.body;
    return request.change(async ({ client }) => {
      const input = { name, condition };
      const audience = await createAudience({ pool: client }, requestScope(request), input, clock.now());
      const auditEntry = { action: 'audience.create', subject: audience.id, after: auditedFields(audience) };
      return { result: ok(toAudienceRecord(audience)), audit: auditEntry };
    });
  });

  route('POST /accounts/:accountId/channels/:channelId/audiences/preview', async (request) => {
    const scope = requestScope(request);
    const { count, isEstimate, examples } = await previewCondition(options, scope, request.body.condition, clock.now());
    const contacts = await loadContactRecords(pool, scope.channelId, examples);
    return ok({ count, countIsEstimate: isEstimate, contacts: contacts as Static<typeof ContactEntry>[] });
  });

  route('GET /accounts/:accountId/channels/:channelId/audiences/:id', async (request) =>
    ok(toAudienceRecord(requireFound(await readAudience(options, requestScope(request), readId(request)), 'audience'))),
  );

  route('PATCH /accounts/:accountId/channels/:channelId/audiences/:id', async (request) => {
    const { name, condition } = request.body;
    const scope = requestScope(request);
    return request.change(async ({ client }) => {
      const input = { name, condition, at: clock.now() };
      const change = await updateAudience({ pool: client }, scope, readId(request), input);
      const { before, after } = requireFound(change, 'audience');
      const auditEntry = diffForAudit('audience.update', after.id, auditedFields(before), auditedFields(after));
      return { result: ok(toAudienceRecord(after)), audit: auditEntry };
    });
  });

  route('DELETE /accounts/:accountId/channels/:channelId/audiences/:id', async (request) => {
    const scope = requestScope(request);
    return request.change(async ({ client }) => {
      const audience = requireFound(await lockAudience(client, scope, readId(request)), 'audience');
      await deleteAudience({ pool: client }, scope, audience.id);
      const auditEntry = { action: 'audience.delete', subject: audience.id, before: auditedFields(audience) };
      return { result: done(), audit: auditEntry };
    });
  });
};

function auditedFields({ name, condition }: Audience) {
  return { name, condition };
}
