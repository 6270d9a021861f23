import { parse } from 'node:querystring';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import type { CarrierSinks, OutboundMessage } from '../../../src/carriers/carrier.js';
import { type CallSink, UNLOGGED } from '../../../src/carriers/http/client.js';
import { httpEndpoints } from '../../../src/carriers/http-api/callbacks/endpoints.js';
import { parseEnvelope } from '../../../src/carriers/http-api/callbacks/envelope.js';
import { type Reports, readReports } from '../../../src/carriers/http-api/callbacks/reports.js';
import type { HttpCarrier } from '../../../src/carriers/http-api/http-carrier.js';
import type { ReportKind } from '../../../src/carriers/http-api/plan.js';
import { httpType } from '../../../src/carriers/http-api/type.js';
import type { InboundSms } from '../../../src/carriers/inbound-message.js';
import { checkSettings, type SettingValues } from '../../../src/carriers/settings.js';
import { segment } from '../../../src/carriers/sms/segments.js';
import type { Clock } from '../../../src/platform/clock.js';
import { noMedia } from '../../support/carriers/no-media.js';
import { VendorStub } from '../../support/carriers/vendor/vendor-stub.js';

export const NOW = new Date('2026-11-24T12:00:00Z');
export const MESSAGE_ID = '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55';
export const PUBLIC_URL = 'https://heliograph.example';
export const PATH_SECRET = 'a-word-of-our-own-4711';

export const receiptUrl = `${PUBLIC_URL}/callbacks/http/v/receipts?message=${MESSAGE_ID}`;
export const secretUrl = `${PUBLIC_URL}/callbacks/http/v/receipts/${PATH_SECRET}?message=${MESSAGE_ID}`;
export const CALLBACK_SETTINGS = { publicUrl: PUBLIC_URL, callbackSecret: PATH_SECRET };
/** `TEXT`, which `createOutbound` sends, fits the GSM alphabet, while `UCS2_TEXT` needs UCS-2. */
export const TEXT = 'Grüße & Küsse = 5 €?';
export const UCS2_TEXT = '你好 👋';

const fixedClock: Clock = { now: () => NOW };

export function openHttpCarrier(
  settings: SettingValues,
  {
    privateHosts = ['127.0.0.1'],
    calls = UNLOGGED,
    clock = fixedClock,
  }: {
    privateHosts?: string[];
    calls?: CallSink;
    clock?: Clock;
  } = {},
): HttpCarrier {
  const log = pino({ level: 'silent' });
  const checkedSettings = checkSettings(httpType, settings) as never;
  return httpType.open({ name: 'v', settings: checkedSettings, log, clock, calls, privateHosts }) as HttpCarrier;
}

export function createOutbound(message: Partial<OutboundMessage> = {}): OutboundMessage {
  const body = message.body ?? TEXT;
  return {
    id: MESSAGE_ID,
    kind: 'sms',
    channelId: null,
    channelSettings: null,
    from: 'Heliograph',
    to: '15005550010',
    attempt: 1,
    content: null,
    segmentation: segment(body),
    acceptedParts: [],
    validUntil: new Date(NOW.getTime() + 3_600_000),
    ...message,
    body,
  };
}

export function suiteVendor() {
  const stub = new VendorStub();
  beforeAll(() => stub.start());
  afterAll(() => stub.stop());
  return {
    stub,
    open: (settings: object) => openHttpCarrier({ baseUrl: stub.url, ...settings }),
    answer: (status: number, body: unknown) => {
      stub.respond = () => ({ status, body });
    },
    json: () => JSON.parse(stub.lastRequest.body),
  };
}

export const neverAborted = new AbortController().signal;

export function createRecordingSinks(overrides: Partial<CarrierSinks> = {}) {
  const reports = { receipts: [] as unknown[], inbound: [] as InboundSms[] };
  const sinks: CarrierSinks = {
    receipts: async (batch) => void reports.receipts.push(...batch),
    inbound: async (batch) => void reports.inbound.push(...(batch as InboundSms[])),
    people: async () => undefined,
    acknowledged: async () => undefined,
    health: async () => undefined,
    pause: async () => undefined,
    channels: async () => [],
    hasTemplate: async () => true,
    linkNumbers: async () => undefined,
    isMaybeAccepted: async () => false,
    findRecipients: async () => [],
    media: noMedia,
    ...overrides,
  };
  return { sinks, reports };
}

export interface Call {
  kind: ReportKind;
  query?: string;
  headers?: Record<string, string>;
  json?: unknown;
  form?: Record<string, string>;
  /** Null for none. */
  secret?: string | null;
  ip?: string;
}

/** Builds the full callback URL, because some vendors include the URL in their signature. */
export function toUrl({ kind, query, secret = null }: Pick<Call, 'kind' | 'query' | 'secret'>): string {
  const path = `/callbacks/http/v/${kind}${secret === null ? '' : `/${secret}`}`;
  return query === undefined ? path : `${path}?${query}`;
}

export function toBody({ json, form }: Pick<Call, 'json' | 'form'>): Buffer {
  if (json !== undefined) return Buffer.from(JSON.stringify(json));
  return Buffer.from(form ? new URLSearchParams(form).toString() : '');
}

export function receiveCall(carrier: HttpCarrier, call: Call): Reports & { answer: string | object } {
  const { kind, query = '', headers = {}, secret = null, ip = '192.0.2.1' } = call;
  const body = toBody(call);
  const method = body.length > 0 ? 'POST' : 'GET';
  const path = secret === null ? `/${kind}` : `/${kind}/:secret`;
  const endpoint = httpEndpoints.find((candidate) => candidate.method === method && candidate.path === path);
  if (!endpoint) throw new Error(`there is no ${method} ${path}`);
  const type = call.json === undefined ? 'application/x-www-form-urlencoded' : 'application/json';
  const head = {
    method,
    url: toUrl(call),
    headers: { ...(body.length > 0 && { 'content-type': type }), ...headers },
    query: { ...parse(query) },
    params: { carrier: 'v', ...(secret !== null && { secret }) },
    ip,
  };
  const log = pino({ level: 'silent' });
  endpoint.admit?.(carrier, head, log);
  const { store, answer } = endpoint.handle(carrier, { ...head, body }, log);
  const envelope = store && parseEnvelope(store);
  if (!envelope) throw new Error('the call cannot be read');
  return { ...readReports(carrier.plan, { ...envelope, carrier: 'v', receivedAt: NOW }), answer };
}
