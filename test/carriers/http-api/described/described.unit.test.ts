import { generateKeyPairSync } from 'node:crypto';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { find, subjectOf } from '../../../../src/carriers/http-api/answer/outcome.js';
import { readReports } from '../../../../src/carriers/http-api/callbacks/reports.js';
import type { ReportKind } from '../../../../src/carriers/http-api/plan.js';
import { CALLED, MESSAGE_ID, NOW, never, OTHER, outbound, PUBLIC_URL, suiteVendor } from '../setup.js';
import described from './descriptions.json' with { type: 'json' };
import { type DescribedSchema, sampleOf, valuesOf } from './samples.js';

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
  vonage: { apiKey: 'abcd1234', apiSecret: 'the-api-secret', ...CALLED },
  'vonage-messages': {
    applicationId: MESSAGE_ID,
    privateKey: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
    signatureSecret: 'the-signature-secret',
    publicUrl: PUBLIC_URL,
  },
  aws: { region: 'eu-central-1', accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'the-secret-access-key' },
};

/** Fields of our requests that a description does not name: the vendor documents them elsewhere, or since. */
const UNNAMED: Readonly<Partial<Record<Preset, string[]>>> = {
  'vonage-messages': ['sms', 'ttl', 'webhook_url', 'webhook_version'],
};
/** What a description requires and describes nowhere. */
const NOWHERE: Readonly<Partial<Record<Preset, string>>> = { 'vonage-messages': 'message' };
/** What an answer says of a message that was taken, where the description leaves it open. */
const TAKEN: Readonly<Partial<Record<Preset, (answer: never) => void>>> = {
  vonage: ({ messages }: { messages: { status: string }[] }) => {
    for (const message of messages) message.status = '0';
  },
};

const names = Object.keys(PRESETS) as Preset[];
const carrierOf = (preset: Preset) => open({ preset, ...SETTINGS[preset] });

function readBody(preset: Preset): Record<string, unknown> {
  return PRESETS[preset].type === 'application/json' ? JSON.parse(stub.last.body) : stub.lastForm;
}

/** What a request breaks of its description. */
function problemsOf(preset: Preset, body: Record<string, unknown>): string[] {
  const { type, request } = PRESETS[preset];
  const ajv = new Ajv({
    ...{ strict: false, allErrors: true, validateFormats: false, unicodeRegExp: false },
    coerceTypes: type !== 'application/json',
  });
  ajv.validate(request, structuredClone(body));
  return (ajv.errors ?? [])
    .filter(({ params }) => NOWHERE[preset] === undefined || params.missingProperty !== NOWHERE[preset])
    .map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function propertiesOf({ properties = {}, allOf = [] }: DescribedSchema): string[] {
  return [...Object.keys(properties), ...allOf.flatMap(propertiesOf)];
}

/** The path of a description as a pattern of the paths that it means. */
function pathOf({ server, path }: Description): RegExp {
  const whole = `${new URL(server.replaceAll(/[{}]/g, '')).pathname}${path.replace(/#.*/, '')}`;
  const plain = whole.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
  return new RegExp(`^${plain.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

function read(preset: Preset, kind: ReportKind, body: unknown) {
  return readReports(carrierOf(preset).plan, { kind, body, query: {}, carrier: 'v', receivedAt: NOW });
}

describe.each(names)('the preset %s, against a stub made from the vendor’s OpenAPI file', (preset) => {
  const description = PRESETS[preset];

  it.each([
    ['of one part', { body: 'Hello' }],
    ['of UCS-2, from a number', { body: OTHER, from: '15005550006' }],
    ['whose validity is nearly over', { validUntil: new Date(NOW.getTime() + 1_500) }],
    ['that is valid for very long', { validUntil: new Date(NOW.getTime() + 9 * 86_400_000) }],
  ])('asks for a message %s as described, and reads the described answer', async (_what, message) => {
    const answer = sampleOf(description.answer);
    TAKEN[preset]?.(answer as never);
    stub.answer = () => ({ status: 200, body: answer });
    if (preset === 'vonage-messages') stub.answer = () => ({ status: 202, body: answer });
    const { carrierMessageId } = await carrierOf(preset).submit(outbound(message), never);
    expect(JSON.stringify(answer)).toContain(JSON.stringify(carrierMessageId));
    expect(stub.last.method).toBe('POST');
    expect(stub.last.path).toMatch(pathOf(description));
    const body = readBody(preset);
    expect(problemsOf(preset, body)).toEqual([]);
    const known = propertiesOf(description.request);
    const unnamed = Object.keys(body).filter((name) => !known.includes(name));
    expect(unnamed.sort()).toEqual(UNNAMED[preset] ?? []);
  });

  it('is told by the description where it breaks a rule', () => {
    expect(problemsOf(preset, {})).not.toEqual([]);
  });
});

describe('what vendors report, as their OpenAPI files describe it', () => {
  it.each([
    ['telnyx', (status: string) => ({ to: [{ status }] })],
    ['vonage-messages', (status: string) => ({ status })],
  ] as const)('is understood for every state of %s', (preset, stated) => {
    const schema = PRESETS[preset].report as DescribedSchema;
    const states = [...new Set(valuesOf(schema, 'status'))];
    expect(states.length).toBeGreaterThan(3);
    for (const state of states) {
      const sample = sampleOf(schema) as { data?: { payload: object } };
      Object.assign(sample.data?.payload ?? sample, stated(state));
      const { receipts, unused } = read(preset, 'events', sample);
      expect(unused, state).toEqual([]);
      for (const { carrierMessageId } of receipts) expect(JSON.stringify(sample)).toContain(carrierMessageId);
    }
  });

  it('has the fields that the preset vonage reads', () => {
    const sample = sampleOf(PRESETS.vonage.report as DescribedSchema) as object;
    const { receipts, unused } = read('vonage', 'receipts', { ...sample, status: 'delivered', messageId: 'v-1' });
    expect({ receipts, unused }).toMatchObject({ unused: [], receipts: [{ carrierMessageId: 'v-1' }] });
  });

  it.each(['telnyx', 'vonage', 'vonage-messages'] as const)('is a message of a telephone by %s', (preset) => {
    const { inbound, unused } = read(preset, 'inbound', sampleOf(PRESETS[preset].inbound as DescribedSchema));
    expect(unused).toEqual([]);
    expect(inbound).toHaveLength(1);
    expect(inbound[0]?.from).not.toBe('');
    expect(inbound[0]?.body).toBe('word');
  });

  it.each(['twilio', 'telnyx'] as const)('is a balance of %s', (preset) => {
    const sample = sampleOf(PRESETS[preset].balance as DescribedSchema);
    const subject = subjectOf({ status: 200, text: JSON.stringify(sample) });
    expect(find(carrierOf(preset).plan.balance?.amount ?? null, subject)).toMatch(/^(?:word|12\.34)$/);
  });
});
