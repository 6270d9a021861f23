import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../../platform/errors/app-error.js';
import type { CallbackRoutesOptions } from '../../carrier-type.js';
import { WhatsappCloud } from '../whatsapp-cloud.js';
import { isSignature } from './signature.js';

/** Meta's webhooks have up to 3 MB ("Webhooks: payloads"). */
const BODY_LIMIT = 4 * 1024 * 1024;

interface Handshake {
  'hub.mode'?: unknown;
  'hub.verify_token'?: unknown;
  'hub.challenge'?: unknown;
}

/**
 * Where Meta reports: `/callbacks/whatsapp-cloud/{name of the carrier}`. What it reports is stored and answered at once;
 * a runner works it off. Meta repeats what is not answered with 200, for days.
 */
export async function whatsappCloudCallbacks(
  app: FastifyInstance,
  { log, carriers, callbacks }: CallbackRoutesOptions,
): Promise<void> {
  // The signature is that of the bytes as they came, whatever they are called.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body: Buffer, done) => done(null, body));

  /** @throws {AppError} NOT_FOUND when there is no such carrier of this type */
  const find = (name: string): WhatsappCloud => {
    const carrier = carriers.find(name);
    if (carrier instanceof WhatsappCloud) return carrier;
    throw new AppError('NOT_FOUND', 'There is no carrier of this type and name.');
  };
  const refuse = (carrier: string, reason: string): AppError => {
    log.warn({ carrier, reason }, 'a webhook was refused');
    return new AppError('FORBIDDEN', `The webhook ${reason}.`);
  };

  app.get<{ Params: { carrier: string }; Querystring: Handshake }>(
    '/:carrier',
    { schema: { hide: true } },
    (request, reply) => {
      const carrier = find(request.params.carrier);
      const { 'hub.mode': mode, 'hub.verify_token': token, 'hub.challenge': challenge } = request.query;
      if (mode !== 'subscribe' || typeof token !== 'string' || typeof challenge !== 'string') {
        throw new AppError('INVALID_REQUEST', 'This is where Meta posts webhooks; a handshake has hub.mode=subscribe.');
      }
      if (!carrier.isVerifiedBy(token)) throw refuse(carrier.name, 'has another verify token');
      return reply.type('text/plain; charset=utf-8').header('x-content-type-options', 'nosniff').send(challenge);
    },
  );

  app.post<{ Params: { carrier: string }; Body: Buffer | undefined }>(
    '/:carrier',
    {
      schema: { hide: true },
      bodyLimit: BODY_LIMIT,
      // Before the body is read: what is not signed is not worth reading.
      onRequest: async (request) => {
        const { name } = find(request.params.carrier);
        if (!isSignature(request.headers['x-hub-signature-256'])) throw refuse(name, 'is not signed');
      },
    },
    async (request) => {
      const carrier = find(request.params.carrier);
      const body = request.body ?? Buffer.alloc(0);
      const signature = request.headers['x-hub-signature-256'] as string;
      if (!carrier.isSigned(body, signature)) throw refuse(carrier.name, 'is not signed with the app secret');
      if (!isJsonObject(body)) {
        log.warn({ carrier: carrier.name, reason: 'not JSON' }, 'a webhook was refused');
        throw new AppError('INVALID_REQUEST', 'The webhook is no JSON object.');
      }
      await callbacks.take({ carrier: carrier.name, body });
      return { stored: true };
    },
  );
}

function isJsonObject(body: Buffer): boolean {
  if (!isUtf8(body)) return false;
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  } catch {
    return false;
  }
}
