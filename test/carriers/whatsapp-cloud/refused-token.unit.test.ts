import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CarrierChannel } from '../../../src/carriers/carrier.js';
import type { WhatsappCloud } from '../../../src/carriers/whatsapp-cloud/whatsapp-cloud.js';
import { newId } from '../../../src/platform/ids.js';
import { CloudApi } from '../../support/carriers/cloud-api/cloud-api.js';
import { waitFor } from '../../support/wait-for.js';
import {
  buildOutbound,
  CHANNEL_ID,
  createRecordingSinks,
  neverAborted,
  openCloudCarrier,
  PHONE_NUMBER_ID,
  submitRefused,
} from './carrier.js';

let stub: CloudApi;
let carrier: WhatsappCloud;

beforeEach(async () => {
  stub = new CloudApi();
  await stub.start();
  carrier = openCloudCarrier(stub);
});
afterEach(async () => {
  await carrier.close(AbortSignal.timeout(1_000));
  await stub.stop();
});

const submitRefusedMessage = (message = buildOutbound(), signal = neverAborted) =>
  submitRefused(carrier, message, signal);

describe('refused tokens', () => {
  it('an access token that Meta refuses pauses all sending, sets the health of channels, and does not appear in errors', async () => {
    const { sinks, health } = createRecordingSinks();
    await carrier.start(sinks);
    stub.tokens.clear();
    const error = await submitRefusedMessage();
    expect(error).toMatchObject({ code: '190', retryable: true, answerLost: false });
    expect(error.pauseMs).toBeGreaterThan(1_000);
    expect(error.message).not.toContain(stub.token);
    expect(await submitRefusedMessage(buildOutbound({ channelId: 'another' }))).toMatchObject({
      code: '190',
      notTried: true,
    });
    expect(stub.requests).toHaveLength(1);
    expect(carrier.state()).toMatchObject({ up: false });
    await waitFor('the health of both', () => health.length === 2);
    expect(health).toEqual([
      [CHANNEL_ID, 'token_refused'],
      ['another', 'token_refused'],
    ]);
  });

  const refusedChannel: CarrierChannel = {
    id: CHANNEL_ID,
    accountId: newId(),
    kind: 'whatsapp',
    phoneNumber: '15550783881',
    carrierSettings: { phoneNumberId: PHONE_NUMBER_ID },
    healthStatus: 'token_refused',
  };

  it('an access token that Meta refuses is no longer reported once a carrier with a valid token replaces it', async () => {
    const { sinks, health } = createRecordingSinks([refusedChannel]);
    await carrier.start(sinks);
    await waitFor('the health', () => health.length > 0);
    expect(health).toEqual([[CHANNEL_ID, 'healthy']]);
    expect(stub.requests).toEqual([`GET ${PHONE_NUMBER_ID}`]);
    await carrier.submit(buildOutbound(), neverAborted);
  });

  it('an access token that Meta refuses keeps sending paused if the next token is refused too', async () => {
    const { sinks, health } = createRecordingSinks([refusedChannel]);
    stub.tokens.clear();
    await carrier.start(sinks);
    await waitFor('the state', () => !carrier.state().up);
    expect(await submitRefusedMessage()).toMatchObject({ code: '190', notTried: true });
    expect(health).toEqual([]);
  });

  it('an access token that Meta refuses does not delay closing the carrier while a token test is unanswered', async () => {
    const silentServer = createServer().listen(0, '127.0.0.1');
    const connected = once(silentServer, 'connection');
    await once(silentServer, 'listening');
    const baseUrl = `http://127.0.0.1:${(silentServer.address() as AddressInfo).port}`;
    const slowCarrier = openCloudCarrier(stub, { baseUrl, timeoutMs: 600_000 });
    await slowCarrier.start(createRecordingSinks([refusedChannel]).sinks);
    await connected;
    await slowCarrier.close(AbortSignal.timeout(100));
    silentServer.close();
  });
});
