import * as sdk from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { SignatureV4 } from '@smithy/signature-v4';
import { describe, expect, it, vi } from 'vitest';
import { readOutcome } from '../../../../src/carriers/http-api/answer/outcome.js';
import { readReports } from '../../../../src/carriers/http-api/callbacks/reports.js';
import type { VendorRequest } from '../../../support/carriers/vendor/vendor-stub.js';
import { createOutbound, NOW, neverAborted, openHttpCarrier, suiteVendor, TEXT } from '../setup.js';
import { Sha256 } from './sha256.js';

const { answer, json, open, stub } = suiteVendor();
const REGION = 'eu-central-1';
const KEY = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'the-secret-access-key' };
const openAws = (overrides: object = {}) => open({ preset: 'aws', region: REGION, ...KEY, ...overrides });

async function computeSignature(
  { method, path, headers, body }: VendorRequest,
  secretAccessKey: string,
): Promise<string> {
  const signedHeaders = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? [];
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(headers['x-amz-date'])) ?? [];
  const signer = new SignatureV4({
    ...{ region: REGION, service: 'sms-voice', sha256: Sha256 },
    credentials: { ...KEY, secretAccessKey },
    applyChecksum: signedHeaders.includes('x-amz-content-sha256'),
  });
  const request = {
    ...{ method, path, body, protocol: 'http:', hostname: '127.0.0.1', query: {} },
    headers: Object.fromEntries(
      signedHeaders.flatMap((name) => (name === 'x-amz-content-sha256' ? [] : [[name, String(headers[name])]])),
    ),
  };
  const result = await signer.sign(request, {
    signingDate: new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`),
    signableHeaders: new Set(signedHeaders),
  });
  return result.headers.authorization ?? '';
}

describe('the preset aws', () => {
  it('the preset aws sends SendTextMessage with a signature that the AWS signer confirms', async () => {
    answer(200, { MessageId: 'aws-1' });
    expect(await openAws({ configurationSet: 'heliograph' }).submit(createOutbound(), neverAborted)).toEqual({
      carrierMessageId: 'aws-1',
    });
    expect(stub.lastRequest).toMatchObject({ method: 'POST', path: '/' });
    expect(stub.lastRequest.headers).toMatchObject({
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'PinpointSMSVoiceV2.SendTextMessage',
      'content-length': String(Buffer.byteLength(stub.lastRequest.body)),
    });
    expect(json()).toEqual({
      DestinationPhoneNumber: '+15005550010',
      OriginationIdentity: 'Heliograph',
      MessageBody: TEXT,
      MessageType: 'TRANSACTIONAL',
      TimeToLive: 3600,
      ConfigurationSetName: 'heliograph',
    });
    const { authorization } = stub.lastRequest.headers;
    expect(authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/\d{8}\/eu-central-1\/sms-voice\/aws4_request, /,
    );
    expect(authorization).toMatch(/SignedHeaders=[^,]*host[^,]*x-amz-date/);
    expect(await computeSignature(stub.lastRequest, KEY.secretAccessKey)).toBe(authorization);
    expect(await computeSignature(stub.lastRequest, 'another-secret')).not.toBe(authorization);
    const changedRequest = { ...stub.lastRequest, body: stub.lastRequest.body.replace('3600', '3601') };
    expect(await computeSignature(changedRequest, KEY.secretAccessKey)).not.toBe(authorization);
  });

  it('the preset aws uses the endpoint of its region, and does not retry by itself', async () => {
    expect(openHttpCarrier({ preset: 'aws', region: REGION, ...KEY }).plan.send.url).toBe(
      'https://sms-voice.eu-central-1.amazonaws.com/',
    );
    answer(500, { __type: 'InternalServerException', Message: 'words' });
    const requestsBefore = stub.requests.length;
    await expect(openAws().submit(createOutbound(), neverAborted)).rejects.toMatchObject({
      code: 'BAD_ANSWER',
      answerLost: true,
    });
    expect(stub.requests.length).toBe(requestsBefore + 1);
  });

  it('the preset aws sends nothing if the SDK fails to build a request, and recovers', async () => {
    const sendSpy = vi.spyOn(sdk.PinpointSMSVoiceV2Client.prototype, 'send');
    sendSpy.mockImplementationOnce(() => Promise.reject(new TypeError(KEY.secretAccessKey)));
    const requestsBefore = stub.requests.length;
    const awsCarrier = openAws();
    const refusal = await awsCarrier.submit(createOutbound(), neverAborted).catch((error: unknown) => error);
    expect(String(refusal)).toContain('could not be built (TypeError)');
    expect(String(refusal)).toContain('could not be built (TypeError)');
    expect(String(refusal)).not.toContain(KEY.secretAccessKey);
    expect(stub.requests.length).toBe(requestsBefore);
    sendSpy.mockRestore();
    answer(200, { MessageId: 'aws-2' });
    expect(await awsCarrier.submit(createOutbound(), neverAborted)).toEqual({ carrierMessageId: 'aws-2' });
  });

  it('the preset aws keeps concurrent messages apart', async () => {
    stub.respond = ({ body }) => ({ status: 200, body: { MessageId: JSON.parse(body).MessageBody } });
    const awsCarrier = openAws();
    const texts = Array.from({ length: 40 }, (_, index) => `text ${index}`);
    const submissions = await Promise.all(
      texts.map((body) => awsCarrier.submit(createOutbound({ body }), neverAborted)),
    );
    expect(submissions.map(({ carrierMessageId }) => carrierMessageId)).toEqual(texts);
  });

  const createErrorBody = (type: string, overrides: object = {}) => ({
    __type: `com.amazonaws.x#${type}`,
    Message: 'words',
    ...overrides,
  });
  it.each([
    [
      400,
      createErrorBody('ValidationException', { Reason: 'INVALID_PARAMETER' }),
      { code: 'INVALID_PARAMETER', retryable: false },
    ],
    [400, createErrorBody('ConflictException', { Reason: 'DESTINATION_PHONE_NUMBER_OPTED_OUT' }), { retryable: false }],
    [400, createErrorBody('ResourceNotFoundException'), { code: 'ResourceNotFoundException', retryable: false }],
    [400, createErrorBody('ThrottlingException'), { code: 'ThrottlingException', retryable: true }],
    [503, { __type: 'ServiceUnavailableException' }, { code: 'ServiceUnavailableException', retryable: true }],
    [400, createErrorBody('AccessDeniedException'), { code: 'AccessDeniedException', retryable: true }],
    [400, { __type: 'UnrecognizedClientException' }, { code: 'UnrecognizedClientException', retryable: true }],
  ])('the preset aws reads status %s with %j', async (status, body, expected) => {
    answer(status, body);
    await expect(openAws().submit(createOutbound(), neverAborted)).rejects.toMatchObject({
      answerLost: false,
      ...expected,
    });
  });

  it('the preset aws pauses when the spending limit is reached or the credentials are rejected', async () => {
    for (const [body, reason] of [
      [
        createErrorBody('ServiceQuotaExceededException', { Reason: 'MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT' }),
        /no credit left/,
      ],
      [createErrorBody('InvalidSignatureException'), /rejects the credentials/],
    ] as const) {
      const awsCarrier = openAws();
      answer(400, body);
      await expect(awsCarrier.submit(createOutbound(), neverAborted)).rejects.toMatchObject({ retryable: true });
      expect(awsCarrier.state()).toMatchObject({ up: false, reason: expect.stringMatching(reason) });
    }
  });

  it('the preset aws has a meaning for every error reason of the SDK; nearly all refuse the message for good', () => {
    const reasons = [
      sdk.AccessDeniedExceptionReason,
      sdk.ConflictExceptionReason,
      sdk.ServiceQuotaExceededExceptionReason,
      sdk.ValidationExceptionReason,
    ].flatMap((errors) => Object.values(errors));
    expect(reasons.length).toBeGreaterThan(50);
    const exceptions = reasons.flatMap((reason) => {
      const text = JSON.stringify({ __type: 'AnyException', Message: 'words', Reason: reason });
      const outcome = readOutcome({ status: 400, text }, openAws().plan.answer);
      if (outcome.isAccepted) throw new Error(`${reason} is read as success`);
      expect(outcome.code).toBe(reason);
      return outcome.meaning === 'final' ? [] : [[reason, outcome.meaning]];
    });
    expect(exceptions.sort()).toEqual([
      ['ACCOUNT_DISABLED', 'credentials'],
      ['INSUFFICIENT_ACCOUNT_REPUTATION', 'credentials'],
      ['MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT', 'credit'],
    ]);
  });

  it('the preset aws has a meaning for every text event of the SDK', () => {
    const { plan } = openAws();
    const events = Object.values(sdk.EventType).filter(
      (eventType) => eventType.startsWith('TEXT_') && eventType !== 'TEXT_ALL',
    );
    expect(events.length).toBeGreaterThan(12);
    for (const eventType of events) {
      const body = { eventType, messageId: 'aws-1', eventTimestamp: NOW.getTime() - 5_000 };
      const { unmatched } = readReports(plan, { kind: 'events', query: {}, body, carrier: 'v', receivedAt: NOW });
      expect(unmatched, eventType).toEqual([]);
    }
  });
});
