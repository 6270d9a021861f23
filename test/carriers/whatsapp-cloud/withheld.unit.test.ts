import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WhatsappCloud } from '../../../src/carriers/whatsapp-cloud/whatsapp-cloud.js';
import { CloudApi } from '../../support/carriers/cloud-api/cloud-api.js';
import { createTestDeparture, WITHHELD } from '../../support/carriers/departures.js';
import { buildOutbound, neverAborted, openCloudCarrier } from './carrier.js';

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

describe('withheld messages', () => {
  it.each([
    ['decided immediately', false],
    ['decided after reading the rules', true],
  ])('a withheld WhatsApp message is not sent after waiting for the rate, %s', async (_name, reads) => {
    const slowCarrier = openCloudCarrier(stub, { ratePerSecond: 2 });
    await slowCarrier.submit(buildOutbound(), neverAborted);
    const departure = createTestDeparture({ reads });
    const rejection = slowCarrier.submit(buildOutbound({ departure }), neverAborted).catch((error: unknown) => error);
    await new Promise((resolve) => setImmediate(resolve));
    departure.withhold();
    expect(await rejection).toMatchObject(WITHHELD);
    expect(stub.accepted).toHaveLength(1);
    await slowCarrier.close(neverAborted);
  });

  it('a withheld WhatsApp message is not sent even if it already has a connection', async () => {
    const departure = createTestDeparture();
    departure.check = () => {
      departure.withhold();
      return undefined;
    };
    await expect(carrier.submit(buildOutbound({ departure }), neverAborted)).rejects.toMatchObject(WITHHELD);
    expect(stub.requests).toEqual([]);
  });
});
