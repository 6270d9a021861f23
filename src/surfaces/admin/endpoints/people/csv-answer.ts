import type { Readable } from 'node:stream';
import { type TSchema, Type } from '@sinclair/typebox';
import type { FastifyReply } from 'fastify';
import { endpoint } from '../../endpoint.js';

export function csvDownload<P extends TSchema, Q extends TSchema | undefined = undefined>(description: {
  operationId: `console${string}`;
  summary: string;
  params: P;
  query?: Q;
}) {
  const { config, schema } = endpoint({ needs: 'viewer', roleScope: 'account', ...description, data: Type.Null() });
  const file = {
    description: 'The file.',
    content: { 'text/csv': { schema: Type.String() } },
  };
  return { config, schema: { ...schema, response: { ...schema.response, 200: file } } };
}

export function sendCsv(reply: FastifyReply, name: string, parts: Readable): FastifyReply {
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('cache-control', 'no-store')
    .send(parts);
}
