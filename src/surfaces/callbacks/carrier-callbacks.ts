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
    /** Enabled or not, and of any type; null when there is none of this name, or when it cannot be opened. */
    findReceiving(name: string): Carrier | null;
    /** Whether a carrier of this name is set up. */
    has(name: string): boolean;
  };
  /** The intake. */
  callbacks: {
    /**
     * Resolves once the callback is committed: only then may its carrier be told so.
     * @throws {AppError} UNAVAILABLE when too much waits; whatever the store fails with
     */
    store(callback: Callback): Promise<void>;
  };
}

/**
 * Where carriers call us: `/callbacks/<type>/<carrier>`, by what the types declare. What a carrier reports is stored and
 * answered at once; a runner works it off.
 */
export async function carrierCallbacks(app: FastifyInstance, options: CarrierCallbacksOptions): Promise<void> {
  // A signature is that of the bytes as they came, whatever they are called.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body: Buffer, done) => done(null, body));
  for (const { type, callbacks } of options.carriers.types) {
    for (const endpoint of callbacks?.endpoints ?? []) mount(app, type, endpoint, options);
  }
}

type Called = FastifyRequest<{
  Params: { carrier: string } & Record<string, string>;
  Querystring: Record<string, unknown>;
}>;

function mount(
  app: FastifyInstance,
  type: string,
  endpoint: CallbackEndpoint,
  { log, carriers, callbacks }: CarrierCallbacksOptions,
): void {
  /**
   * @throws {AppError} NOT_FOUND if no carrier of this type has the name; UNAVAILABLE when it cannot be opened, so that
   * the report, which nothing can verify now, comes again
   */
  const carrierOf = ({ params }: Called): Carrier => {
    const carrier = carriers.findReceiving(params.carrier);
    if (carrier?.type === type) return carrier;
    if (!carrier && carriers.has(params.carrier)) {
      throw new AppError('UNAVAILABLE', 'The carrier cannot be used at the moment; try again later.');
    }
    throw new AppError('NOT_FOUND', 'There is no carrier of this type and name.');
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
    onRequest: async (request) => endpoint.admit?.(carrierOf(request), request, log),
    handler: async (request, reply) => {
      const carrier = carrierOf(request);
      const { method, url, headers, query, params, ip, body = Buffer.alloc(0) } = request;
      const call = { method, url, headers, query, params, ip, body };
      await endpoint.prepare?.(carrier, call, log);
      const { store, answer, answerType, complete } = endpoint.handle(carrier, call, log);
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
