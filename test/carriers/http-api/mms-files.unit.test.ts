import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TemplateChannel } from '../../../src/carriers/templates.js';
import { VendorStub } from '../../support/carriers/vendor/vendor-stub.js';
import { httpCarrier, never, suiteVendor } from './setup.js';

const { open, stub } = suiteVendor();
const elsewhere = new VendorStub();
const channel = {} as TemplateChannel;

async function read(bytes: Readable): Promise<string> {
  let text = '';
  for await (const chunk of bytes) text += String(chunk);
  return text;
}

describe('a file of an MMS', () => {
  const carrier = () =>
    open({
      preset: 'twilio',
      accountSid: `AC${'0'.repeat(32)}`,
      authToken: 'the-auth-token',
      publicUrl: 'https://h.example',
    });

  beforeAll(() => elsewhere.start());
  afterAll(() => elsewhere.stop());

  it('is fetched with the credentials of the carrier, and from a store of others without', async () => {
    stub.answer = () => ({ status: 307, headers: { location: `${elsewhere.url}/store?signed=1` } });
    elsewhere.answer = () => ({ status: 200, headers: { 'content-type': 'image/jpeg' }, body: 'the bytes' });
    const fetched = await carrier().fetchMedia(channel, `${stub.url}/2010-04-01/Media/ME1`, never);
    expect(fetched.mimeType).toBe('image/jpeg');
    expect(await read(fetched.bytes)).toContain('the bytes');
    expect(stub.last.headers.authorization).toMatch(/^Basic /);
    expect(elsewhere.last).toMatchObject({ method: 'GET', path: '/store' });
    expect(elsewhere.last.headers).not.toHaveProperty('authorization');
  });

  it('at another host gets no credentials', async () => {
    elsewhere.answer = () => ({ status: 200, body: 'x' });
    await read((await carrier().fetchMedia(channel, `${elsewhere.url}/1.jpg`, never)).bytes);
    expect(elsewhere.last.headers).not.toHaveProperty('authorization');
  });

  it('is not fetched in a private network', async () => {
    const guarded = httpCarrier(
      { preset: 'plivo', authId: 'MAXXXXXXXXXXXXXXXXXX', authToken: 't' },
      { privateHosts: [] },
    );
    const before = elsewhere.requests.length;
    await expect(guarded.fetchMedia(channel, `${elsewhere.url}/1.jpg`, never)).rejects.toMatchObject({
      retryable: true,
    });
    expect(elsewhere.requests.length).toBe(before);
  });

  it.each([
    [404, false],
    [410, false],
    [500, true],
  ])('that is answered with %i can be had another time: %s', async (status, retryable) => {
    stub.answer = () => ({ status });
    const asked = carrier().fetchMedia(channel, `${stub.url}/1.jpg`, never);
    await expect(asked).rejects.toMatchObject({ code: 'BAD_ANSWER', retryable });
  });

  it('without an address, or after redirects without an end, is refused', async () => {
    await expect(carrier().fetchMedia(channel, 'no address', never)).rejects.toMatchObject({ retryable: false });
    stub.answer = () => ({ status: 302, headers: { location: `${stub.url}/again` } });
    const before = stub.requests.length;
    await expect(carrier().fetchMedia(channel, `${stub.url}/1`, never)).rejects.toMatchObject({ code: 'BAD_ANSWER' });
    expect(stub.requests.length - before).toBe(4);
  });
});
