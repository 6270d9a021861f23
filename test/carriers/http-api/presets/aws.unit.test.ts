import * as sdk from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { SignatureV4 } from '@smithy/signature-v4';
import { describe, expect, it, vi } from 'vitest';
import { outcomeOf } from '../../../../src/carriers/http-api/answer/outcome.js';
import { readReports } from '../../../../src/carriers/http-api/callbacks/reports.js';
import type { VendorRequest } from '../../../support/carriers/vendor/vendor-stub.js';
import { httpCarrier, NOW, never, outbound, suiteVendor, TEXT } from '../setup.js';
import { Sha256 } from './sha256.js';

const { answer, json, open, stub } = suiteVendor();
const REGION = 'eu-central-1';
const KEY = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'the-secret-access-key' };
const carrier = (more: object = {}) => open({ preset: 'aws', region: REGION, ...KEY, ...more });

/** The `Authorization` that AWS' signer computes for a request as it came, of the headers that it says are signed. */
async function signatureOf({ method, path, headers, body }: VendorRequest, secretAccessKey: string): Promise<string> {
  const signed = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? [];
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(headers['x-amz-date'])) ?? [];
  const signer = new SignatureV4({
    ...{ region: REGION, service: 'sms-voice', sha256: Sha256 },
    credentials: { ...KEY, secretAccessKey },
    applyChecksum: signed.includes('x-amz-content-sha256'),
  });
  const request = {
    ...{ method, path, body, protocol: 'http:', hostname: '127.0.0.1', query: {} },
    // That of the body is computed as well.
    headers: Object.fromEntries(
      signed.flatMap((name) => (name === 'x-amz-content-sha256' ? [] : [[name, String(headers[name])]])),
    ),
  };
  const made = await signer.sign(request, {
    signingDate: new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`),
    signableHeaders: new Set(signed),
  });
  return made.headers.authorization ?? '';
}

describe('the preset aws', () => {
  it('has the SDK write SendTextMessage, signed as AWS’ own signer signs what arrived', async () => {
    answer(200, { MessageId: 'aws-1' });
    expect(await carrier({ configurationSet: 'heliograph' }).submit(outbound(), never)).toEqual({
      carrierMessageId: 'aws-1',
    });
    expect(stub.last).toMatchObject({ method: 'POST', path: '/' });
    expect(stub.last.headers).toMatchObject({
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'PinpointSMSVoiceV2.SendTextMessage',
      'content-length': String(Buffer.byteLength(stub.last.body)),
    });
    expect(json()).toEqual({
      DestinationPhoneNumber: '+15005550010',
      OriginationIdentity: 'Heliograph',
      MessageBody: TEXT,
      MessageType: 'TRANSACTIONAL',
      TimeToLive: 3600,
      ConfigurationSetName: 'heliograph',
    });
    const { authorization } = stub.last.headers;
    expect(authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/\d{8}\/eu-central-1\/sms-voice\/aws4_request, /,
    );
    expect(authorization).toMatch(/SignedHeaders=[^,]*host[^,]*x-amz-date/);
    expect(await signatureOf(stub.last, KEY.secretAccessKey)).toBe(authorization);
    expect(await signatureOf(stub.last, 'another-secret')).not.toBe(authorization);
    const changed = { ...stub.last, body: stub.last.body.replace('3600', '3601') };
    expect(await signatureOf(changed, KEY.secretAccessKey)).not.toBe(authorization);
  });

  it('asks for the address of its region, and repeats nothing by itself', async () => {
    expect(httpCarrier({ preset: 'aws', region: REGION, ...KEY }).plan.send.url).toBe(
      'https://sms-voice.eu-central-1.amazonaws.com/',
    );
    answer(500, { __type: 'InternalServerException', Message: 'words' });
    const before = stub.requests.length;
    await expect(carrier().submit(outbound(), never)).rejects.toMatchObject({ code: 'BAD_ANSWER', answerLost: true });
    expect(stub.requests.length).toBe(before + 1);
  });

  it('sends nothing where the SDK cannot write a request, and tries again later', async () => {
    const failing = vi.spyOn(sdk.PinpointSMSVoiceV2Client.prototype, 'send');
    failing.mockImplementationOnce(() => Promise.reject(new TypeError(KEY.secretAccessKey)));
    const before = stub.requests.length;
    const one = carrier();
    const refusal = await one.submit(outbound(), never).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'NOT_WRITTEN', retryable: true, notTried: true });
    expect(String(refusal)).toContain('could not be written (TypeError)');
    expect(String(refusal)).not.toContain(KEY.secretAccessKey);
    expect(stub.requests.length).toBe(before);
    failing.mockRestore();
    answer(200, { MessageId: 'aws-2' });
    expect(await one.submit(outbound(), never)).toEqual({ carrierMessageId: 'aws-2' });
  });

  it('sends many at once, each as it is', async () => {
    stub.answer = ({ body }) => ({ status: 200, body: { MessageId: JSON.parse(body).MessageBody } });
    const one = carrier();
    const texts = Array.from({ length: 40 }, (_, each) => `text ${each}`);
    const sent = await Promise.all(texts.map((body) => one.submit(outbound({ body }), never)));
    expect(sent.map(({ carrierMessageId }) => carrierMessageId)).toEqual(texts);
  });

  const error = (type: string, more: object = {}) => ({ __type: `com.amazonaws.x#${type}`, Message: 'words', ...more });
  it.each([
    [
      400,
      error('ValidationException', { Reason: 'INVALID_PARAMETER' }),
      { code: 'INVALID_PARAMETER', retryable: false },
    ],
    [400, error('ConflictException', { Reason: 'DESTINATION_PHONE_NUMBER_OPTED_OUT' }), { retryable: false }],
    [400, error('ResourceNotFoundException'), { code: 'ResourceNotFoundException', retryable: false }],
    [400, error('ThrottlingException'), { code: 'ThrottlingException', retryable: true }],
    [503, { __type: 'ServiceUnavailableException' }, { code: 'ServiceUnavailableException', retryable: true }],
    [400, error('AccessDeniedException'), { code: 'AccessDeniedException', retryable: true }],
    [400, { __type: 'UnrecognizedClientException' }, { code: 'UnrecognizedClientException', retryable: true }],
  ])('understands status %s with %j', async (status, body, told) => {
    answer(status, body);
    await expect(carrier().submit(outbound(), never)).rejects.toMatchObject({ answerLost: false, ...told });
  });

  it('pauses while nothing more may be spent, or the credentials are refused', async () => {
    for (const [body, reason] of [
      [error('ServiceQuotaExceededException', { Reason: 'MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT' }), /no credit left/],
      [error('InvalidSignatureException'), /refuses the credentials/],
    ] as const) {
      const one = carrier();
      answer(400, body);
      await expect(one.submit(outbound(), never)).rejects.toMatchObject({ retryable: true });
      expect(one.state()).toMatchObject({ up: false, reason: expect.stringMatching(reason) });
    }
  });

  it('knows every reason of an error that the SDK names, of which few are no fault of the message', () => {
    const reasons = [
      sdk.AccessDeniedExceptionReason,
      sdk.ConflictExceptionReason,
      sdk.ServiceQuotaExceededExceptionReason,
      sdk.ValidationExceptionReason,
    ].flatMap((each) => Object.values(each));
    expect(reasons.length).toBeGreaterThan(50);
    const others = reasons.flatMap((reason) => {
      const text = JSON.stringify({ __type: 'AnyException', Message: 'words', Reason: reason });
      const outcome = outcomeOf({ status: 400, text }, carrier().plan.answer);
      if (outcome.taken) throw new Error(`${reason} is read as success`);
      expect(outcome.code).toBe(reason);
      return outcome.meaning === 'final' ? [] : [[reason, outcome.meaning]];
    });
    expect(others.sort()).toEqual([
      ['ACCOUNT_DISABLED', 'credentials'],
      ['INSUFFICIENT_ACCOUNT_REPUTATION', 'credentials'],
      ['MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT', 'credit'],
    ]);
  });

  it('knows every event of texts that the SDK names', () => {
    const { plan } = carrier();
    const events = Object.values(sdk.EventType).filter((each) => each.startsWith('TEXT_') && each !== 'TEXT_ALL');
    expect(events.length).toBeGreaterThan(12);
    for (const eventType of events) {
      const body = { eventType, messageId: 'aws-1', eventTimestamp: NOW.getTime() - 5_000 };
      const { unused } = readReports(plan, { kind: 'events', query: {}, body, carrier: 'v', receivedAt: NOW });
      expect(unused, eventType).toEqual([]);
    }
  });
});
