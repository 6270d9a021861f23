import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

export function sendCsv(reply: FastifyReply, name: string, parts: Readable): FastifyReply {
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('cache-control', 'no-store')
    .send(parts);
}
