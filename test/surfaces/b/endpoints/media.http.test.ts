import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { newId } from '../../../../src/platform/ids.js';
import { call } from '../../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../../support/channels.js';
import { forSuite } from '../../../support/for-suite.js';
import { buildForm, upload } from '../../../support/media/calls.js';
import { ANIMATED_STICKER, buildFile, FILE_TYPES, type FileType, padFile } from '../../../support/media/files.js';
import { suiteApp } from '../../../support/suite.js';

const KB = 1024;
const MB = 1024 * 1024;

// The tests use a separate folder, because the files of other tests would be counted too.
const DATA_DIR = join(inject('services').runFolder, 'media-endpoints');
const heliograph = suiteApp({ settings: { DATA_DIR } });
const channel = forSuite(() => createTestChannel(heliograph.deps));

const uploadSuccessfully = async (bytes: Buffer, type?: string, filename?: string, caller: TestChannel = channel) => {
  const response = await upload(heliograph, caller, { bytes, type, filename });
  expect(response.statusCode, response.body).toBe(200);
  return response.json().data;
};
const getUploadError = async (bytes: Buffer, type?: string, filename?: string) => {
  const response = await upload(heliograph, channel, { bytes, type, filename });
  return { status: response.statusCode, ...response.json().error };
};
const download = (id: string, headers: Record<string, string> = {}, caller: Pick<TestChannel, 'headers'> = channel) =>
  heliograph.app.inject({ url: `/api/v1/media/${id}`, headers: { ...caller.headers, ...headers } });
const listLeftovers = async () => {
  const names = await readdir(join(heliograph.config.dataDir, 'media'), { recursive: true, withFileTypes: true });
  return {
    files: names.filter((entry) => entry.isFile()).map(({ name }) => name),
    rows: await heliograph.deps.prisma.media.count(),
  };
};

describe('POST /api/v1/media', () => {
  it.each(FILE_TYPES)('accepts %s, and returns the same bytes', async (type) => {
    const bytes = buildFile(type, 10_000);
    const file = await uploadSuccessfully(bytes, type, 'a name.bin');
    expect(file).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      origin: 'uploaded',
      messageId: null,
      mimeType: type,
      size: 10_000,
      sha256: createHash('sha256').update(bytes).digest('base64'),
      filename: 'a name.bin',
      createdAt: expect.any(String),
    });
    const downloadResponse = await download(file.id);
    expect(downloadResponse.statusCode).toBe(200);
    expect(downloadResponse.rawPayload.equals(bytes)).toBe(true);
    expect(downloadResponse.headers['content-type']).toBe(type);
    expect(downloadResponse.headers['x-content-type-options']).toBe('nosniff');
  });

  it('stores a file that other users of the machine cannot read', async () => {
    const { id } = await uploadSuccessfully(buildFile('image/png'), 'image/png');
    const path = join(heliograph.config.dataDir, 'media', id.slice(-2), id);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it.each<[string, number, FileType]>([
    ['an image', 5 * MB, 'image/jpeg'],
    ['audio', 16 * MB, 'audio/mpeg'],
    ['a video', 16 * MB, 'video/mp4'],
    ['a sticker', 100 * KB, 'image/webp'],
    ['a document', 100 * MB, 'application/pdf'],
  ])('allows %s up to %i bytes', async (kind, limit, type) => {
    expect(await uploadSuccessfully(buildFile(type, limit), type)).toMatchObject({ size: limit });
    const limitText = limit >= MB ? `${limit / MB} MB` : `${limit / KB} KB`;
    const message = `file is larger than the ${limitText} that WhatsApp accepts for ${kind}`;
    expect(await getUploadError(buildFile(type, limit + 1), type)).toMatchObject(
      kind === 'a document'
        ? { status: 413, message: 'file is larger than the 100 MB that this server accepts per file' }
        : { status: 413, code: 'PAYLOAD_TOO_LARGE', message },
    );
  });

  it('allows an animated sticker up to 500 KB', async () => {
    expect(await uploadSuccessfully(padFile(ANIMATED_STICKER, 500 * KB), 'image/webp')).toMatchObject({
      size: 500 * KB,
    });
    expect(await getUploadError(padFile(ANIMATED_STICKER, 500 * KB + 1), 'image/webp')).toMatchObject({ status: 413 });
  });

  it.each<[string, Buffer, string | undefined, string | undefined, string]>([
    [
      'a type other than the declared one',
      buildFile('image/png'),
      'image/jpeg',
      undefined,
      'file does not match its declared type: declared "image/jpeg", detected image/png',
    ],
    [
      'bytes that do not match the declared type',
      Buffer.from([0, 1, 2, 3]),
      'image/png',
      undefined,
      'file does not match its declared type "image/png"',
    ],
    [
      'a type that WhatsApp does not accept',
      Buffer.from('GIF89a\x01\0', 'latin1'),
      'image/gif',
      undefined,
      'file has a type that WhatsApp does not accept ("image/gif")',
    ],
    [
      'an archive of unknown content',
      buildFile('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'),
      undefined,
      undefined,
      'file has a type that WhatsApp does not accept, or its Content-Type is missing',
    ],
    ['nothing', Buffer.alloc(0), 'image/png', undefined, 'file must not be empty'],
  ])('returns 400 for %s, and leaves no file', async (_, bytes, type, filename, message) => {
    const leftoversBefore = await listLeftovers();
    expect(await getUploadError(bytes, type, filename)).toMatchObject({
      status: 400,
      code: 'INVALID_REQUEST',
      message,
    });
    expect(await listLeftovers()).toEqual(leftoversBefore);
  });

  it('detects an undeclared type by the content, or by the name if the content is ambiguous', async () => {
    expect(await uploadSuccessfully(buildFile('image/png'))).toMatchObject({ mimeType: 'image/png' });
    expect(await uploadSuccessfully(buildFile('image/png'), 'application/octet-stream')).toMatchObject({
      mimeType: 'image/png',
    });
    const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
    expect(await uploadSuccessfully(buildFile(xlsx), undefined, 'Liste.XLSX')).toMatchObject({ mimeType: xlsx });
    expect(await uploadSuccessfully(buildFile('video/mp4'), 'audio/mp4')).toMatchObject({ mimeType: 'audio/mp4' });
  });

  it.each([
    ['JSON', { payload: '{}', headers: { 'content-type': 'application/json' } }, 415],
    ['a form without a boundary', { payload: 'x', headers: { 'content-type': 'multipart/form-data' } }, 415],
    ['a form without a file', buildForm({ name: 'other', bytes: buildFile('image/png') }), 400],
    ['two files', buildForm({ bytes: buildFile('image/png') }, { bytes: buildFile('image/png') }), 400],
    [
      'a truncated form',
      {
        ...buildForm({ bytes: buildFile('image/png', 5_000) }),
        payload: buildForm({ bytes: buildFile('image/png', 5_000) }).payload.subarray(0, 3_000),
      },
      400,
    ],
  ])('refuses %s, and leaves no file', async (_, { payload, headers }, status) => {
    const leftoversBefore = await listLeftovers();
    const response = await heliograph.app.inject({
      method: 'POST',
      url: '/api/v1/media',
      headers: { ...channel.headers, ...headers },
      payload,
    });
    expect(response.statusCode, response.body).toBe(status);
    expect(response.json().success).toBe(false);
    expect(await listLeftovers()).toEqual(leftoversBefore);
  });

  it('repeats the response for the same key and file, and returns 422 for another file', async () => {
    const send = (bytes: Buffer) =>
      upload(heliograph, channel, { bytes, type: 'image/png' }, { 'idempotency-key': 'one' });
    const firstResponse = await send(buildFile('image/png', 100));
    const leftoversBefore = await listLeftovers();
    const repeatedResponse = await send(buildFile('image/png', 100));
    expect(repeatedResponse.json()).toEqual(firstResponse.json());
    expect(repeatedResponse.headers['idempotent-replayed']).toBe('true');
    expect((await send(buildFile('image/png', 101))).statusCode).toBe(422);
    expect(await listLeftovers()).toEqual(leftoversBefore);
    const otherChannel = await createTestChannel(heliograph.deps, channel.account);
    const otherResponse = await upload(
      heliograph,
      otherChannel,
      { bytes: buildFile('image/png', 100), type: 'image/png' },
      { 'idempotency-key': 'one' },
    );
    expect(otherResponse.json().data.id).not.toBe(firstResponse.json().data.id);
  });

  it('creates one file from two concurrent requests with the same key', async () => {
    const send = () =>
      upload(heliograph, channel, { bytes: buildFile('image/png', 200) }, { 'idempotency-key': 'two' });
    const responses = await Promise.all([send(), send(), send()]);
    expect(new Set(responses.map((response) => response.json().data.id)).size).toBe(1);
  });
});

describe('GET /api/v1/media/:id', () => {
  const file = forSuite(async () => {
    const bytes = Buffer.concat([buildFile('application/pdf'), Buffer.from('0123456789')]);
    return { bytes, ...(await uploadSuccessfully(bytes, 'application/pdf', 'Menü (1).pdf')) } as {
      bytes: Buffer;
      id: string;
      size: number;
      sha256: string;
    };
  });

  it('sends a document as a download with its name, while an image may be displayed', async () => {
    const downloadResponse = await download(file.id);
    expect(downloadResponse.headers['content-disposition']).toBe(
      `attachment; filename="Men_ (1).pdf"; filename*=UTF-8''Men%C3%BC%20%281%29.pdf`,
    );
    expect(downloadResponse.headers['content-length']).toBe(String(file.size));
    const { id } = await uploadSuccessfully(buildFile('image/png'), 'image/png', 'a.png');
    const imageResponse = await download(id);
    expect(imageResponse.headers['content-disposition']).toMatch(/^inline; /);
    expect(imageResponse.headers['content-security-policy']).toContain('sandbox');
  });

  it.each([
    ['bytes=0-3', 206, (bytes: Buffer) => bytes.subarray(0, 4)],
    ['bytes=9-', 206, (bytes: Buffer) => bytes.subarray(9)],
    ['bytes=-4', 206, (bytes: Buffer) => bytes.subarray(-4)],
    ['bytes=-4000', 206, (bytes: Buffer) => bytes],
    ['bytes=3-4000', 206, (bytes: Buffer) => bytes.subarray(3)],
    ['bytes=4-3', 200, (bytes: Buffer) => bytes],
    ['bytes=0-1,4-5', 200, (bytes: Buffer) => bytes],
    ['pages=1-2', 200, (bytes: Buffer) => bytes],
    ['bytes=4000-', 416, () => Buffer.alloc(0)],
    ['bytes=-0', 416, () => Buffer.alloc(0)],
  ])('returns the requested range: %s', async (range, status, slice) => {
    const downloadResponse = await download(file.id, { range });
    expect(downloadResponse.statusCode).toBe(status);
    expect(downloadResponse.rawPayload.toString('latin1')).toBe(slice(file.bytes).toString('latin1'));
    if (status === 416) expect(downloadResponse.headers['content-range']).toBe(`bytes */${file.size}`);
    if (status === 206) {
      expect(downloadResponse.headers['content-range']).toMatch(new RegExp(`^bytes \\d+-\\d+/${file.size}$`));
      expect(downloadResponse.headers['content-length']).toBe(String(slice(file.bytes).length));
    }
  });

  it('honors Range only for an unchanged file, and does not resend a file the caller has', async () => {
    const rangeResponse = await download(file.id, { range: 'bytes=0-1', 'if-range': `"${file.sha256}"` });
    expect(rangeResponse.statusCode).toBe(206);
    expect((await download(file.id, { range: 'bytes=0-1', 'if-range': '"other"' })).statusCode).toBe(200);
    const notModified = await download(file.id, { 'if-none-match': `"x", "${file.sha256}"` });
    expect([notModified.statusCode, notModified.body]).toEqual([304, '']);
  });

  it('returns 404 for an unknown ID, a malformed one, and one of another channel or account', async () => {
    const siblingChannel = await createTestChannel(heliograph.deps, channel.account);
    const otherChannel = await createTestChannel(heliograph.deps);
    const responses = [
      await download(newId()),
      await download('x'),
      await download(file.id, {}, siblingChannel),
      await download(file.id, {}, otherChannel),
      await call(heliograph, otherChannel, 'DELETE', `/media/${file.id}`),
      await call(heliograph, siblingChannel, 'DELETE', `/media/${file.id}`),
    ];
    for (const response of responses) {
      expect(response.statusCode).toBe(404);
      expect(response.json()).toMatchObject({ success: false, error: { code: 'NOT_FOUND' } });
    }
    expect((await download(file.id)).statusCode).toBe(200);
  });
});

describe('listing and deleting files', () => {
  it('lists files newest first, and deletes a file with its bytes', async () => {
    const freshChannel = await createTestChannel(heliograph.deps);
    const firstFile = await uploadSuccessfully(buildFile('image/png'), 'image/png', 'a.png', freshChannel);
    const secondFile = await uploadSuccessfully(buildFile('text/plain'), 'text/plain', 'b.txt', freshChannel);
    const listFiles = async () => (await call(heliograph, freshChannel, 'GET', '/media')).json().data;
    expect(await listFiles()).toEqual({ media: [secondFile, firstFile], total: 2, limit: 50, offset: 0 });
    expect((await call(heliograph, freshChannel, 'DELETE', `/media/${firstFile.id}`)).json()).toEqual({
      success: true,
      data: { message: 'The file was deleted.' },
    });
    expect(await listFiles()).toMatchObject({ media: [secondFile], total: 1 });
    expect((await download(firstFile.id, {}, freshChannel)).statusCode).toBe(404);
    expect((await call(heliograph, freshChannel, 'DELETE', `/media/${firstFile.id}`)).statusCode).toBe(404);
    expect((await listLeftovers()).files).not.toContain(firstFile.id);
  });
});
