import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TemplateChannel } from '../../../src/carriers/templates.js';
import { VendorStub } from '../../support/carriers/vendor/vendor-stub.js';
import { httpCarrier, never, suiteVendor } from './setup.js';

const { open, stub } = suiteVendor();
const storage = new VendorStub();
const channel = {} as TemplateChannel;

async function read(bytes: Readable): Promise<string> {
  let text = '';
  for await (const chunk of bytes) text += String(chunk);
  return text;
}

describe('an MMS file', () => {
  const carrier = () =>
    open({
      preset: 'twilio',
      accountSid: `AC${'0'.repeat(32)}`,
      authToken: 'the-auth-token',
      publicUrl: 'https://h.example',
    });

  beforeAll(() => storage.start());
  afterAll(() => storage.stop());

  it("is downloaded with the carrier's credentials, but without them from third-party storage", async () => {
    stub.respond = () => ({ status: 307, headers: { location: `${storage.url}/store?signed=1` } });
    storage.respond = () => ({ status: 200, headers: { 'content-type': 'image/jpeg' }, body: 'the bytes' });
    const fetched = await carrier().fetchMedia(channel, `${stub.url}/2010-04-01/Media/ME1`, never);
    expect(fetched.mimeType).toBe('image/jpeg');
    expect(await read(fetched.bytes)).toContain('the bytes');
    expect(stub.lastRequest.headers.authorization).toMatch(/^Basic /);
    expect(storage.lastRequest).toMatchObject({ method: 'GET', path: '/store' });
    expect(storage.lastRequest.headers).not.toHaveProperty('authorization');
  });

  it('is downloaded without credentials from an unknown host', async () => {
    storage.respond = () => ({ status: 200, body: 'x' });
    await read((await carrier().fetchMedia(channel, `${storage.url}/1.jpg`, never)).bytes);
    expect(storage.lastRequest.headers).not.toHaveProperty('authorization');
  });

  it('is not downloaded from a private network', async () => {
    const guarded = httpCarrier(
      { preset: 'plivo', authId: 'MAXXXXXXXXXXXXXXXXXX', authToken: 't' },
      { privateHosts: [] },
    );
    const before = storage.requests.length;
    await expect(guarded.fetchMedia(channel, `${storage.url}/1.jpg`, never)).rejects.toMatchObject({
      retryable: true,
    });
    expect(storage.requests.length).toBe(before);
  });

  it.each([
    [404, false],
    [410, false],
    [500, true],
  ])('whose download fails with status %i may be retried: %s', async (status, retryable) => {
    stub.respond = () => ({ status });
    const download = carrier().fetchMedia(channel, `${stub.url}/1.jpg`, never);
    await expect(download).rejects.toMatchObject({ code: 'BAD_ANSWER', retryable });
  });

  it('without a valid URL, or with endless redirects, is refused', async () => {
    await expect(carrier().fetchMedia(channel, 'no address', never)).rejects.toMatchObject({ retryable: false });
    stub.respond = () => ({ status: 302, headers: { location: `${stub.url}/again` } });
    const before = stub.requests.length;
    await expect(carrier().fetchMedia(channel, `${stub.url}/1`, never)).rejects.toMatchObject({ code: 'BAD_ANSWER' });
    expect(stub.requests.length - before).toBe(4);
  });
});
