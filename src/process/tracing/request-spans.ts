import type { FastifyOtelInstrumentation, FastifyOtelInstrumentationOpts } from '@fastify/otel';
import type { Span } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { toTraceparent } from './step-traces.js';

/** Paths of health checks and console files, which are not traced. */
const UNTRACED = /^\/(?:health|console)(?:[/?]|$)/;
const PHONE_NUMBER = /(^|\/)(?:\+|%2[Bb])?\d{5,}(?=\/|$)/g;
/** A hook of @fastify/otel that records error messages. It is removed, because they may contain phone numbers and texts. */
const ERROR_HOOK = 'recordErrorInSpanHook';

/** Creates spans that follow OpenTelemetry's conventions (https://opentelemetry.io/docs/specs/semconv/http/http-spans/). */
export class RequestSpans {
  readonly #instrumentation: FastifyOtelInstrumentation;

  constructor(instrumentation: FastifyOtelInstrumentation) {
    this.#instrumentation = instrumentation;
  }

  /** Creates one span per request, instead of a span for every hook. */
  static options(): FastifyOtelInstrumentationOpts {
    return {
      instrumentHooks: false,
      instrumentHandler: false,
      recordExceptions: false,
      ignorePaths: ({ url }) => UNTRACED.test(url),
      requestHook: setRequestAttributes,
    };
  }

  /** Call this function before plugins, hooks or endpoints are registered on `app`. */
  async trace(app: FastifyInstance): Promise<void> {
    await app.register(this.#instrumentation.plugin() as never);
    app.addHook('onRoute', (route) => {
      const hooks = [route.onError ?? []].flat();
      route.onError = hooks.filter(({ name }) => name !== ERROR_HOOK);
    });
    app.addHook('onSend', (request, reply, _payload, done) => {
      if (reply.statusCode >= 500) request.opentelemetry().span?.setAttribute('error.type', String(reply.statusCode));
      done();
    });
  }
}

function setRequestAttributes(span: Span, request: FastifyRequest): void {
  const { method, url, protocol, hostname, raw, id } = request;
  const route = request.routeOptions.url;
  span.updateName(route === undefined ? method : `${method} ${route}`);
  span.setAttributes({
    // Queries may contain phone numbers, so the span has only the path.
    'url.path': (url.split('?', 1)[0] as string).replace(PHONE_NUMBER, '$1{number}'),
    'url.scheme': protocol,
    'server.address': hostname,
    'network.protocol.version': raw.httpVersion,
    'heliograph.request.id': id,
  });
  request.traceparent = toTraceparent(span);
}
