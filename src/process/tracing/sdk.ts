import { FastifyOtelInstrumentation } from '@fastify/otel';
import { context, type DiagLogger, DiagLogLevel, diag, propagation, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { Logger } from 'pino';
import { withTimeout } from '../../platform/timeout.js';
import { jobTelemetry } from './job-telemetry.js';
import { RequestSpans } from './request-spans.js';
import { StepTraces } from './step-traces.js';
import { ToldExporter } from './told-exporter.js';
import type { Tracing } from './tracing.js';

/** What spans say that they were made by. */
const TRACER = 'heliograph';

/**
 * Starts OpenTelemetry. Imported only where something is traced, for with its packages it takes some tenths of a second.
 * @param settings by the names of their environment variables, where the SDK reads them; the file `.env` is not among those
 */
export function startTracing(settings: Readonly<Record<string, string>>, log: Logger): Tracing {
  for (const [name, value] of Object.entries(settings)) process.env[name] = value;
  const exporter = new ToldExporter(new OTLPTraceExporter(), log);
  diag.setLogger(diagnostics(exporter, log), DiagLogLevel.WARN);
  const provider = new NodeTracerProvider({
    resource: defaultResource().merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const continues = settings.OTEL_PROPAGATORS?.split(',').includes('tracecontext');
  provider.register(continues ? {} : { propagator: null });
  const requests = new RequestSpans(new FastifyOtelInstrumentation(RequestSpans.options()));
  log.info('Traces are sent to an OpenTelemetry collector');
  return {
    traces: new StepTraces(trace.getTracer(TRACER)),
    queue: jobTelemetry(),
    traceRequests: (app) => requests.trace(app),
    close: async (patienceMs) => {
      await withTimeout(provider.shutdown(), patienceMs).catch((error) => exporter.failed(error));
      exporter.close();
      trace.disable();
      context.disable();
      propagation.disable();
      diag.disable();
    },
  };
}

/** What the SDK says of itself: of lost spans a line, for it says so nowhere else; the rest at the level debug. */
function diagnostics(exporter: ToldExporter, log: Logger): DiagLogger {
  const debug = (message: string) => log.debug(`OpenTelemetry: ${message}`);
  const warn = (message: string) => {
    const dropped = /^Dropped (\d+) spans/.exec(message)?.[1];
    if (dropped) exporter.overflowed(Number(dropped));
    else debug(message);
  };
  return { error: debug, warn, info: debug, debug, verbose: debug };
}
