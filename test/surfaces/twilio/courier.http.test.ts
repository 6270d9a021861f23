import { beforeAll, describe, expect, it } from 'vitest';
import { toSid } from '../../../src/platform/text/sids.js';
import { addTemplate } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { suiteApp } from '../../support/suite.js';
import { callTwilio } from '../../support/twilio-calls.js';

/**
 * RapidPro's courier calls Twilio's REST API without an SDK (https://github.com/nyaruka/courier, handlers/twiml and its
 * testdata). Courier reads `sid` from a success and `code` from a refusal.
 */
const heliograph = suiteApp({ role: 'api' });
const TO = '15005550777';
const PERSON = 'US.13491208655302741918';
const STATUS = 'https://chat.example.com/c/t/0192f0c1/status?uuid=0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55&action=callback';
let whatsappChannel: TestChannel;
let smsChannel: TestChannel;
let template: string;

beforeAll(async () => {
  whatsappChannel = await createTestChannel(heliograph.deps);
  smsChannel = await createTestChannel(heliograph.deps, whatsappChannel.account, { kind: 'sms' });
  const components = [{ type: 'BODY', text: 'Hello {{1}}, see you {{2}}.' }];
  template = await addTemplate(heliograph, whatsappChannel, { name: 'visit', components });
});

const send = (form: Record<string, string> | [string, string][]) =>
  callTwilio(heliograph, whatsappChannel.account, 'POST', '/Messages.json', form, { accept: 'application/json' });
const toServiceSid = ({ channelId }: TestChannel) => toSid('MG', channelId);

const SENDS: readonly [string, () => Record<string, string>, () => object][] = [
  [
    'a text from a short code, with characters outside the GSM alphabet',
    () => ({ Body: 'See you ☺', From: '2020', StatusCallback: STATUS, To: `+${TO}` }),
    () => ({ body: 'See you ☺', from: '2020', to: `+${TO}`, num_media: '0' }),
  ],
  [
    'a text by a messaging service, without From',
    () => ({ Body: 'Hi', MessagingServiceSid: toServiceSid(smsChannel), StatusCallback: STATUS, To: `+${TO}` }),
    () => ({ from: `+${smsChannel.phoneNumber}`, messaging_service_sid: toServiceSid(smsChannel) }),
  ],
  [
    'a text with link shortening',
    () => ({
      Body: 'https://example.com',
      MessagingServiceSid: toServiceSid(smsChannel),
      ShortenUrls: 'true',
      To: `+${TO}`,
    }),
    () => ({ body: 'https://example.com' }),
  ],
  [
    'WhatsApp with both From and a messaging service',
    () => ({
      ...{
        Body: 'Hi',
        From: `whatsapp:+${whatsappChannel.phoneNumber}`,
        MessagingServiceSid: toServiceSid(whatsappChannel),
      },
      ...{ StatusCallback: STATUS, To: `whatsapp:+${TO}` },
    }),
    () => ({ from: `whatsapp:+${whatsappChannel.phoneNumber}`, to: `whatsapp:+${TO}` }),
  ],
  [
    'WhatsApp to a user ID',
    () => ({
      Body: 'Hi',
      From: `whatsapp:+${whatsappChannel.phoneNumber}`,
      StatusCallback: STATUS,
      To: `whatsapp:${PERSON}`,
    }),
    () => ({ to: `whatsapp:${PERSON}` }),
  ],
  [
    'a template with numbered variables and without Body',
    () => ({
      ...{ ContentSid: toSid('HX', template), ContentVariables: '{"1":"Ada","2":"tomorrow"}' },
      ...{ From: `whatsapp:+${whatsappChannel.phoneNumber}`, StatusCallback: STATUS, To: `whatsapp:+${TO}` },
    }),
    () => ({ body: 'Hello Ada, see you tomorrow.', to: `whatsapp:+${TO}` }),
  ],
  [
    'a file with a text',
    () => ({
      ...{
        Body: 'My picture',
        From: `whatsapp:+${whatsappChannel.phoneNumber}`,
        MediaUrl: 'https://example.com/a.jpg',
      },
      ...{ StatusCallback: STATUS, To: `whatsapp:+${TO}` },
    }),
    () => ({ body: 'My picture', num_media: '1', sid: expect.stringMatching(/^MM/) }),
  ],
  [
    'a file with an empty Body',
    () => ({
      ...{ Body: '', From: `whatsapp:+${whatsappChannel.phoneNumber}`, MediaUrl: 'https://example.com/a.m4a' },
      ...{ StatusCallback: STATUS, To: `whatsapp:+${TO}` },
    }),
    () => ({ body: '', num_media: '1' }),
  ],
];

describe("a program that calls Twilio's API directly", () => {
  it.each(SENDS)('sends %s', async (_what, getForm, getExpected) => {
    const response = await send(getForm());
    expect(response.statusCode, response.body).toBe(201);
    expect(response.json()).toMatchObject({
      sid: expect.stringMatching(/^(SM|MM)[0-9a-f]{32}$/),
      status: 'queued',
      ...getExpected(),
    });
  });

  it('sends the parts of a long text one after the other, with the same callback', async () => {
    const form = { From: '2020', StatusCallback: STATUS, To: `+${TO}` };
    const sids = new Set<string>();
    for (const Body of ['The first part of what is long,', 'and the second.']) {
      sids.add((await send({ ...form, Body })).json().sid);
    }
    expect(sids.size).toBe(2);
  });

  it('gets an error code that explains a refused send', async () => {
    const form = { From: '2020', StatusCallback: STATUS, To: `+${TO}` };
    const getErrorCodes = async (extraFields: [string, string][]) => {
      const response = await send([...Object.entries(form), ...extraFields]);
      return [response.statusCode, response.json().code];
    };
    const files: [string, string][] = [
      ['Body', ''],
      ['MediaUrl', 'https://example.com/a.jpg'],
      ['MediaUrl', 'https://example.com/b.m4a'],
    ];
    expect(await getErrorCodes(files)).toEqual([400, 21612]);
    expect(await getErrorCodes([['Body', '']])).toEqual([400, 21602]);
    const refusal = await send({ ...form, Body: 'Hi', To: '+1' });
    expect([refusal.statusCode, refusal.json().code]).toEqual([400, 21211]);
  });
});
