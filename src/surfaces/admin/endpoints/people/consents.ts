import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { addConsent, listConsents, readPersonConsents } from '../../../../features/consents/consents.js';
import { exportConsents } from '../../../../features/consents/export.js';
import type { Clock } from '../../../../platform/clock.js';
import type { Reads } from '../../../../platform/reads/reads.js';
import { parseTimestamp } from '../../../../platform/timestamps.js';
import { sendCsv } from '../../../http/files/csv-answer.js';
import { pathId } from '../../../http/ids.js';
import type { UseCaseOptions } from '../../../http/use-case-options.js';
import { toConsentRecord, toPersonConsentRecord, toRecordedConsent } from '../../../resources/people/consents.js';
import { ok } from '../../answers.js';
import { ChannelPath } from '../../contract/paths.js';
import { CONTACT_CONSENTS } from '../../contract/people/consents.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { requestChannel, requestScope } from '../../session-auth.js';
import { csvDownload } from './csv-answer.js';

export type ConsentEndpointOptions = UseCaseOptions<typeof listConsents | typeof readPersonConsents> & {
  reads: Reads;
  clock: Clock;
};

const SHOWN_ENTRIES = 100;

export const consentEndpoints: Endpoints<ConsentEndpointOptions> = async (app, options) => {
  const route = registerRoutes(app, CONTACT_CONSENTS);
  const readChannel = (request: FastifyRequest) => {
    const { accountId } = requestScope(request);
    const { id, kind, phoneNumber } = requestChannel(request);
    return { id, accountId, kind, phoneNumber };
  };

  route('GET /accounts/:accountId/channels/:channelId/contacts/:id/consents', async (request) => {
    const channel = readChannel(request);
    const person = { contactId: pathId(request.params.id, 'contact') };
    const current = await readPersonConsents(options, channel, person);
    const { consents, total } = await listConsents(options, channel, { person }, { limit: SHOWN_ENTRIES, offset: 0 });
    return ok({ current: current.map(toPersonConsentRecord), entries: consents.map(toConsentRecord), total });
  });

  route('POST /accounts/:accountId/channels/:channelId/contacts/:id/consents', async (request) => {
    const { purpose, decision, name, wording, wordingVersion, ip, url, decidedAt } = request.body;
    const contactId = pathId(request.params.id, 'contact');
    const consent = {
      person: { contactId },
      ...{ purpose, isGranted: decision === 'granted', source: 'operator' as const },
      ...{ name, wording, wordingVersion, ip, url },
      ...(decidedAt !== undefined && { decidedAt: parseTimestamp(decidedAt, 'decidedAt') }),
    };
    return request.change(async (change) => {
      const recorded = await addConsent(change, readChannel(request), consent, options.clock.now());
      const after = { purpose, decision };
      return {
        result: ok(toRecordedConsent(recorded)),
        audit: { action: 'consent.record', subject: contactId, after },
      };
    });
  });

  app.get(
    '/accounts/:accountId/channels/:channelId/consents/export',
    csvDownload({
      operationId: 'consoleExportConsents',
      summary: 'Export the consent ledger of a channel as CSV',
      params: ChannelPath,
    }),
    async (request, reply) =>
      sendCsv(reply, 'consents.csv', Readable.from(exportConsents(options.reads, readChannel(request)))),
  );
};
