import { randomBytes } from 'node:crypto';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { BucketFiles } from '../../../src/features/media/files/bucket-files.js';
import { FolderFiles } from '../../../src/features/media/files/folder-files.js';
import { type MediaFiles, MissingFile } from '../../../src/features/media/files/media-files.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestChannel } from '../../support/channels.js';
import { openForSuite } from '../../support/for-suite.js';
import { BucketServer } from '../../support/media/bucket-server.js';
import { upload } from '../../support/media/calls.js';
import { buildFile } from '../../support/media/files.js';
import { suiteApp } from '../../support/suite.js';

const MB = 1024 * 1024;
const createDataDir = () => join(inject('services').runFolder, `media-${newId()}`);
const bucket = openForSuite(async () => {
  const api = new BucketServer();
  await api.start();
  return { api, close: () => api.stop() };
});
const createBucketFiles = () =>
  BucketFiles.open({
    ...{ bucket: bucket.api.bucket, prefix: 'files/', region: 'us-east-1', endpoint: bucket.api.url },
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
  });

async function* splitBytes(bytes: Buffer, size = 64 * 1024) {
  for (let offset = 0; offset < bytes.length; offset += size) yield bytes.subarray(offset, offset + size);
}
async function read(files: MediaFiles, id: string, range?: { start: number; end: number }): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of await files.read(id, range)) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

describe.each<[string, () => Promise<MediaFiles>]>([
  ['a folder', async () => new FolderFiles(createDataDir())],
  ['a bucket', createBucketFiles],
])('storing files in %s', (_, openFiles) => {
  const files = openForSuite(async () => {
    const store = await openFiles();
    return { store, close: () => store.close() };
  });

  it.each([1, 3 * MB, 12 * MB])(
    'a file of %i bytes is served as it was written, completely and in ranges',
    async (size) => {
      const id = newId();
      const bytes = randomBytes(size);
      await files.store.write(id, splitBytes(bytes));
      expect((await read(files.store, id)).equals(bytes)).toBe(true);
      expect((await read(files.store, id, { start: 0, end: 0 })).equals(bytes.subarray(0, 1))).toBe(true);
      const range = { start: Math.floor(size / 2), end: size - 1 };
      expect((await read(files.store, id, range)).equals(bytes.subarray(range.start))).toBe(true);
    },
  );

  it.each([MB, 12 * MB])('nothing is stored of an upload that breaks off after %i bytes', async (size) => {
    const id = newId();
    const yieldAndFail = async function* () {
      yield* splitBytes(randomBytes(size));
      throw new Error('broken off');
    };
    await expect(files.store.write(id, yieldAndFail())).rejects.toThrow('broken off');
    await expect(files.store.read(id)).rejects.toThrow(MissingFile);
    expect(bucket.api.uploads.size).toBe(0);
  });

  it('a file is removed, and repeated removals are ignored', async () => {
    const id = newId();
    await files.store.write(id, splitBytes(randomBytes(10)));
    await files.store.remove(id);
    await files.store.remove(id);
    await files.store.remove(newId());
    await expect(files.store.read(id)).rejects.toThrow(MissingFile);
  });

  it('a complete file is stored when it is written twice concurrently', async () => {
    const id = newId();
    const bytes = randomBytes(MB);
    await Promise.all([files.store.write(id, splitBytes(bytes)), files.store.write(id, splitBytes(bytes))]);
    expect((await read(files.store, id)).equals(bytes)).toBe(true);
  });
});

it('a folder is private, and unfinished writes of a killed process are removed with the file', async () => {
  const folder = createDataDir();
  const files = new FolderFiles(folder);
  const id = newId();
  await files.write(id, splitBytes(randomBytes(10)));
  const folderPath = join(folder, 'media', id.slice(-2));
  expect((await stat(join(folderPath, id))).mode & 0o777).toBe(0o600);
  expect((await stat(folderPath)).mode & 0o777).toBe(0o700);
  await mkdir(folderPath, { recursive: true });
  await writeFile(join(folderPath, `${id}.0123456789ab.part`), 'half');
  await files.remove(id);
  expect(await readdir(folderPath)).toEqual([]);
});

it('a bucket loses unfinished writes of a killed process with the file', async () => {
  const files = await createBucketFiles();
  const id = newId();
  bucket.api.uploads.set('left', { key: `files/${id}`, parts: new Map() });
  await files.remove(id);
  expect(bucket.api.uploads.size).toBe(0);
  bucket.api.canListUploads = false;
  await files.write(id, splitBytes(randomBytes(10)));
  await files.remove(id);
  await expect(files.read(id)).rejects.toThrow(MissingFile);
  bucket.api.canListUploads = true;
  await files.close();
});

describe('a server whose files are in a bucket', () => {
  const url = openForSuite(async () => {
    const api = new BucketServer();
    await api.start();
    return { api, close: () => api.stop() };
  });
  const settings: Record<string, string> = {
    MEDIA_BUCKET: 'messages',
    MEDIA_BUCKET_ACCESS_KEY_ID: 'key',
    MEDIA_BUCKET_SECRET_ACCESS_KEY: 'secret',
    get MEDIA_BUCKET_ENDPOINT() {
      return url.api.url;
    },
  };
  const heliograph = suiteApp({ settings });

  it('a server whose files are in a bucket accepts and serves files, and responds 503 while the bucket is unavailable', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const file = { bytes: buildFile('image/png', 300_000), type: 'image/png' };
    const { id } = (await upload(heliograph, channel, file)).json().data;
    expect(url.api.objects.get(`media/${id}`)?.equals(file.bytes)).toBe(true);
    const response = await heliograph.app.inject({
      url: `/api/v1/media/${id}`,
      headers: { ...channel.headers, range: 'bytes=0-7' },
    });
    expect([response.statusCode, response.rawPayload.equals(file.bytes.subarray(0, 8))]).toEqual([206, true]);
    url.api.forcedStatus = 500;
    const refusal = await upload(heliograph, channel, file);
    expect([refusal.statusCode, refusal.json().error.code]).toEqual([503, 'UNAVAILABLE']);
    url.api.forcedStatus = null;
    expect(await heliograph.deps.prisma.media.count({ where: { status: 'kept' } })).toBe(1);
  });
});
