import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { erasePerson } from '../../../src/features/erasure/erase.js';
import { MediaKeeper } from '../../../src/features/media/media-keeper.js';
import { CARRIER, createMetaChannel, suiteMeta } from '../../carriers/whatsapp-cloud/meta-channel.js';
import type { StubFile } from '../../support/carriers/cloud-api/media.js';
import { MetaRefusal } from '../../support/carriers/cloud-api/meta-error.js';
import { buildEnvelope, buildInbound, postWebhook } from '../../support/carriers/cloud-api/webhooks.js';
import { call, playInbound } from '../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { buildFile, type FileType } from '../../support/media/files.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const LIMIT = 200_000;
const { stub, heliograph, channel } = suiteMeta({ settings: { MEDIA_MAX_BYTES: String(LIMIT) } });

beforeEach(() => {
  stub.media.downloadStatus = 200;
  stub.media.downloadFault = null;
});

const createJpeg = (size: number): StubFile => ({ bytes: buildFile('image/jpeg', size), mimeType: 'image/jpeg' });

async function receive(file: StubFile, type = 'image', overrides: object = {}) {
  const metaId = stub.media.receive(file);
  const node = { id: metaId, mime_type: file.mimeType, sha256: 'as Meta says', caption: `of ${metaId}`, ...overrides };
  await postWebhook(heliograph, stub, CARRIER, buildEnvelope(buildInbound(type, node)));
  const row = await waitFor('the message', () =>
    heliograph.deps.prisma.inboundMessage.findFirst({ where: { channelId: channel.channelId, body: `of ${metaId}` } }),
  );
  const { mediaId, ...payload } = row.payload as { mediaId: string } & Record<string, unknown>;
  return { id: mediaId, metaId, payload, row };
}
const get = (id: string, from: Pick<TestChannel, 'headers'> = channel) =>
  heliograph.app.inject({ url: `/api/v1/media/${id}`, headers: from.headers });
const createKeeper = (settings: { retentionDays?: number } = {}) => {
  const { pool, log, clock, media } = heliograph.deps;
  return new MediaKeeper({ pool, log, clock, retentionDays: 0, ...media, ...settings });
};
const readRequestStatus = async (id: string) =>
  (await heliograph.deps.prisma.media.findUnique({ where: { id } }))?.status ?? 'no row';

describe('a received file', () => {
  it("a received file has our ID next to Meta's, and is downloaded when first requested", async () => {
    const downloadsBefore = stub.media.downloads;
    const { id, metaId, payload, row } = await receive(createJpeg(9_000));
    expect(payload).toMatchObject({ id: metaId, mime_type: 'image/jpeg' });
    const mediaList = (await call(heliograph, channel, 'GET', '/media')).json().data.media;
    expect(mediaList[0]).toMatchObject({
      id,
      origin: 'received',
      messageId: row.id,
      mimeType: 'image/jpeg',
      size: null,
    });
    expect(stub.media.downloads).toBe(downloadsBefore);

    const response = await get(id);
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'image/jpeg']);
    expect(response.rawPayload.equals(buildFile('image/jpeg', 9_000))).toBe(true);
    stub.media.remove(metaId);
    expect((await get(id)).statusCode).toBe(200);
    expect(stub.media.downloads).toBe(downloadsBefore + 1);
  });

  it('a received file is downloaded once for concurrent requests', async () => {
    const downloadsBefore = stub.media.downloads;
    const { id } = await receive(createJpeg(150_000));
    const responses = await Promise.all(Array.from({ length: 10 }, () => get(id)));
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array(10).fill(200));
    expect(stub.media.downloads).toBe(downloadsBefore + 1);
  });

  it.each<[string, FileType, string, string]>([
    ['sound', 'audio/ogg', 'audio', 'audio/ogg'],
    ['a video', 'video/mp4', 'video', 'video/mp4'],
    ['a sticker', 'image/webp', 'sticker', 'image/webp'],
    ['a document', 'application/pdf', 'document', 'application/pdf'],
  ])('a received file may be %s', async (_, mimeType, type, expectedType) => {
    const { id } = await receive({ bytes: buildFile(mimeType, 5_000), mimeType }, type, { filename: 'Bericht.pdf' });
    const response = await get(id);
    expect(response.headers['content-type']).toBe(expectedType);
    expect(response.headers['content-disposition']).toContain('filename="Bericht.pdf"');
  });

  it('a received file gets its type from its content, whatever its declared type', async () => {
    const page = { bytes: Buffer.from('<html><script>alert(1)</script></html>'), mimeType: 'image/jpeg' };
    const response = await get((await receive(page)).id);
    expect(response.headers['content-type']).toBe('text/plain');
    expect(response.headers['content-disposition']).toMatch(/^attachment/);
    const archive = { bytes: Buffer.from([0x1f, 0x8b, 8, 0, 0]), mimeType: 'application/gzip' };
    expect((await get((await receive(archive, 'document')).id)).headers['content-type']).toBe('application/gzip');
    const otherFile = { bytes: Buffer.from([0, 1, 2]), mimeType: 'text/html' };
    expect((await get((await receive(otherFile, 'document')).id)).headers['content-type']).toBe(
      'application/octet-stream',
    );
  });

  it('a request for a received file responds 404 for another channel and another account', async () => {
    const { id } = await receive(createJpeg(100));
    for (const otherCaller of [
      await createTestChannel(heliograph.deps, channel.account),
      await createTestChannel(heliograph.deps),
    ]) {
      expect((await get(id, otherCaller)).statusCode).toBe(404);
    }
    expect(await readRequestStatus(id)).toBe('remote');
  });
});

describe('a received file that cannot be downloaded', () => {
  it('a request for a received file responds 410 once Meta no longer has it', async () => {
    const { id, metaId } = await receive(createJpeg(100));
    stub.media.remove(metaId);
    const response = await get(id);
    expect([response.statusCode, response.json().error.code]).toEqual([410, 'GONE']);
  });

  it.each([
    [400, 100, 33],
    [404, 100, 33],
    [400, 100, undefined],
    [410, 33, undefined],
  ])(
    'a request for a received file responds 410 if its URL returns %i with the code %i (%s)',
    async (status, code, subcode) => {
      const { id } = await receive(createJpeg(200 + status));
      stub.media.downloadFault = new MetaRefusal(code, 'No such object', { status, ...(subcode && { subcode }) });
      const response = await get(id);
      expect([response.statusCode, response.json().error.code]).toEqual([410, 'GONE']);
    },
  );

  it.each([
    [401, 190],
    [400, 4],
    [500, 1],
  ])('a request for a received file responds 503 if its URL returns %i with the code %i', async (status, code) => {
    const { id } = await receive(createJpeg(200 + code));
    stub.media.downloadFault = new MetaRefusal(code, 'Later', { status });
    expect((await get(id)).statusCode).toBe(503);
    stub.media.downloadFault = null;
    expect((await get(id)).statusCode).toBe(200);
  });

  it.each([500, 302])(
    'a request for a received file responds 503 if Meta returns %i, and succeeds later',
    async (status) => {
      const { id } = await receive(createJpeg(300 + status));
      stub.media.downloadStatus = status;
      const response = await get(id);
      expect([response.statusCode, response.json().error.code]).toEqual([503, 'UNAVAILABLE']);
      expect(await readRequestStatus(id)).toBe('remote');
      stub.media.downloadStatus = 200;
      expect((await get(id)).statusCode).toBe(200);
    },
  );

  it('a request for a received file responds 503 for other bytes than Meta announced, and stores none of them', async () => {
    const { id } = await receive({ ...createJpeg(400), sha256: '00'.repeat(32) });
    expect((await get(id)).statusCode).toBe(503);
    expect(await readRequestStatus(id)).toBe('remote');
    await expect(heliograph.deps.media.files.read(id)).rejects.toThrow('The bytes of the file');
  });

  it("a media download never sends the token to hosts other than Meta's", async () => {
    const requestedUrls: string[] = [];
    const otherServer = createServer((request, response) => {
      requestedUrls.push(request.url ?? '');
      response.end('x');
    });
    await new Promise<void>((resolve) => otherServer.listen(0, '127.0.0.1', resolve));
    const { port } = otherServer.address() as AddressInfo;
    const { id } = await receive({ ...createJpeg(500), url: `http://127.0.0.1:${port}/a` });
    expect((await get(id)).statusCode).toBe(503);
    expect(requestedUrls).toEqual([]);
    await new Promise((resolve) => otherServer.close(resolve));
  });

  it('a request for a received file responds 413 if it exceeds the limit, and stores nothing', async () => {
    expect((await get((await receive(createJpeg(LIMIT))).id)).statusCode).toBe(200);
    const { id } = await receive(createJpeg(LIMIT + 1));
    expect((await get(id)).statusCode).toBe(413);
    await expect(heliograph.deps.media.files.read(id)).rejects.toThrow('The bytes of the file');
  });
});

async function expectGone(id: string) {
  expect((await get(id)).statusCode).toBe(404);
  await createKeeper().sweep();
  expect(await readRequestStatus(id)).toBe('no row');
  await expect(heliograph.deps.media.files.read(id)).rejects.toThrow('The bytes of the file');
}

describe('a received file is deleted', () => {
  it('a received file is deleted with the contact who sent it', async () => {
    const { id, row } = await receive(createJpeg(600));
    await get(id);
    const { contactId } = await heliograph.deps.prisma.conversation.findUniqueOrThrow({
      where: { id: row.conversationId ?? '' },
    });
    expect((await call(heliograph, channel, 'DELETE', `/contacts/${contactId}`)).statusCode).toBe(200);
    await expectGone(id);
  });

  it.each([true, false])(
    'a received file is deleted with its message when the contact deletes it (downloaded before: %s)',
    async (isFetched) => {
      const { id, row } = await receive(createJpeg(isFetched ? 660 : 661));
      if (isFetched) await get(id);
      const revoke = buildInbound('revoke', { original_message_id: row.carrierMessageId });
      await postWebhook(heliograph, stub, CARRIER, buildEnvelope(revoke));
      const { inboundMessage } = heliograph.deps.prisma;
      const revokedMessage = await waitFor('it to be taken back', async () => {
        const now = await inboundMessage.findUniqueOrThrow({ where: { id: row.id } });
        return now.revokedAt && now;
      });
      expect(revokedMessage).toMatchObject({ type: 'image', body: '', payload: {} });
      await expectGone(id);
    },
  );

  it('a received file is deleted with the person who is erased', async () => {
    const { id } = await receive(createJpeg(650));
    await get(id);
    await erasePerson({ ...heliograph.deps }, { address: '16505551234', accountId: channel.account.id }, { waitMs: 0 });
    await expectGone(id);
  });

  it('a received file is deleted after MEDIA_RETENTION_DAYS', async () => {
    const { id } = await receive(createJpeg(700));
    await get(id);
    const { pool, log, media } = heliograph.deps;
    const laterClock = { now: () => new Date(Date.now() + 8 * 24 * 3_600_000) };
    const createLaterKeeper = (retentionDays: number) =>
      new MediaKeeper({ pool, log, retentionDays, ...media, clock: laterClock as never });
    await createLaterKeeper(9).sweep();
    expect((await get(id)).statusCode).toBe(200);
    await createLaterKeeper(7).sweep();
    expect((await get(id)).statusCode).toBe(404);
    expect(await readRequestStatus(id)).toBe('no row');
  });

  it('a received file is deleted even if another file cannot be removed, which does not block downloads either', async () => {
    const [stays, goes] = [await receive(createJpeg(710)), await receive(createJpeg(711))];
    for (const { id } of [stays, goes]) {
      await get(id);
      await heliograph.deps.pool.query(`UPDATE media SET status = 'removed' WHERE id = $1`, [id]);
    }
    const { pool, log, clock, media } = heliograph.deps;
    const files = Object.assign(Object.create(media.files), {
      remove: async (id: string) => {
        if (id === stays.id) throw new Error('not permitted');
        await media.files.remove(id);
      },
    });
    const keeper = new MediaKeeper({ pool, log, clock, retentionDays: 0, ...media, files });
    await keeper.sweep();
    expect([await readRequestStatus(stays.id), await readRequestStatus(goes.id)]).toEqual(['removed', 'no row']);
    await new MediaKeeper({ pool, log, clock, retentionDays: 0, ...media }).sweep();
    expect(await readRequestStatus(stays.id)).toBe('no row');
  });
});

it('the simulator provides an image', async () => {
  const simulatedChannel = await createTestChannel(heliograph.deps);
  const payload = { id: '1', mime_type: 'image/png' };
  await playInbound(heliograph, simulatedChannel, { from: '15005550111', type: 'image', payload });
  const [media] = (await call(heliograph, simulatedChannel, 'GET', '/media')).json().data.media;
  const response = await get(media.id, simulatedChannel);
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'image/png']);
});

describe('MEDIA_FETCH=at-once', () => {
  const eagerServer = suiteApp({ settings: { MEDIA_FETCH: 'at-once' } });

  it('MEDIA_FETCH=at-once downloads files automatically', async () => {
    const ownChannel = await createMetaChannel(eagerServer, stub);
    const metaId = stub.media.receive(createJpeg(800));
    await postWebhook(
      eagerServer,
      stub,
      CARRIER,
      buildEnvelope(buildInbound('image', { id: metaId, mime_type: 'image/jpeg' })),
    );
    const row = await waitFor('the file', () =>
      eagerServer.deps.prisma.media.findFirst({ where: { channelId: ownChannel.channelId } }),
    );
    const { pool, log, clock, media } = eagerServer.deps;
    await new MediaKeeper({ pool, log, clock, retentionDays: 0, ...media }).fetch();
    await waitFor('its bytes', async () => {
      const { status, nextLook } = await eagerServer.deps.prisma.media.findUniqueOrThrow({ where: { id: row.id } });
      return status === 'kept' && nextLook === null;
    });
  });
  it('MEDIA_FETCH=at-once skips files of deleted channels and continues with others', async () => {
    const { pool, log, clock, media, prisma } = eagerServer.deps;
    await pool.query('UPDATE channels SET deleted_at = now()');
    const ownChannel = await createMetaChannel(eagerServer, stub);
    for (let count = 0; count < 5; count += 1) {
      const payload = { id: stub.media.receive(createJpeg(810 + count)), mime_type: 'image/jpeg' };
      await postWebhook(eagerServer, stub, CARRIER, buildEnvelope(buildInbound('image', payload)));
    }
    const channelFilter = { channelId: ownChannel.channelId };
    await waitFor('the files', async () => (await prisma.media.count({ where: channelFilter })) === 5);
    await pool.query('UPDATE channels SET deleted_at = now() WHERE id = $1', [ownChannel.channelId]);
    await pool.query(
      `UPDATE media SET status = 'remote', next_look = now() - interval '1 minute' WHERE channel_id = $1`,
      [ownChannel.channelId],
    );
    await new MediaKeeper({ pool, log, clock, retentionDays: 0, ...media }).fetch();
    expect(await prisma.media.count({ where: { ...channelFilter, nextLook: { not: null } } })).toBe(0);
  });
});
