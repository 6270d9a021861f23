import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Carrier } from '../../../src/carriers/carrier.js';
import { CarrierError } from '../../../src/carriers/carrier-error.js';
import { deleteMedia } from '../../../src/features/media/delete.js';
import { MediaFetcher } from '../../../src/features/media/fetch-received.js';
import { MissingFile } from '../../../src/features/media/files/media-files.js';
import { newId } from '../../../src/platform/ids.js';
import { withResolvers } from '../../../src/platform/with-resolvers.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { buildFile } from '../../support/media/files.js';
import { sharedApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const BYTES = buildFile('image/jpeg', 5_000);

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

  function createProcess({
    before,
    within,
    sha256 = null,
  }: {
    before?: () => Promise<unknown>;
    within?: () => Promise<unknown>;
    sha256?: string | null;
  } = {}) {
    const requests = { times: 0 };
    async function* generateBytes() {
      yield BYTES.subarray(0, 1_000);
      await within?.();
      yield BYTES.subarray(1_000);
    }
    const fetchMedia: Carrier['fetchMedia'] = async () => {
      requests.times += 1;
      await before?.();
      return { mimeType: 'image/jpeg', sha256, bytes: Readable.from(generateBytes()) };
    };
    const { deps } = heliograph;
    const carrier = { fetchMedia } as unknown as Carrier;
    const carriers = { get: () => carrier, findReceiving: () => carrier };
    const fetcher = new MediaFetcher({ ...deps, ...deps.media, carriers });
    const from = {
      ...{ id: channel.channelId, accountId: channel.account.id, phoneNumber: channel.phoneNumber },
      ...{ carrier: 'real', carrierSettings: null },
    };
    return { requests, fetch: () => fetcher.fetch(from, media) };
  }
  const loseLease = () =>
    heliograph.deps.prisma.media.update({ where: { id: media.id }, data: { leasedUntil: new Date(0) } });
  /**
   * Simulates a second process that takes over when the first one's lease has ended, and that pauses until `resumed` resolves.
   */
  function startOvertaker(resumed: Promise<void>) {
    const secondProcess = createProcess({ within: () => resumed });
    let fetched: ReturnType<typeof secondProcess.fetch> | null = null;
    const overtake = async () => {
      await loseLease();
      fetched = secondProcess.fetch();
      await waitFor('it to be overtaken', () => secondProcess.requests.times === 1);
    };
    return { secondProcess, overtake, fetched: () => fetched };
  }
  const remove = () =>
    deleteMedia(
      { ...heliograph.deps, ...heliograph.deps.media },
      { accountId: channel.account.id, channelId: channel.channelId },
      media.id,
    );

  it.each(['before', 'within'] as const)(
    'a received file is gone with its bytes if it is deleted %s the download',
    async (hookName) => {
      const { fetch } = createProcess({ [hookName]: remove });
      await expect(fetch()).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(heliograph.deps.media.files.read(media.id)).rejects.toBeInstanceOf(MissingFile);
    },
  );

  it("a received file is served by a process that requests it during and after another one's download", async () => {
    const secondProcess = createProcess();
    let alsoFetched: ReturnType<typeof secondProcess.fetch> | null = null;
    const firstProcess = createProcess({
      within: async () => {
        alsoFetched = secondProcess.fetch();
      },
    });
    const row = await firstProcess.fetch();
    expect(row).toMatchObject({ id: media.id, status: 'kept', size: BYTES.length });
    expect(await alsoFetched).toEqual(row);
    expect(await createProcess().fetch()).toEqual(row);
    expect([firstProcess.requests.times, secondProcess.requests.times]).toEqual([1, 0]);
  });

  it("a received file is downloaded by a process that requests it while another one's download fails", async () => {
    const secondProcess = createProcess();
    let fetched: ReturnType<typeof secondProcess.fetch> | null = null;
    const firstProcess = createProcess({
      within: async () => {
        fetched = secondProcess.fetch();
        throw new Error('the connection broke');
      },
    });
    await expect(firstProcess.fetch()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await fetched).toMatchObject({ status: 'kept' });
    expect(secondProcess.requests.times).toBe(1);
  });

  it('a received file is stored by a process that takes over while the first one fails', async () => {
    const firstFailure = withResolvers();
    const { secondProcess, overtake, fetched } = startOvertaker(firstFailure.promise);
    const firstProcess = createProcess({
      before: async () => {
        await overtake();
        throw CarrierError.unavailable('UNREACHABLE', 'The carrier is away.');
      },
    });
    await expect(firstProcess.fetch()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const { prisma } = heliograph.deps;
    expect(await prisma.media.findUniqueOrThrow({ where: { id: media.id } })).toMatchObject({ status: 'writing' });
    firstFailure.resolve();
    expect(await fetched()).toMatchObject({ id: media.id, status: 'kept', size: BYTES.length });
    expect([firstProcess.requests.times, secondProcess.requests.times]).toEqual([1, 1]);
  });

  it('a received file stays as stored if a process that was overtaken continues', async () => {
    const secondProcess = createProcess();
    const firstProcess = createProcess({
      sha256: 'of other bytes',
      within: async () => {
        await loseLease();
        expect(await secondProcess.fetch()).toMatchObject({ status: 'kept' });
      },
    });
    expect(await firstProcess.fetch()).toMatchObject({ id: media.id, status: 'kept', size: BYTES.length });
    expect(await buffer(await heliograph.deps.media.files.read(media.id))).toEqual(BYTES);
  });

  it('a received file is not stored or overwritten by a process that was overtaken while the other one still downloads', async () => {
    const firstEnd = withResolvers();
    const { overtake, fetched } = startOvertaker(firstEnd.promise);
    const firstProcess = createProcess({ within: overtake });
    await expect(firstProcess.fetch()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(heliograph.deps.media.files.read(media.id)).rejects.toBeInstanceOf(MissingFile);
    firstEnd.resolve();
    expect(await fetched()).toMatchObject({ status: 'kept' });
  });
});
