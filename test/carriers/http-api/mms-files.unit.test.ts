import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TemplateChannel } from '../../../src/carriers/templates.js';
import { VendorStub } from '../../support/carriers/vendor/vendor-stub.js';
import { neverAborted, openHttpCarrier, suiteVendor } from './setup.js';

const { open, stub } = suiteVendor();
const storage = new VendorStub();
const channel = {} as TemplateChannel;

async function readText(bytes: Readable): Promise<string> {
  let text = '';
  for await (const chunk of bytes) text += String(chunk);
  return text;
}

describe('an MMS file', () => {
  const openTwilio = () =>
    open({
      preset: 'twilio',
      accountSid: `AC${'0'.repeat(32)}`,
      authToken: 'the-auth-token',
      publicUrl: 'https://h.example',
    });

  beforeAll(() => storage.start());
  afterAll(() => storage.stop());

  it("an MMS file is downloaded with the carrier's credentials, but without them from third-party storage", async () => {
    stub.respond = () => ({ status: 307, headers: { location: `${storage.url}/store?signed=1` } });
    storage.respond = () => ({ status: 200, headers: { 'content-type': 'image/jpeg' }, body: 'the bytes' });
    const fetched = await openTwilio().fetchMedia(channel, `${stub.url}/2010-04-01/Media/ME1`, neverAborted);
    expect(fetched.mimeType).toBe('image/jpeg');
    expect(await readText(fetched.bytes)).toContain('the bytes');
    expect(stub.lastRequest.headers.authorization).toMatch(/^Basic /);
    expect(storage.lastRequest).toMatchObject({ method: 'GET', path: '/store' });
    expect(storage.lastRequest.headers).not.toHaveProperty('authorization');
  });

  it('an MMS file is downloaded without credentials from an unknown host', async () => {
    storage.respond = () => ({ status: 200, body: 'x' });
    await readText((await openTwilio().fetchMedia(channel, `${storage.url}/1.jpg`, neverAborted)).bytes);
    expect(storage.lastRequest.headers).not.toHaveProperty('authorization');
  });

  it('an MMS file is not downloaded from a private network', async () => {
    const guardedCarrier = openHttpCarrier(
      { preset: 'plivo', authId: 'MAXXXXXXXXXXXXXXXXXX', authToken: 't' },
      { privateHosts: [] },
    );
    const requestsBefore = storage.requests.length;
    await expect(guardedCarrier.fetchMedia(channel, `${storage.url}/1.jpg`, neverAborted)).rejects.toMatchObject({
      retryable: true,
    });
    expect(storage.requests.length).toBe(requestsBefore);
  });

  it.each([
    [404, false],
    [410, false],
    [500, true],
  ])('an MMS file whose download fails with status %i may be retried: %s', async (status, retryable) => {
    stub.respond = () => ({ status });
    const download = openTwilio().fetchMedia(channel, `${stub.url}/1.jpg`, neverAborted);
    await expect(download).rejects.toMatchObject({ code: 'BAD_ANSWER', retryable });
  });

  it('an MMS file without a valid URL, or with endless redirects, is refused', async () => {
    await expect(openTwilio().fetchMedia(channel, 'no address', neverAborted)).rejects.toMatchObject({
      retryable: false,
    });
    stub.respond = () => ({ status: 302, headers: { location: `${stub.url}/again` } });
    const requestsBefore = stub.requests.length;
    await expect(openTwilio().fetchMedia(channel, `${stub.url}/1`, neverAborted)).rejects.toMatchObject({
      code: 'BAD_ANSWER',
    });
    expect(stub.requests.length - requestsBefore).toBe(4);
  });
});
