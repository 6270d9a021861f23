import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** OTLP in JSON (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). */
export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  /** Kind of the span: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number;
  attributes: Record<string, string | number | boolean>;
  links: { traceId: string; spanId: string }[];
  status: { code?: number; message?: string };
  /** `service.name` of the process. */
  service: string;
  scope: string;
}

export interface Collector {
  endpoint: string;
  spans: CollectedSpan[];
  bodies: string[];
  /** Stops listening for connections and drops the open ones. */
  close(): Promise<void>;
}

interface OtlpValue {
  stringValue?: string;
  intValue?: number | string;
  boolValue?: boolean;
  doubleValue?: number;
}
interface Attribute {
  key: string;
  value: OtlpValue;
}
type OtlpSpan = Omit<CollectedSpan, 'attributes' | 'service' | 'scope'> & { attributes: Attribute[] };
interface ExportRequest {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { scope: { name: string }; spans: OtlpSpan[] }[];
  }[];
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const isUnknown = request.method !== 'POST' || request.url !== '/v1/traces';
    response.writeHead(isUnknown ? 404 : 200, { 'content-type': 'application/json' }).end('{}');
    if (isUnknown) return;
    bodies.push(body);
    spans.push(...toSpans(JSON.parse(body) as ExportRequest));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { endpoint: `http://127.0.0.1:${port}`, spans, bodies, close };
}

function toSpans({ resourceSpans }: ExportRequest): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(toValues(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ scope, spans }) =>
      spans.map((span) => ({
        ...span,
        links: span.links ?? [],
        attributes: toValues(span.attributes),
        service,
        scope: scope.name,
      })),
    );
  });
}

function toValues(attributes: Attribute[]): CollectedSpan['attributes'] {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? value.doubleValue ?? Number(value.intValue),
    ]),
  );
}
