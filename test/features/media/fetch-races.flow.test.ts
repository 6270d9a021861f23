import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Carrier } from '../../../src/carriers/carrier.js';
import { deleteMedia } from '../../../src/features/media/delete.js';
import { MediaFetcher } from '../../../src/features/media/fetch-received.js';
import { MissingFile } from '../../../src/features/media/files/media-files.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { fileOf } from '../../support/media/files.js';
import { sharedApp } from '../../support/suite.js';

const BYTES = fileOf('image/jpeg', 5_000);

describe('a received file', () => {
  const heliograph = sharedApp({ role: 'api' });
  let channel: TestChannel;
  let media: { id: string; carrierMediaId: string };

  beforeEach(async () => {
    channel = await createTestChannel(heliograph.deps);
    media = { id: newId(), carrierMediaId: newId() };
    await heliograph.deps.prisma.media.create({
      data: {
        ...{ ...media, accountId: channel.account.id, channelId: channel.channelId, messageId: newId() },
        ...{ origin: 'received', status: 'remote', mimeType: 'image/jpeg', createdAt: new Date() },
      },
    });
  });

  /** A process of its own, whose carrier waits for something before it hands out, and in the middle of that. */
  function processWith({ before, within }: { before?: () => Promise<unknown>; within?: () => Promise<unknown> } = {}) {
    const asked = { times: 0 };
    async function* bytes() {
      yield BYTES.subarray(0, 1_000);
      await within?.();
      yield BYTES.subarray(1_000);
    }
    const fetchMedia: Carrier['fetchMedia'] = async () => {
      asked.times += 1;
      await before?.();
      return { mimeType: 'image/jpeg', sha256: null, bytes: Readable.from(bytes()) };
    };
    const { deps } = heliograph;
    const carriers = { get: () => ({ fetchMedia }) as unknown as Carrier };
    const fetcher = new MediaFetcher({ ...deps, ...deps.media, carriers });
    const from = {
      ...{ id: channel.channelId, accountId: channel.account.id, phoneNumber: channel.phoneNumber },
      ...{ carrier: 'real', carrierSettings: null },
    };
    return { asked, fetch: () => fetcher.fetch(from, media) };
  }
  const remove = () =>
    deleteMedia(
      { ...heliograph.deps, ...heliograph.deps.media },
      { accountId: channel.account.id, channelId: channel.channelId },
      media.id,
    );

  it.each(['before', 'within'] as const)(
    'is not there where it is deleted %s its bytes come, nor are they',
    async (when) => {
      const { fetch } = processWith({ [when]: remove });
      await expect(fetch()).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(heliograph.deps.media.files.read(media.id)).rejects.toBeInstanceOf(MissingFile);
    },
  );

  it('is handed out by a process that asks while another one fetches it, and after that', async () => {
    const second = processWith();
    let alsoFetched: ReturnType<typeof second.fetch> | null = null;
    const first = processWith({
      within: async () => {
        alsoFetched = second.fetch();
      },
    });
    const row = await first.fetch();
    expect(row).toMatchObject({ id: media.id, status: 'kept', size: BYTES.length });
    expect(await alsoFetched).toEqual(row);
    expect(await processWith().fetch()).toEqual(row);
    expect([first.asked.times, second.asked.times]).toEqual([1, 0]);
  });

  it('is fetched by a process that asks while another one fails to', async () => {
    const second = processWith();
    let fetched: ReturnType<typeof second.fetch> | null = null;
    const first = processWith({
      within: async () => {
        fetched = second.fetch();
        throw new Error('the connection broke');
      },
    });
    await expect(first.fetch()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await fetched).toMatchObject({ status: 'kept' });
    expect(second.asked.times).toBe(1);
  });
});
