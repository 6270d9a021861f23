import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, inject, it } from 'vitest';
import { FolderFiles } from '../../../src/features/media/files/folder-files.js';
import { MediaKeeper } from '../../../src/features/media/media-keeper.js';
import { systemClock } from '../../../src/platform/system-clock.js';
import { createTestChannel } from '../../support/channels.js';
import { suiteStore } from '../../support/for-suite.js';
import { buildForm, upload } from '../../support/media/calls.js';
import { buildFile } from '../../support/media/files.js';
import { startServerProcess } from '../../support/processes/server-process.js';
import { suiteApp } from '../../support/suite.js';
import { testSettings } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

const store = suiteStore();
const getDataDir = () => join(inject('services').runFolder, 'interrupted');

const listFiles = async (folder: string) => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
};

function createKeeper() {
  const fetcher = { fetch: () => expect.unreachable() };
  const options = { pool: store.pool, clock: systemClock, files: new FolderFiles(getDataDir()), fetcher };
  return new MediaKeeper({ ...options, log: pino({ level: 'silent' }), retentionDays: 0 });
}

it('an upload whose server is killed stays invisible and is removed by a sweep', async () => {
  const channel = await createTestChannel(store);
  const settings = { ...testSettings('postgres'), DATABASE_URL: store.url, DATA_DIR: getDataDir(), LOG_LEVEL: 'warn' };
  const server = await startServerProcess({ settings });
  const { payload, headers } = buildForm({ bytes: buildFile('application/pdf', 500_000), type: 'application/pdf' });
  const outgoing = request(`${server.baseUrl}/api/v1/media`, {
    method: 'POST',
    headers: { ...channel.headers, ...headers, 'content-length': payload.length },
  });
  outgoing.on('error', () => undefined);
  outgoing.write(payload.subarray(0, 300_000));
  await waitFor('some of it to be written', async () => (await listFiles(join(getDataDir(), 'media'))).length === 1);
  server.process.kill('SIGKILL');
  await once(server.process, 'exit');
  outgoing.destroy();

  const [row] = await store.prisma.media.findMany();
  expect(row).toMatchObject({ status: 'writing', size: null });
  // An unfinished file is kept until its lease ends, because another process may still be writing it.
  await createKeeper().sweep();
  expect(await store.prisma.media.count()).toBe(1);
  await store.prisma.media.updateMany({ data: { leasedUntil: new Date(0) } });
  await createKeeper().sweep();
  expect(await store.prisma.media.count()).toBe(0);
  expect(await listFiles(join(getDataDir(), 'media'))).toEqual([]);
});

const heliograph = suiteApp({ settings: { MEDIA_ACCOUNT_BYTES: '10000', MEDIA_MAX_BYTES: '6000' } });

it('a client that disconnects during an upload leaves nothing behind', async () => {
  await heliograph.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = heliograph.app.server.address() as AddressInfo;
  const channel = await createTestChannel(heliograph.deps);
  const { payload, headers } = buildForm({ bytes: buildFile('application/pdf', 5_900), type: 'application/pdf' });
  const outgoing = request(`http://127.0.0.1:${port}/api/v1/media`, {
    method: 'POST',
    headers: { ...channel.headers, ...headers, 'content-length': payload.length },
  });
  outgoing.on('error', () => undefined);
  outgoing.write(payload.subarray(0, 5_000));
  const countRows = () => heliograph.deps.prisma.media.count({ where: { channelId: channel.channelId } });
  await waitFor('it to be begun', async () => (await countRows()) === 1);
  outgoing.destroy();
  await waitFor('it to be gone', async () => (await countRows()) === 0);
});

it("an account's storage limit holds for concurrent uploads", async () => {
  const channel = await createTestChannel(heliograph.deps);
  const send = (size: number) =>
    upload(heliograph, channel, { bytes: buildFile('application/pdf', size), type: 'application/pdf' });
  expect((await send(6_001)).statusCode).toBe(413);
  expect((await send(6_000)).statusCode).toBe(200);
  const tooLarge = await send(4_001);
  expect([tooLarge.statusCode, tooLarge.json().error.message]).toEqual([
    413,
    'file must not be sent: the account has reached its limit of 10000 bytes for stored files',
  ]);
  const responses = await Promise.all(Array.from({ length: 8 }, () => send(1_000)));
  expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(4);
  const where = { channelId: channel.channelId };
  const { _sum, _count } = await heliograph.deps.prisma.media.aggregate({ where, _sum: { size: true }, _count: true });
  expect([_sum.size, _count]).toEqual([10_000n, 5]);
  expect((await send(10)).statusCode).toBe(413);
  const otherChannel = await createTestChannel(heliograph.deps);
  const file = { bytes: buildFile('application/pdf', 6_000), type: 'application/pdf' };
  expect((await upload(heliograph, otherChannel, file)).statusCode).toBe(200);
});
