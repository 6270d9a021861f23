import type { Span, SpanAttributes, Traces } from '../../../../platform/tracing/traces.js';
import type { ClaimedDelivery } from '../delivery-store.js';

/**
 * Uses the attributes of HTTP clients (https://opentelemetry.io/docs/specs/semconv/http/http-spans/), but only the host
 * of the URL, because the rest of the URL may be secret.
 */
export function startSpan(traces: Traces | null | undefined, delivery: ClaimedDelivery): Span | null {
  const { traceparent, url, id, webhookId, type, attempts } = delivery;
  if (!traces || traceparent === null || !URL.canParse(url)) return null;
  const { protocol, hostname, port } = new URL(url);
  return traces.startSpan({
    name: 'POST',
    kind: 'client',
    parent: traceparent,
    attributes: {
      'http.request.method': 'POST',
      'http.request.resend_count': attempts > 0 ? attempts : undefined,
      'url.scheme': protocol.slice(0, -1),
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
      'heliograph.webhook.id': webhookId,
      'heliograph.webhook.delivery_id': id,
      'heliograph.webhook.event': type,
    },
  });
}

export function describeOutcome(statusCode: number | null, ok: boolean): [attributes: SpanAttributes, error?: string] {
  if (statusCode === null) return [{}, 'no_answer'];
  const attributes = { 'http.response.status_code': statusCode };
  return ok ? [attributes] : [attributes, String(statusCode)];
}
