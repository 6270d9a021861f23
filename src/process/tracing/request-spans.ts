import type { FastifyOtelInstrumentation, FastifyOtelInstrumentationOpts } from '@fastify/otel';
import type { Span } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { traceparentOf } from './step-traces.js';

/** What is asked all the time, or is a file. */
const UNTRACED = /^\/(?:health|console)(?:[/?]|$)/;
/** A part of a path that may be somebody's number. */
const NUMBER = /(^|\/)(?:\+|%2[Bb])?\d{5,}(?=\/|$)/g;
/** The hook of @fastify/otel that writes down what an error says, which may quote numbers and texts. */
const TELLS_ERRORS = 'recordErrorInSpanHook';

/** A span for each request, by the conventions of OpenTelemetry (https://opentelemetry.io/docs/specs/semconv/http/http-spans/). */
export class RequestSpans {
  readonly #instrumentation: FastifyOtelInstrumentation;

  constructor(instrumentation: FastifyOtelInstrumentation) {
    this.#instrumentation = instrumentation;
  }

  /** What the instrumentation is to be made with: one span for each request, and none for each hook. */
  static options(): FastifyOtelInstrumentationOpts {
    return {
      instrumentHooks: false,
      instrumentHandler: false,
      recordExceptions: false,
      ignorePaths: ({ url }) => UNTRACED.test(url),
      requestHook: describe,
    };
  }

  /** To be called before anything else is registered. */
  async trace(app: FastifyInstance): Promise<void> {
    await app.register(this.#instrumentation.plugin() as never);
    app.addHook('onRoute', (route) => {
      const hooks = [route.onError ?? []].flat();
      route.onError = hooks.filter(({ name }) => name !== TELLS_ERRORS);
    });
    app.addHook('onSend', (request, reply, _payload, done) => {
      if (reply.statusCode >= 500) request.opentelemetry().span?.setAttribute('error.type', String(reply.statusCode));
      done();
    });
  }
}

function describe(span: Span, request: FastifyRequest): void {
  const { method, url, protocol, hostname, raw, id } = request;
  const route = request.routeOptions.url;
  span.updateName(route === undefined ? method : `${method} ${route}`);
  span.setAttributes({
    // In the place of the whole URL: a query may ask for a number.
    'url.path': (url.split('?', 1)[0] as string).replace(NUMBER, '$1{number}'),
    'url.scheme': protocol,
    'server.address': hostname,
    'network.protocol.version': raw.httpVersion,
    'heliograph.request.id': id,
  });
  request.traceparent = traceparentOf(span);
}
