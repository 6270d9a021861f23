import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { inside } from '../../../../accounts/audit/change.js';
import { pickFields } from '../../../../features/contacts/contact-fields.js';
import { type ImportJob, readImportJob } from '../../../../features/contacts/import/jobs.js';
import { refusedRows } from '../../../../features/contacts/import/refused-rows.js';
import {
  addSlice,
  createSlicedImport,
  discardImport,
  pageImports,
  type SliceOptions,
} from '../../../../features/contacts/import/slices.js';
import { found, notFound, pathId } from '../../../http/ids.js';
import { iso } from '../../../http/schemas/values.js';
import { cursorPage, done, ok, page } from '../../answers.js';
import { IMPORTS } from '../../contract/people/imports.js';
import { type Endpoints, routesOf } from '../../endpoint.js';
import { ChannelThingPath } from '../../contract/paths.js';
import { channelOf, scopeOf } from '../../session-auth.js';
import { csvDownload, sendCsv } from './csv-answer.js';
import type { ShownImportStatus } from '../../contract/people/imports-schemas.js';

const BASE = '/accounts/:accountId/channels/:channelId/imports';

/** Imports of contacts from a file that a browser reads, slice by slice. */
export const importEndpoints: Endpoints<SliceOptions> = async (app, options) => {
  const route = routesOf(app, IMPORTS);
  const readJob = async (request: FastifyRequest) => {
    const id = pathId((request.params as { id: string }).id, 'import');
    return found(await readImportJob(options, scopeOf(request), id), 'import');
  };

  route('GET /accounts/:accountId/channels/:channelId/imports', async (request) => {
    const { imports, next } = await pageImports(options, scopeOf(request), cursorPage(request.query));
    return page(imports.map(importRecord), next);
  });

  route('POST /accounts/:accountId/channels/:channelId/imports', async (request) => {
    const {
      fileName = null,
      groupId,
      update = false,
      slices,
      totalRows,
      columns = [],
      delimiter = null,
    } = request.body;
    const file = { fileName, slices, totalRows, columns, delimiter };
    const asked = { ...file, groupId: groupId?.toLowerCase() ?? null, update };
    return request.change(async (change) => {
      const job = await createSlicedImport(inside(options, change), scopeOf(request), asked);
      const after = { fileName, groupId, update, totalRows };
      return { result: ok(importRecord(job)), told: { action: 'import.start', subject: job.id, after } };
    });
  });

  route('PUT /accounts/:accountId/channels/:channelId/imports/:id/slices/:position', async (request) => {
    const { id, position } = request.params;
    const rows = request.body.rows.map((each) => {
      const { row, phone, userId, cells } = each;
      return { row, phone, userId, ...pickFields(each), cells };
    });
    const job = await addSlice(options, scopeOf(request), pathId(id, 'import'), {
      position,
      rows,
      country: request.body.country ?? null,
      kind: channelOf(request).kind,
    });
    return ok(importRecord(found(job, 'import')));
  });

  route('GET /accounts/:accountId/channels/:channelId/imports/:id', async (request) =>
    ok(importRecord(await readJob(request))),
  );

  app.get(
    `${BASE}/:id/refused`,
    csvDownload({
      operationId: 'consoleGetRefusedRows',
      summary: 'The refused rows of an import with their reasons, as CSV',
      params: ChannelThingPath,
    }),
    async (request, reply) =>
      sendCsv(reply, 'refused.csv', Readable.from(refusedRows(options.pool, await readJob(request)))),
  );

  route('DELETE /accounts/:accountId/channels/:channelId/imports/:id', async (request) => {
    const id = pathId(request.params.id, 'import');
    return request.change(async (change) => {
      if (!(await discardImport(change, scopeOf(request), id))) throw notFound('import');
      return { result: done(), told: { action: 'import.discard', subject: id } };
    });
  });
};

function importRecord(job: ImportJob) {
  const { id, fileName, groupId, update, totalRows, rows, created, updated, present, refused, errorMessage } = job;
  const receiving = job.nextLook === null && job.completedAt === null;
  const status: ShownImportStatus = receiving ? 'receiving' : job.status;
  return {
    ...{ id, status, fileName, groupId, update, totalRows, rows, created, updated, unchanged: present, refused },
    ...{ errorMessage, createdAt: job.createdAt.toISOString(), completedAt: iso(job.completedAt) },
  };
}
