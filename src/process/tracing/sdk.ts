import { FastifyOtelInstrumentation } from '@fastify/otel';
import { context, type DiagLogger, DiagLogLevel, diag, propagation, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { Logger } from 'pino';
import { withTimeout } from '../../platform/timeout.js';
import { jobTelemetry } from './job-telemetry.js';
import { LoggingExporter } from './logging-exporter.js';
import { RequestSpans } from './request-spans.js';
import { StepTraces } from './step-traces.js';
import type { Tracing } from './tracing.js';

const TRACER_NAME = 'heliograph';

/**
 * Starts tracing. Copies OpenTelemetry's settings to the environment, because its SDK does not read `.env`. Loading the SDK
 * takes several hundred milliseconds, so this module is imported only when tracing is on.
 */
export function startTracing(settings: Readonly<Record<string, string>>, log: Logger): Tracing {
  for (const [name, value] of Object.entries(settings)) process.env[name] = value;
  const exporter = new LoggingExporter(new OTLPTraceExporter(), log);
  diag.setLogger(diagnosticLogger(exporter, log), DiagLogLevel.WARN);
  const provider = new NodeTracerProvider({
    resource: defaultResource().merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const continuesTraces = settings.OTEL_PROPAGATORS?.split(',').includes('tracecontext');
  provider.register(continuesTraces ? {} : { propagator: null });
  const requests = new RequestSpans(new FastifyOtelInstrumentation(RequestSpans.options()));
  log.info('Traces are sent to an OpenTelemetry collector');
  return {
    traces: new StepTraces(trace.getTracer(TRACER_NAME)),
    queue: jobTelemetry(),
    traceRequests: (app) => requests.trace(app),
    close: async (timeoutMs) => {
      await withTimeout(provider.shutdown(), timeoutMs).catch((error) => exporter.recordFailure(error));
      exporter.close();
      trace.disable();
      context.disable();
      propagation.disable();
      diag.disable();
    },
  };
}

/** Reports dropped spans, which the SDK mentions only in its diagnostics. */
function diagnosticLogger(exporter: LoggingExporter, log: Logger): DiagLogger {
  const debug = (message: string) => log.debug(`OpenTelemetry: ${message}`);
  const warn = (message: string) => {
    const droppedSpans = /^Dropped (\d+) spans/.exec(message)?.[1];
    if (droppedSpans) exporter.recordOverflow(Number(droppedSpans));
    else debug(message);
  };
  return { error: debug, warn, info: debug, debug, verbose: debug };
}
