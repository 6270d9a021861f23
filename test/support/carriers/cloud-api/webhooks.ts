import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { signBody } from '../../../../src/carriers/whatsapp-cloud/callbacks/signature.js';
import type { TestApp } from '../../test-app.js';
import type { AcceptedMessage, CloudApi } from './cloud-api.js';

type Json = Record<string, unknown>;

export function buildEnvelope(value: Json, { field = 'messages', number = '106540352242922' } = {}): Json {
  const metadata = { display_phone_number: '15550783881', phone_number_id: number };
  return {
    object: 'whatsapp_business_account',
    entry: [
      { id: '102290129340398', changes: [{ value: { messaging_product: 'whatsapp', metadata, ...value }, field }] },
    ],
  };
}

export interface StatusOptions {
  /** Seconds since 1970. */
  timestamp?: number;
  /** Callback data of the message, omitted if Meta does not return any. */
  callbackData?: string;
  error?: { code: number; title: string; details: string };
}

export function buildStatus(id: string, status: string, options: StatusOptions = {}): Json {
  const { timestamp = Math.floor(Date.now() / 1000), callbackData, error } = options;
  return {
    id,
    status,
    timestamp: String(timestamp),
    recipient_id: '16505551234',
    ...(status !== 'failed' && {
      conversation: { id: '72b14d6bd5407799e66f64d1b338e567', origin: { type: 'utility' } },
      pricing: { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' },
    }),
    ...(callbackData !== undefined && { biz_opaque_callback_data: callbackData }),
    ...(error && {
      errors: [{ code: error.code, title: error.title, message: error.title, error_data: { details: error.details } }],
    }),
  };
}

export function buildStatusFor({ id, body }: AcceptedMessage, status: string, options: StatusOptions = {}): Json {
  return buildStatus(id, status, { callbackData: body.biz_opaque_callback_data as string, ...options });
}

export function buildInbound(type: string, node: unknown, extraFields: Json = {}): Json {
  return {
    contacts: [{ profile: { name: 'Sheena Nelson' }, wa_id: '16505551234' }],
    messages: [
      {
        from: '16505551234',
        id: `wamid.${type}.${Math.random()}`,
        timestamp: String(Math.floor(Date.now() / 1000)),
        type,
        ...(node !== undefined && { [type]: node }),
        ...extraFields,
      },
    ],
  };
}

/** Escapes all non-ASCII characters, as Meta does before signing. */
export function serialize(body: Json): Buffer {
  const text = JSON.stringify(body).replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return Buffer.from(text, 'utf8');
}

export function webhookRequest(
  { appSecret }: Pick<CloudApi, 'appSecret'>,
  carrier: string,
  body: Json | Buffer,
): { url: string; headers: Record<string, string>; payload: Buffer } {
  const payload = Buffer.isBuffer(body) ? body : serialize(body);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'facebookexternalua',
    'x-hub-signature-256': signBody(appSecret, payload),
  };
  return { url: `/callbacks/whatsapp-cloud/${carrier}`, headers, payload };
}

/** Posts a webhook as Meta does, correctly signed unless `headers` contain another signature. */
export function postWebhook(
  { app }: { app: FastifyInstance },
  stub: Pick<CloudApi, 'appSecret'>,
  carrier: string,
  body: Json | Buffer,
  headers: Record<string, string> = {},
): Promise<LightMyRequestResponse> {
  const { headers: signedHeaders, ...request } = webhookRequest(stub, carrier, body);
  return app.inject({ method: 'POST', ...request, headers: { ...signedHeaders, ...headers } });
}

/** Stores a webhook that has used up all attempts to find its message. */
export async function storeRetriedWebhook({ deps }: Pick<TestApp, 'deps'>, carrier: string, body: Json): Promise<void> {
  await deps.prisma.carrierCallback.create({ data: { carrier, body: new Uint8Array(serialize(body)), attempts: 6 } });
}
