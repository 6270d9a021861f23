import { describe, expect, it } from 'vitest';
import { readOutcome } from '../../../src/carriers/http-api/answer/outcome.js';
import { buildStoredPlan } from '../../../src/carriers/http-api/build-plan.js';
import { HTTP_PRESETS } from '../../../src/carriers/http-api/presets/presets.js';
import type { SettingValues } from '../../../src/carriers/settings.js';
import { PATH_SECRET, PUBLIC_URL } from './setup.js';

const SETTINGS = { baseUrl: 'https://api.example', publicUrl: PUBLIC_URL, callbackSecret: PATH_SECRET };

const classifyResponse = (settings: SettingValues, body: unknown, status = 200) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return readOutcome({ status, text }, buildStoredPlan({ ...SETTINGS, ...settings }).answer);
};

const WITHOUT_MESSAGE: Readonly<Record<string, readonly unknown[]>> = {
  africastalking: [{ SMSMessageData: { Message: 'Sent to 1/1 Total Cost: KES 0.8000', Recipients: [] } }, {}],
  aws: [{}, ''],
  clickatell: [{ messages: [], error: null }, { messages: [{ apiMessageId: 'x' }] }, {}],
  heliograph: [{ status: 'success', message: 'Queued.', code: 200, data: [] }],
  infobip: [{ bulkId: 'b', messages: [] }, { messages: [{ messageId: 'm', status: {} }] }],
  jasmin: ['', '<html>'],
  kannel: ['', '<html>'],
  messagebird: [{ recipients: { totalSentCount: 1 } }],
  plivo: [{ message: 'message(s) queued', message_uuid: [] }],
  sinch: [{ canceled: false }, { code: 200 }],
  telnyx: [{ data: {} }, { data: null }],
  twilio: [
    { status: 'queued', code: null },
    { code: 0, message: 'OK' },
  ],
  vonage: [{ 'message-count': '0', messages: [] }],
  'vonage-messages': [{}, { type: 'https://example/#ok' }],
};

describe('a success response without a message', () => {
  it.each(HTTP_PRESETS.map(({ name }) => name).filter((name) => name !== 'smsgate'))(
    'a success response of %s without a message may mean that the message was accepted',
    (preset) => {
      const bodies = WITHOUT_MESSAGE[preset];
      expect(bodies, 'a new preset needs its responses in WITHOUT_MESSAGE').toBeDefined();
      for (const body of bodies ?? []) {
        expect(classifyResponse({ preset }, body), JSON.stringify(body)).toMatchObject({
          isAccepted: false,
          meaning: 'lost',
        });
      }
    },
  );

  const clicksend = {
    url: 'https://api.example/v3/sms/send',
    success: 'data.messages[0].status = SUCCESS',
    idPath: 'data.messages[0].message_id',
    codePath: 'response_code',
    finalCodes: 'INVALID_RECIPIENT',
    throttledCodes: '0',
  };

  it.each(['SUCCESS', 'success', 'OK', 'Accepted', 'QUEUED', '200', '201', 'true'])(
    'a success response with the code %s but no message counts as a lost response without a preset',
    (response_code) => {
      const body = { http_code: 200, response_code, data: { messages: [] } };
      expect(classifyResponse(clicksend, body)).toMatchObject({
        isAccepted: false,
        meaning: 'lost',
        code: response_code,
      });
    },
  );

  it("a success response without a message uses the operator's meaning of a code, and the error text", () => {
    expect(classifyResponse(clicksend, { response_code: 'INVALID_RECIPIENT' })).toMatchObject({ meaning: 'final' });
    expect(classifyResponse(clicksend, { response_code: 'MISSING_CREDENTIALS' })).toMatchObject({ meaning: 'final' });
    expect(classifyResponse(clicksend, { response_code: '0' })).toMatchObject({ meaning: 'throttled' });
    expect(classifyResponse(clicksend, { response_code: 'SUCCESS' }, 400)).toMatchObject({ meaning: 'final' });
  });

  it('a success response without a message is a refusal if it has an error code', () => {
    expect(
      classifyResponse(
        { preset: 'africastalking' },
        { SMSMessageData: { Message: 'InvalidSenderId', Recipients: [] } },
      ),
    ).toMatchObject({
      meaning: 'final',
      code: 'InvalidSenderId',
    });
    expect(
      classifyResponse(
        { preset: 'clickatell' },
        { messages: [{ accepted: false, error: { code: 105, description: 'No' } }] },
      ),
    ).toMatchObject({ meaning: 'final', code: '105' });
  });
});
