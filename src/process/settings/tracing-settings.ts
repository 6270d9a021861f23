import { Type } from '@sinclair/typebox';

const text = (description: string, options: { default?: string; format?: string } = {}) =>
  Type.String({ description, minLength: 1, ...options });

const SAMPLERS = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const;

/**
 * The settings of traces, by the names and with the meanings of OpenTelemetry
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/).
 */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    text(
      'Collector that traces are sent to by OTLP over HTTP, e.g. http://127.0.0.1:4318; /v1/traces is added to it. Unset, as the next: nothing is traced. See docs/tracing.md.',
      { format: 'http-url' },
    ),
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: Type.Optional(
    text('The same with its whole path, e.g. http://127.0.0.1:4318/v1/traces. It goes before the one above.', {
      format: 'http-url',
    }),
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: Type.Optional(
    text('How traces are written. Only http/json is spoken, which collectors take where they take OTLP over HTTP.'),
  ),
  OTEL_EXPORTER_OTLP_HEADERS: Type.Optional(
    text('Headers for the collector: name=value, separated by commas, values percent-encoded.'),
  ),
  OTEL_EXPORTER_OTLP_TIMEOUT: Type.Integer({
    description: 'Milliseconds that the collector may take; what it has not taken by then is lost.',
    default: 10_000,
    minimum: 1,
  }),
  OTEL_SERVICE_NAME: text('What traces call this server.', { default: 'heliograph' }),
  OTEL_RESOURCE_ATTRIBUTES: Type.Optional(
    text('What else traces say of this process, e.g. deployment.environment.name=production,service.version=3.'),
  ),
  OTEL_TRACES_SAMPLER: Type.Unsafe<(typeof SAMPLERS)[number]>({
    type: 'string',
    description: 'Which traces are recorded; parentbased: what the caller has decided, where it says so.',
    enum: [...SAMPLERS],
    default: SAMPLERS[0],
  }),
  OTEL_TRACES_SAMPLER_ARG: Type.Optional(
    text('Share of the traces that traceidratio records, from 0 to 1. Unset: all.', { format: 'ratio' }),
  ),
  OTEL_PROPAGATORS: text(
    'Which headers of others traces are continued by, and told to webhooks: tracecontext (W3C), or none. baggage is taken and not passed on.',
    { default: 'tracecontext,baggage', format: 'propagators' },
  ),
  OTEL_BSP_SCHEDULE_DELAY: Type.Integer({
    description: 'Milliseconds for which spans are gathered before they are sent.',
    default: 5_000,
    minimum: 1,
  }),
  OTEL_TRACES_EXPORTER: Type.Unsafe<'otlp' | 'none'>({
    type: 'string',
    description: 'none switches traces off, whatever endpoint is set.',
    enum: ['otlp', 'none'],
    default: 'otlp',
  }),
  OTEL_SDK_DISABLED: Type.Boolean({ description: 'true switches traces off as well.', default: false }),
};

/** The names of these settings. */
export const TRACING_SETTINGS = Object.keys(tracingSettings) as (keyof typeof tracingSettings)[];

type Given = Readonly<Record<string, string | undefined>>;

/** Whether traces are switched on by settings under the names of their environment variables. */
export function isTraced(given: Given): boolean {
  const endpoint = given.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? given.OTEL_EXPORTER_OTLP_ENDPOINT;
  return endpoint !== undefined && given.OTEL_TRACES_EXPORTER !== 'none' && given.OTEL_SDK_DISABLED !== 'true';
}

/**
 * What is wrong with the protocol, which is often set for all programs of a machine: only one that would be spoken counts.
 * @param given settings by the names of their environment variables
 */
export function tracingProblems(given: Given): { setting: string; problem: string }[] {
  const { OTEL_EXPORTER_OTLP_PROTOCOL: protocol } = given;
  if (protocol === undefined || protocol === 'http/json' || !isTraced(given)) return [];
  const problem = `must be http/json, which a collector takes at its port for OTLP over HTTP (it is ${JSON.stringify(protocol)})`;
  return [{ setting: 'OTEL_EXPORTER_OTLP_PROTOCOL', problem }];
}
