import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { CarrierCopy, MediaSource } from '../../../src/carriers/media/carrier-media.js';
import { CloudMedia } from '../../../src/carriers/whatsapp-cloud/send/cloud-media.js';
import type { GraphClient } from '../../../src/carriers/whatsapp-cloud/send/graph-client.js';
import { newId } from '../../../src/platform/ids.js';
import { ManualClock } from '../../support/manual-clock.js';
import { CHANNEL_ID, neverAborted } from './carrier.js';

const BASE_URL = 'https://graph.facebook.com';
const DAY_MS = 24 * 60 * 60 * 1000;

describe('download URLs', () => {
  async function fetchFrom(url: unknown, baseUrl = BASE_URL): Promise<string | null> {
    const requestedRanges: string[] = [];
    const client = {
      call: async () => ({ status: 200, headers: {}, body: { url, mime_type: 'image/png', sha256: '' } }),
      download: async (address: URL) => {
        requestedRanges.push(address.href);
        return { status: 200, headers: {}, body: Readable.from([]) };
      },
    } as unknown as GraphClient;
    const media = new CloudMedia({ client, clock: new ManualClock(), carrier: 'meta', baseUrl, token: 'secret' });
    const error = await media.fetch('1', '2', neverAborted).then(
      () => null,
      (cause) => cause,
    );
    if (error) expect(error).toMatchObject({ code: 'BAD_ANSWER', retryable: true });
    return requestedRanges[0] ?? null;
  }

  it.each([
    'https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1',
    'https://facebook.com/file',
    'https://scontent.xx.fbcdn.net/file',
    'https://mmg.whatsapp.net/file',
  ])('the download URL of a file %s receives the token', async (url) => {
    expect(await fetchFrom(url)).toBe(url);
  });

  it.each([
    'https://evilfacebook.com/file',
    'https://facebook.com.evil.example/file',
    'https://facebook.community/file',
    'https://lookaside.fbsbx.com:8443/file',
    'http://lookaside.fbsbx.com/file',
    'https://127.0.0.1/file',
    'file:///etc/passwd',
    'not a URL',
    undefined,
  ])('the download URL of a file %s does not receive the token', async (url) => {
    expect(await fetchFrom(url)).toBeNull();
  });

  it('the download URL of a file may have the configured origin, but not another port', async () => {
    const baseUrl = 'http://127.0.0.1:4000';
    expect(await fetchFrom(`${baseUrl}/file`, baseUrl)).toBe(`${baseUrl}/file`);
    expect(await fetchFrom('http://127.0.0.1:4001/file', baseUrl)).toBeNull();
  });
});

describe('uploads', () => {
  const clock = new ManualClock();

  function createMedia(carrier = 'meta', copies = new Map<string, CarrierCopy>()) {
    const uploads: string[] = [];
    const client = {
      upload: async ({ path }: { path: string }) => {
        uploads.push(path);
        return { status: 200, headers: {}, body: { id: `copy ${path} ${uploads.length}` } };
      },
    } as unknown as GraphClient;
    const source: MediaSource = {
      find: async (channelId) =>
        channelId === CHANNEL_ID
          ? { mimeType: 'image/png', size: 1, filename: null, open: async () => Readable.from(['x']) }
          : null,
      ensureCopy: async (mediaId, scope, upload) => {
        const key = `${mediaId} ${scope}`;
        const existing = copies.get(key);
        const copy = existing ?? (await upload());
        copies.set(key, copy);
        return { carrierMediaId: copy.carrierMediaId, isNew: !existing };
      },
      forgetCopy: async (mediaId, scope) => void copies.delete(`${mediaId} ${scope}`),
    };
    const media = new CloudMedia({ client, clock, carrier, baseUrl: BASE_URL, token: 'secret' });
    media.start(source);
    const send = (mediaId: string, number: string, channelId: string | null = CHANNEL_ID) =>
      media.prepare({ channelId, content: { type: 'image', mediaId } }, number, neverAborted);
    return { media, send, uploads, copies };
  }

  it('a file in WhatsApp messages is uploaded once for each number and for each carrier', async () => {
    const { send, uploads, copies } = createMedia();
    const id = newId();
    const firstResult = await send(id, '111');
    expect(firstResult.reusedCopies).toEqual([]);
    const secondResult = await send(id, '111');
    expect(secondResult.content).toEqual(firstResult.content);
    expect(secondResult.reusedCopies).toEqual([{ mediaId: id, carrierMediaId: 'copy 111/media 1' }]);
    expect((await send(id, '222')).reusedCopies).toEqual([]);
    expect(uploads).toEqual(['111/media', '222/media']);
    const otherCarrier = createMedia('meta-2', copies);
    expect((await otherCarrier.send(id, '111')).reusedCopies).toEqual([]);
    expect(otherCarrier.uploads).toEqual(['111/media']);
  });

  it('a file in WhatsApp messages is uploaded again before Meta deletes it after 30 days', async () => {
    const { send, copies } = createMedia();
    await send(newId(), '111');
    const [copy] = [...copies.values()];
    const days = ((copy?.expiresAt.getTime() ?? 0) - clock.now().getTime()) / DAY_MS;
    expect(days).toBeGreaterThan(20);
    expect(days).toBeLessThan(30);
  });

  it('a file in WhatsApp messages is uploaded again only for the number whose copy Meta lost', async () => {
    const { media, send, uploads } = createMedia();
    const id = newId();
    await send(id, '111');
    await send(id, '222');
    const { reusedCopies: reused } = await send(id, '111');
    expect(await media.forgetLostCopies(reused, 131000, '111')).toBe(false);
    expect(await media.forgetLostCopies([], 131053, '111')).toBe(false);
    expect(await media.forgetLostCopies(reused, 131053, '111')).toBe(true);
    await send(id, '222');
    expect(uploads).toHaveLength(2);
    await send(id, '111');
    expect(uploads).toHaveLength(3);
  });

  it('a file in WhatsApp messages of another channel, or sent without a channel, is refused', async () => {
    const { send, uploads } = createMedia();
    for (const channelId of [newId(), null]) {
      await expect(send(newId(), '111', channelId)).rejects.toMatchObject({
        code: 'MEDIA_NOT_FOUND',
        retryable: false,
      });
    }
    expect(uploads).toEqual([]);
  });
});
