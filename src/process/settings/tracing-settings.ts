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
 * Names and meanings are those of OpenTelemetry
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/).
 */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    text(
      'Base URL of the collector that receives traces by OTLP over HTTP, e.g. http://127.0.0.1:4318; /v1/traces is appended. If this and OTEL_EXPORTER_OTLP_TRACES_ENDPOINT are unset, tracing is off. See docs/develop/tracing.md.',
      { format: 'http-url' },
    ),
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: Type.Optional(
    text('Full URL of the collector, e.g. http://127.0.0.1:4318/v1/traces. Overrides OTEL_EXPORTER_OTLP_ENDPOINT.', {
      format: 'http-url',
    }),
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: Type.Optional(
    text('Format of traces. Only http/json is supported, which collectors accept on their OTLP port for HTTP.'),
  ),
  OTEL_EXPORTER_OTLP_HEADERS: Type.Optional(
    text('HTTP headers for the collector: name=value pairs separated by commas, values percent-encoded.'),
  ),
  OTEL_EXPORTER_OTLP_TIMEOUT: Type.Integer({
    description: 'Timeout of a request to the collector in milliseconds; spans not accepted by then are lost.',
    default: 10_000,
    minimum: 1,
  }),
  OTEL_SERVICE_NAME: text('Service name in traces.', { default: 'heliograph' }),
  OTEL_RESOURCE_ATTRIBUTES: Type.Optional(
    text(
      'Additional attributes of this process in traces, e.g. deployment.environment.name=production,service.version=3.',
    ),
  ),
  OTEL_TRACES_SAMPLER: Type.Unsafe<(typeof SAMPLERS)[number]>({
    type: 'string',
    description: 'Which traces are recorded; parentbased samplers follow the decision of the caller, if there is one.',
    enum: [...SAMPLERS],
    default: SAMPLERS[0],
  }),
  OTEL_TRACES_SAMPLER_ARG: Type.Optional(
    text('Share of traces that traceidratio records, from 0 to 1. Unset: all.', { format: 'ratio' }),
  ),
  OTEL_PROPAGATORS: text(
    'Headers that continue traces of callers and are sent to webhooks: tracecontext (W3C) or none. baggage is accepted but not forwarded.',
    { default: 'tracecontext,baggage', format: 'propagators' },
  ),
  OTEL_BSP_SCHEDULE_DELAY: Type.Integer({
    description: 'How long spans are collected before they are sent, in milliseconds.',
    default: 5_000,
    minimum: 1,
  }),
  OTEL_TRACES_EXPORTER: Type.Unsafe<'otlp' | 'none'>({
    type: 'string',
    description: 'none turns tracing off, even if an endpoint is set.',
    enum: ['otlp', 'none'],
    default: 'otlp',
  }),
  OTEL_SDK_DISABLED: Type.Boolean({ description: 'true turns tracing off.', default: false }),
};

export const TRACING_SETTINGS = Object.keys(tracingSettings) as (keyof typeof tracingSettings)[];

type Environment = Readonly<Record<string, string | undefined>>;

export function isTraced(env: Environment): boolean {
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? env.OTEL_EXPORTER_OTLP_ENDPOINT;
  return endpoint !== undefined && env.OTEL_TRACES_EXPORTER !== 'none' && env.OTEL_SDK_DISABLED !== 'true';
}

/** Ignores the protocol while tracing is off, because the variable is often set for all programs on a machine. */
export function tracingProblems(env: Environment): { setting: string; problem: string }[] {
  const { OTEL_EXPORTER_OTLP_PROTOCOL: protocol } = env;
  if (protocol === undefined || protocol === 'http/json' || !isTraced(env)) return [];
  const problem = `must be http/json, which collectors accept on their OTLP port for HTTP (it is ${JSON.stringify(protocol)})`;
  return [{ setting: 'OTEL_EXPORTER_OTLP_PROTOCOL', problem }];
}
