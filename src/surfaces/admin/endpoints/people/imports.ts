import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { bindToTransaction } from '../../../../accounts/audit/change.js';
import { pickFields } from '../../../../features/contacts/contact-fields.js';
import { type ImportJob, readImportJob } from '../../../../features/contacts/import/jobs.js';
import { streamRefusedRows } from '../../../../features/contacts/import/refused-rows.js';
import {
  addSlice,
  createSlicedImport,
  discardImport,
  listImportPage,
  type SliceOptions,
} from '../../../../features/contacts/import/slices.js';
import { notFound } from '../../../../platform/errors/app-error.js';
import { sendCsv } from '../../../http/files/csv-answer.js';
import { pathId, requireFound } from '../../../http/ids.js';
import { iso } from '../../../http/schemas/values.js';
import { cursorPage, done, ok, page } from '../../answers.js';
import { ChannelResourcePath } from '../../contract/paths.js';
import { IMPORTS } from '../../contract/people/imports.js';
import type { ShownImportStatus } from '../../contract/people/imports-schemas.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { requestChannel, requestScope } from '../../session-auth.js';
import { csvDownload } from './csv-answer.js';

const BASE = '/accounts/:accountId/channels/:channelId/imports';

/** The browser reads the file and sends it in slices. */
export const importEndpoints: Endpoints<SliceOptions> = async (app, options) => {
  const route = registerRoutes(app, IMPORTS);
  const readJob = async (request: FastifyRequest) => {
    const id = pathId((request.params as { id: string }).id, 'import');
    return requireFound(await readImportJob(options, requestScope(request), id), 'import');
  };

  route('GET /accounts/:accountId/channels/:channelId/imports', async (request) => {
    const { imports, next } = await listImportPage(options, requestScope(request), cursorPage(request.query));
    return page(imports.map(toEntry), next);
  });

  route('POST /accounts/:accountId/channels/:channelId/imports', async (request) => {
    const {
      fileName = null,
      groupId,
      update = false,
      tags,
      fieldColumns,
      slices,
      totalRows,
      columns = [],
      delimiter = null,
    } = request.body;
    const file = { fileName, slices, totalRows, columns, delimiter };
    const input = { ...file, groupId: groupId?.toLowerCase() ?? null, update, tags, fieldColumns };
    return request.change(async (change) => {
      const job = await createSlicedImport(bindToTransaction(options, change), requestScope(request), input);
      const after = { fileName, groupId, update, tags, totalRows };
      return { result: ok(toEntry(job)), audit: { action: 'import.start', subject: job.id, after } };
    });
  });

  route('PUT /accounts/:accountId/channels/:channelId/imports/:id/slices/:position', async (request) => {
    const { id, position } = request.params;
    const rows = request.body.rows.map((input) => {
      const { row, phone, userId, tags, fields, cells } = input;
      const marks = { ...(tags && { tags }), ...(fields && { fields }) };
      return { row, phone, userId, ...pickFields(input), ...marks, cells };
    });
    const job = await addSlice(options, requestScope(request), pathId(id, 'import'), {
      position,
      rows,
      country: request.body.country ?? null,
      kind: requestChannel(request).kind,
    });
    return ok(toEntry(requireFound(job, 'import')));
  });

  route('GET /accounts/:accountId/channels/:channelId/imports/:id', async (request) =>
    ok(toEntry(await readJob(request))),
  );

  app.get(
    `${BASE}/:id/refused`,
    csvDownload({
      operationId: 'consoleGetRefusedRows',
      summary: 'Download the refused rows of an import with their reasons as CSV',
      params: ChannelResourcePath,
    }),
    async (request, reply) =>
      sendCsv(reply, 'refused.csv', Readable.from(streamRefusedRows(options.pool, await readJob(request)))),
  );

  route('DELETE /accounts/:accountId/channels/:channelId/imports/:id', async (request) => {
    const id = pathId(request.params.id, 'import');
    return request.change(async (change) => {
      if (!(await discardImport(change, requestScope(request), id))) throw notFound('import');
      return { result: done(), audit: { action: 'import.discard', subject: id } };
    });
  });
};

function toEntry(job: ImportJob) {
  const { id, fileName, groupId, update, totalRows, rows, created, updated, present, refused, errorMessage } = job;
  const isReceiving = job.nextLook === null && job.completedAt === null;
  const status: ShownImportStatus = isReceiving ? 'receiving' : job.status;
  return {
    ...{ id, status, fileName, groupId, update, totalRows, rows, created, updated, unchanged: present, refused },
    ...{ errorMessage, createdAt: job.createdAt.toISOString(), completedAt: iso(job.completedAt) },
  };
}
