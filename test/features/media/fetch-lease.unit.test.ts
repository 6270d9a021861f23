import type pg from 'pg';
import { afterEach, expect, it, vi } from 'vitest';
import type { Carrier } from '../../../src/carriers/carrier.js';
import { CarrierError } from '../../../src/carriers/carrier-error.js';
import { MediaFetcher } from '../../../src/features/media/fetch-received.js';
import type { MediaFiles } from '../../../src/features/media/files/media-files.js';
import { newId } from '../../../src/platform/ids.js';
import { systemClock } from '../../../src/platform/system-clock.js';
import { withResolvers } from '../../../src/platform/with-resolvers.js';

afterEach(() => {
  vi.useRealTimers();
});

it('the lease of a file is renewed while its carrier has not responded, and only during the download', async () => {
  vi.useFakeTimers();
  const queries: { text: string; values: unknown[] }[] = [];
  const pool = {
    query: async (statement: { text: string; values: unknown[] }) => {
      queries.push(statement);
      return { rowCount: 1, rows: [] };
    },
  } as unknown as pg.Pool;
  const download = withResolvers();
  const fetchMedia = async () => {
    await download.promise;
    throw CarrierError.unavailable('UNREACHABLE', 'The carrier is away.');
  };
  const carrier = { fetchMedia } as unknown as Carrier;
  const fetcher = new MediaFetcher({
    ...{ pool, clock: systemClock, files: { remove: async () => undefined } as unknown as MediaFiles },
    mediaLimits: { fileBytes: 1_000, accountBytes: 0 },
    carriers: { get: () => carrier, findReceiving: () => carrier },
  });
  const channel = {
    id: newId(),
    accountId: newId(),
    phoneNumber: '15550783881',
    carrier: 'meta',
    carrierSettings: null,
  };
  const media = { id: newId(), carrierMediaId: '4711' };
  const fetched = fetcher.fetch(channel, media);
  const rejection = expect(fetched).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const listRenewals = () => queries.filter(({ text }) => /^UPDATE media SET leased_until/.test(text));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(listRenewals()).toHaveLength(3);
  expect(listRenewals().map(({ values }) => values)).toEqual(Array(3).fill(queries[0]?.values));
  download.resolve();
  await rejection;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(listRenewals()).toHaveLength(3);
});
