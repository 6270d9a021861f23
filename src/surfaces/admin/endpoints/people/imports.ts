import { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { inside } from '../../../../accounts/audit/change.js';
import { type ImportJob, readImportJob } from '../../../../features/contacts/import/jobs.js';
import { MAX_SLICES } from '../../../../features/contacts/import/slice-limits.js';
import {
  addSlice,
  announceImport,
  discardImport,
  pageImports,
  refusedRows,
  type SliceOptions,
} from '../../../../features/contacts/import/slices.js';
import { found, notFound, pathId } from '../../../http/ids.js';
import { iso } from '../../../http/schemas/values.js';
import { RULE } from '../../../http/validation.js';
import { cursorPage, DoneData, done, ok, page, pageQuery } from '../../answers.js';
import { type Endpoints, endpoint, pageEndpoint } from '../../endpoint.js';
import { ChannelPath, ChannelThingPath } from '../../paths.js';
import { scopeOf } from '../../session-auth.js';
import { csvDownload, sendCsv } from './csv-answer.js';
import { ImportEntry, type ShownImportStatus, SliceBody, StartImportBody } from './imports-schemas.js';

const BASE = '/accounts/:accountId/channels/:channelId/imports';

const SlicePath = Type.Intersect([
  ChannelThingPath,
  Type.Object({
    position: Type.Integer({ minimum: 0, maximum: MAX_SLICES, [RULE]: 'must be an integer from 0' }),
  }),
]);

/** Imports of contacts from a file that a browser reads, slice by slice. */
export const importEndpoints: Endpoints<SliceOptions> = async (app, options) => {
  const readJob = async (request: FastifyRequest) => {
    const id = pathId((request.params as { id: string }).id, 'import');
    return found(await readImportJob(options, scopeOf(request), id), 'import');
  };

  app.get(
    BASE,
    pageEndpoint({
      needs: 'viewer',
      of: 'account',
      operationId: 'consoleListImports',
      summary: 'List the imports of a channel in the last 30 days, the newest first',
      params: ChannelPath,
      querystring: pageQuery({}),
      entry: ImportEntry,
    }),
    async (request) => {
      const { imports, next } = await pageImports(options, scopeOf(request), cursorPage(request.query));
      return page(imports.map(importRecord), next);
    },
  );

  app.post(
    BASE,
    endpoint({
      needs: 'developer',
      of: 'account',
      operationId: 'consoleStartImport',
      summary: 'Announce an import, whose rows come in slices',
      params: ChannelPath,
      body: StartImportBody,
      data: ImportEntry,
      errors: [404, 409],
    }),
    async (request) => {
      const { fileName = null, groupId, update = false, slices, totalRows } = request.body;
      const asked = { fileName, groupId: groupId?.toLowerCase() ?? null, update, slices, totalRows };
      return request.change(async (change) => {
        const job = await announceImport(inside(options, change), scopeOf(request), asked);
        const after = { fileName, groupId, update, totalRows };
        return { result: ok(importRecord(job)), told: { action: 'import.start', subject: job.id, after } };
      });
    },
  );

  const slice = endpoint({
    needs: 'developer',
    of: 'account',
    operationId: 'consoleAddImportSlice',
    summary: 'Hand in a slice of an import',
    description: 'The import begins once all are there. A slice that came before changes nothing.',
    params: SlicePath,
    body: SliceBody,
    data: ImportEntry,
  });
  app.put(
    `${BASE}/:id/slices/:position`,
    // A row with characters that cannot be stored is refused alone.
    { ...slice, config: { ...slice.config, checksTexts: true } },
    async (request) => {
      const { id, position } = request.params;
      const rows = request.body.rows.map(({ row, phone, name, email }) => ({ row, phone, name, email }));
      const job = await addSlice(options, scopeOf(request), pathId(id, 'import'), {
        position,
        rows,
        country: request.body.country ?? null,
      });
      return ok(importRecord(found(job, 'import')));
    },
  );

  app.get(
    `${BASE}/:id`,
    endpoint({
      needs: 'viewer',
      of: 'account',
      operationId: 'consoleGetImport',
      summary: 'Tell how far an import is',
      params: ChannelThingPath,
      data: ImportEntry,
    }),
    async (request) => ok(importRecord(await readJob(request))),
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

  app.delete(
    `${BASE}/:id`,
    endpoint({
      needs: 'developer',
      of: 'account',
      operationId: 'consoleDiscardImport',
      summary: 'Forget an import whose last slice has not come',
      params: ChannelThingPath,
      data: DoneData,
      errors: [409],
    }),
    async (request) => {
      const id = pathId(request.params.id, 'import');
      return request.change(async (change) => {
        if (!(await discardImport(change, scopeOf(request), id))) throw notFound('import');
        return { result: done(), told: { action: 'import.discard', subject: id } };
      });
    },
  );
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
