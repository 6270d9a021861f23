import { generateKeyPairSync } from 'node:crypto';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { extractText, toSubject } from '../../../../src/carriers/http-api/answer/outcome.js';
import { readReports } from '../../../../src/carriers/http-api/callbacks/reports.js';
import type { ReportKind } from '../../../../src/carriers/http-api/plan.js';
import {
  CALLBACK_SETTINGS,
  createOutbound,
  MESSAGE_ID,
  NOW,
  neverAborted,
  PUBLIC_URL,
  suiteVendor,
  UCS2_TEXT,
} from '../setup.js';
import described from './descriptions.json' with { type: 'json' };
import { collectEnumValues, createSample, type DescribedSchema } from './samples.js';

interface Description {
  server: string;
  path: string;
  type: string;
  request: DescribedSchema;
  answer: DescribedSchema;
  balance?: DescribedSchema;
  report?: DescribedSchema;
  inbound?: DescribedSchema;
}

const { stub, open } = suiteVendor();
const PRESETS = described.presets as unknown as Readonly<Record<Preset, Description>>;
type Preset = 'twilio' | 'telnyx' | 'vonage' | 'vonage-messages' | 'aws';

const SETTINGS: Readonly<Record<Preset, object>> = {
  twilio: { accountSid: `AC${'0'.repeat(32)}`, authToken: 'the-auth-token', publicUrl: PUBLIC_URL },
  telnyx: { apiKey: 'KEY', publicKey: Buffer.alloc(32, 1).toString('base64'), publicUrl: PUBLIC_URL },
  vonage: { apiKey: 'abcd1234', apiSecret: 'the-api-secret', ...CALLBACK_SETTINGS },
  'vonage-messages': {
    applicationId: MESSAGE_ID,
    privateKey: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
    signatureSecret: 'the-signature-secret',
    publicUrl: PUBLIC_URL,
  },
  aws: { region: 'eu-central-1', accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'the-secret-access-key' },
};

/** Request fields that the vendor's OpenAPI file lacks, because they are documented elsewhere or were added later. */
const UNDOCUMENTED_FIELDS: Readonly<Partial<Record<Preset, string[]>>> = {
  'vonage-messages': ['sms', 'ttl', 'webhook_url', 'webhook_version'],
};
/** Request fields that a vendor's OpenAPI file lists as required but does not define. */
const UNDEFINED_FIELDS: Readonly<Partial<Record<Preset, string>>> = { 'vonage-messages': 'message' };
const MARK_ACCEPTED: Readonly<Partial<Record<Preset, (response: never) => void>>> = {
  vonage: ({ messages }: { messages: { status: string }[] }) => {
    for (const message of messages) message.status = '0';
  },
};

const names = Object.keys(PRESETS) as Preset[];
const openCarrier = (preset: Preset) => open({ preset, ...SETTINGS[preset] });

function readBody(preset: Preset): Record<string, unknown> {
  return PRESETS[preset].type === 'application/json' ? JSON.parse(stub.lastRequest.body) : stub.lastForm;
}

function findProblems(preset: Preset, body: Record<string, unknown>): string[] {
  const { type, request } = PRESETS[preset];
  const ajv = new Ajv({
    ...{ strict: false, allErrors: true, validateFormats: false, unicodeRegExp: false },
    coerceTypes: type !== 'application/json',
  });
  ajv.validate(request, structuredClone(body));
  return (ajv.errors ?? [])
    .filter(
      ({ params }) => UNDEFINED_FIELDS[preset] === undefined || params.missingProperty !== UNDEFINED_FIELDS[preset],
    )
    .map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function listProperties({ properties = {}, allOf = [] }: DescribedSchema): string[] {
  return [...Object.keys(properties), ...allOf.flatMap(listProperties)];
}

function toPathPattern({ server, path }: Description): RegExp {
  const rawPath = `${new URL(server.replaceAll(/[{}]/g, '')).pathname}${path.replace(/#.*/, '')}`;
  const normalizedPath = rawPath.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
  return new RegExp(`^${normalizedPath.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

function readPresetReports(preset: Preset, kind: ReportKind, body: unknown) {
  return readReports(openCarrier(preset).plan, { kind, body, query: {}, carrier: 'v', receivedAt: NOW });
}

describe.each(names)('the preset %s, against a stub made from the vendor’s OpenAPI file', (preset) => {
  const description = PRESETS[preset];

  it.each([
    ['of one part', { body: 'Hello' }],
    ['of UCS-2, from a number', { body: UCS2_TEXT, from: '15005550006' }],
    ['whose validity is nearly over', { validUntil: new Date(NOW.getTime() + 1_500) }],
    ['that is valid for very long', { validUntil: new Date(NOW.getTime() + 9 * 86_400_000) }],
  ])('requests a message %s as described, and reads the described response', async (_case, message) => {
    const response = createSample(description.answer);
    MARK_ACCEPTED[preset]?.(response as never);
    stub.respond = () => ({ status: 200, body: response });
    if (preset === 'vonage-messages') stub.respond = () => ({ status: 202, body: response });
    const { carrierMessageId } = await openCarrier(preset).submit(createOutbound(message), neverAborted);
    expect(JSON.stringify(response)).toContain(JSON.stringify(carrierMessageId));
    expect(stub.lastRequest.method).toBe('POST');
    expect(stub.lastRequest.path).toMatch(toPathPattern(description));
    const body = readBody(preset);
    expect(findProblems(preset, body)).toEqual([]);
    const documented = listProperties(description.request);
    const undocumented = Object.keys(body).filter((name) => !documented.includes(name));
    expect(undocumented.sort()).toEqual(UNDOCUMENTED_FIELDS[preset] ?? []);
  });

  it('fails a request that violates the OpenAPI file', () => {
    expect(findProblems(preset, {})).not.toEqual([]);
  });
});

describe("reports as described in vendors' OpenAPI files", () => {
  it.each([
    ['telnyx', (status: string) => ({ to: [{ status }] })],
    ['vonage-messages', (status: string) => ({ status })],
  ] as const)('reports as described in an OpenAPI file are understood in every state of %s', (preset, withState) => {
    const schema = PRESETS[preset].report as DescribedSchema;
    const states = [...new Set(collectEnumValues(schema, 'status'))];
    expect(states.length).toBeGreaterThan(3);
    for (const state of states) {
      const sample = createSample(schema) as { data?: { payload: object } };
      Object.assign(sample.data?.payload ?? sample, withState(state));
      const { receipts, unmatched } = readPresetReports(preset, 'events', sample);
      expect(unmatched, state).toEqual([]);
      for (const { carrierMessageId } of receipts) expect(JSON.stringify(sample)).toContain(carrierMessageId);
    }
  });

  it('reports as described in an OpenAPI file contain the fields that the vonage preset reads', () => {
    const sample = createSample(PRESETS.vonage.report as DescribedSchema) as object;
    const { receipts, unmatched } = readPresetReports('vonage', 'receipts', {
      ...sample,
      status: 'delivered',
      messageId: 'v-1',
    });
    expect({ receipts, unmatched }).toMatchObject({ unmatched: [], receipts: [{ carrierMessageId: 'v-1' }] });
  });

  it.each(['telnyx', 'vonage', 'vonage-messages'] as const)(
    'reports as described in an OpenAPI file are read as an inbound message by %s',
    (preset) => {
      const { inbound, unmatched } = readPresetReports(
        preset,
        'inbound',
        createSample(PRESETS[preset].inbound as DescribedSchema),
      );
      expect(unmatched).toEqual([]);
      expect(inbound).toHaveLength(1);
      expect(inbound[0]?.from).not.toBe('');
      expect(inbound[0]?.body).toBe('word');
    },
  );

  it.each(['twilio', 'telnyx'] as const)(
    'responses as described in an OpenAPI file are read as a balance by %s',
    (preset) => {
      const sample = createSample(PRESETS[preset].balance as DescribedSchema);
      const subject = toSubject({ status: 200, text: JSON.stringify(sample) });
      expect(extractText(openCarrier(preset).plan.balance?.amount ?? null, subject)).toMatch(/^(?:word|12\.34)$/);
    },
  );
});
