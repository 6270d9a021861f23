import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Callback } from '../../carriers/callbacks/callback-store.js';
import type { CallbackEndpoint } from '../../carriers/callbacks/endpoint.js';
import type { Carrier } from '../../carriers/carrier.js';
import type { CarrierType } from '../../carriers/carrier-type.js';
import { AppError } from '../../platform/errors/app-error.js';

export interface CarrierCallbacksOptions {
  log: Logger;
  carriers: {
    readonly types: readonly CarrierType[];
    /** Returns the carrier even if it is disabled, or null if it is unknown or cannot be opened. */
    findReceiving(name: string): Carrier | null;
    has(name: string): boolean;
  };
  callbacks: {
    /**
     * Resolves once the callback is committed and may be acknowledged to the carrier.
     * @throws {AppError} UNAVAILABLE when too many callbacks are queued
     */
    store(callback: Callback): Promise<void>;
  };
}

/** Stores each callback, acknowledges it, and leaves the processing to a background task. */
export async function carrierCallbacks(app: FastifyInstance, options: CarrierCallbacksOptions): Promise<void> {
  // Bodies of every media type stay unparsed, because carriers sign the raw bytes.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body: Buffer, done) => done(null, body));
  for (const { type, callbacks } of options.carriers.types) {
    for (const endpoint of callbacks?.endpoints ?? []) mount(app, type, endpoint, options);
  }
}

type CarrierRequest = FastifyRequest<{
  Params: { carrier: string } & Record<string, string>;
  Querystring: Record<string, unknown>;
}>;

function mount(
  app: FastifyInstance,
  type: string,
  endpoint: CallbackEndpoint,
  { log, carriers, callbacks }: CarrierCallbacksOptions,
): void {
  /** @throws {AppError} NOT_FOUND; UNAVAILABLE if the carrier cannot be opened, so that the vendor retries */
  const requireCarrier = ({ params }: CarrierRequest): Carrier => {
    const carrier = carriers.findReceiving(params.carrier);
    if (carrier?.type === type) return carrier;
    if (!carrier && carriers.has(params.carrier)) {
      throw new AppError('UNAVAILABLE', 'The carrier cannot be used at the moment; try again later.');
    }
    throw new AppError('NOT_FOUND', 'No carrier has this type and name.');
  };
  app.route<{
    Params: { carrier: string } & Record<string, string>;
    Querystring: Record<string, unknown>;
    Body: Buffer | undefined;
  }>({
    method: endpoint.method,
    url: `/callbacks/${type}/:carrier${endpoint.path ?? ''}`,
    schema: { hide: true },
    ...(endpoint.bodyLimit !== undefined && { bodyLimit: endpoint.bodyLimit }),
    onRequest: async (request) => endpoint.admit?.(requireCarrier(request), request, log),
    handler: async (request, reply) => {
      const carrier = requireCarrier(request);
      const { method, url, headers, query, params, ip, body = Buffer.alloc(0) } = request;
      const callbackRequest = { method, url, headers, query, params, ip, body };
      await endpoint.prepare?.(carrier, callbackRequest, log);
      const { store, answer, answerType, complete } = endpoint.handle(carrier, callbackRequest, log);
      await complete?.();
      if (store) await callbacks.store({ carrier: carrier.name, body: store });
      if (typeof answer !== 'string') return answer;
      return reply
        .type(answerType ?? 'text/plain; charset=utf-8')
        .header('x-content-type-options', 'nosniff')
        .send(answer);
    },
  });
}
