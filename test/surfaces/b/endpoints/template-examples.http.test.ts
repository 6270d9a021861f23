import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../../src/platform/ids.js';
import { createMetaChannel, suiteCloudApi } from '../../../carriers/whatsapp-cloud/meta-channel.js';
import { call } from '../../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../../support/channels.js';
import { openForSuite } from '../../../support/for-suite.js';
import { upload as uploadFile } from '../../../support/media/calls.js';
import { createTestOperator } from '../../../support/operators.js';
import { suiteApp } from '../../../support/suite.js';

const MB = 1024 * 1024;
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
/** Creates a PNG header followed by `size` bytes of padding. */
const makePng = (size: number) => Buffer.concat([PNG, Buffer.alloc(size)]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0]);
const MP4 = Buffer.from('....ftypisom....');
const PDF = Buffer.from('%PDF-1.7 …');
const BODY = { type: 'BODY', text: 'Look at this' };

const heliograph = suiteApp({ settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
const stub = suiteCloudApi();
const fileServer = openForSuite(async () => {
  const files: Record<string, Buffer> = {
    '/a.png': PNG,
    '/a.mp4': MP4,
    '/a.html': Buffer.from('<p>'),
    '/long': Buffer.alloc(16 * MB + 1),
  };
  const requestedUrls: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    requestedUrls.push(url);
    const file = files[url];
    response.writeHead(file ? 200 : 302, { location: '/a.png' }).end(file);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.close();
    server.closeAllConnections();
  };
  return { requestedUrls, url: (path: string) => `http://127.0.0.1:${port}${path}`, close };
});
let channel: TestChannel;

const upload = (data: unknown, caller = channel) =>
  call(heliograph, caller, 'POST', '/templates/examples', {
    data: Buffer.isBuffer(data) ? data.toString('base64') : data,
  });
const mediaHeader = (format: string, handle: string) => ({
  type: 'HEADER',
  format,
  example: { header_handle: [handle] },
});
const createTemplate = (name: string, components: object[], caller = channel) =>
  call(heliograph, caller, 'POST', '/templates', { name, language: 'en_US', category: 'MARKETING', components });
const findAtMeta = (name: string) => stub.templates.find((template) => template.name === name);

beforeAll(async () => {
  channel = await createMetaChannel(heliograph, stub);
});

describe('the example file of a template header', () => {
  it.each([
    ['image/png', PNG],
    ['image/jpeg', JPEG],
    ['video/mp4', MP4],
    ['application/pdf', PDF],
  ])('of type %s is uploaded to Meta, which returns its handle', async (type, data) => {
    const { handle, ...otherFields } = (await upload(data)).json().data;
    expect(otherFields).toEqual({ type, size: data.length });
    expect(stub.examples.get(handle)).toEqual({ type, data });
  });

  it('is accepted up to 5 MB for an image and up to 16 MB for a video', async () => {
    for (const [fileStart, limit] of [[PNG, 5 * MB] as const, [MP4, 16 * MB] as const]) {
      const makeFile = (size: number) => Buffer.concat([fileStart, Buffer.alloc(size - fileStart.length)]);
      const acceptedResponse = await upload(makeFile(limit));
      expect(acceptedResponse.statusCode, acceptedResponse.body).toBe(200);
      const refusal = await upload(makeFile(limit + 1));
      expect([refusal.statusCode, refusal.json().error.details[0].field]).toEqual([400, 'data']);
    }
  });

  it.each([['no base64!'], [''], [Buffer.from('<html>')], [7]])('is not accepted as %j', async (data) => {
    const refusal = await upload(data);
    expect([refusal.statusCode, refusal.json().error.details[0].field]).toEqual([400, 'data']);
  });

  it('is fetched from a URL, also for a card, and the carrier gets the handle', async () => {
    const card = { components: [mediaHeader('IMAGE', fileServer.url('/a.png')), BODY] };
    const components = [BODY, { type: 'CAROUSEL', cards: [card, card] }];
    const response = await createTemplate('cards', components);
    expect(response.json().data).toMatchObject({ components });
    const [, { cards = [] } = {}] = (findAtMeta('cards')?.components ?? []) as { cards?: { components: object[] }[] }[];
    const headers = cards.map(({ components: [header] }) => header as ReturnType<typeof mediaHeader>);
    const [handle = '', ...otherHandles] = headers.map(({ example }) => example.header_handle[0] as string);
    expect(otherHandles).toEqual([handle]);
    expect(stub.examples.get(handle)).toEqual({ type: 'image/png', data: PNG });
    expect(fileServer.requestedUrls).toContain('/a.png');
  });

  it.each([
    ['an HTML page', 'IMAGE', '/a.html'],
    ['an image for a video header', 'VIDEO', '/a.png'],
    ['a redirect', 'IMAGE', '/elsewhere'],
    ['a file that is too long', 'VIDEO', '/long'],
  ])('is refused from %s with an error that names it, and Meta is not called', async (_, format, path) => {
    const requestsBefore = stub.requests.length;
    const refusal = await createTemplate('no_file', [mediaHeader(format, fileServer.url(path)), BODY]);
    expect(refusal.statusCode).toBe(400);
    expect(refusal.json().error.details[0].field).toBe('components[0].example.header_handle');
    expect(stub.requests.slice(requestsBefore)).toEqual([]);
    expect(findAtMeta('no_file')).toBeUndefined();
  });

  it('can be a stored file, which is uploaded to Meta once', async () => {
    const png = await uploadFile(heliograph, channel, { bytes: makePng(3 * MB), type: 'image/png' });
    const { id, sha256 } = png.json().data;
    const card = { components: [mediaHeader('IMAGE', id.toUpperCase()), BODY] };
    const components = [BODY, { type: 'CAROUSEL', cards: [card, card] }];
    const uploadsBefore = stub.requests.filter((path) => path.includes('/uploads')).length;
    expect((await createTemplate('own_file', components)).json().data).toMatchObject({ components });
    expect(stub.requests.filter((path) => path.includes('/uploads'))).toHaveLength(uploadsBefore + 1);
    const [, { cards = [] } = {}] = (findAtMeta('own_file')?.components ?? []) as {
      cards?: { components: object[] }[];
    }[];
    const [header] = cards[0]?.components ?? [];
    const [handle = ''] = (header as ReturnType<typeof mediaHeader>).example.header_handle;
    const example = stub.examples.get(handle);
    expect(example?.type).toBe('image/png');
    expect(
      createHash('sha256')
        .update(example?.data as Buffer)
        .digest('base64'),
    ).toBe(sha256);
  });

  it('is refused if it is a file of another channel or one the header cannot show, and Meta is not called', async () => {
    const freshChannel = await createMetaChannel(heliograph, stub, { phoneNumberId: '106540352242999' });
    const foreignFileId = (
      await uploadFile(heliograph, freshChannel, { bytes: makePng(100), type: 'image/png' })
    ).json().data.id;
    const text = (await uploadFile(heliograph, channel, { bytes: Buffer.from('Hi'), type: 'text/plain' })).json().data
      .id;
    const simulatedChannel = await createTestChannel(heliograph.deps);
    const requestsBefore = stub.requests.length;
    for (const [to, format, id, status] of [
      [channel, 'IMAGE', foreignFileId, 404],
      [channel, 'IMAGE', newId(), 404],
      [simulatedChannel, 'IMAGE', foreignFileId, 404],
      [channel, 'VIDEO', text, 400],
      [freshChannel, 'VIDEO', foreignFileId, 400],
    ] as const) {
      const refusal = await createTemplate('no_file', [mediaHeader(format, id), BODY], to);
      expect([refusal.statusCode, refusal.json().error.details[0].field]).toEqual([
        status,
        'components[0].example.header_handle',
      ]);
    }
    expect(stub.requests.slice(requestsBefore)).toEqual([]);
  });

  it('is uploaded again when a synced template is edited', async () => {
    const link = fileServer.url('/a.png');
    const offer = { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Today', has_expiration: false } };
    const buttons = { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Go', url: 'https://example.com' }], tone: 'x' };
    const componentsAtMeta = [mediaHeader('IMAGE', link), BODY, offer, buttons];
    const templateFields = { id: '77', name: 'at_meta', language: 'en_US', category: 'MARKETING', status: 'APPROVED' };
    stub.templates.push({ ...templateFields, components: componentsAtMeta });
    const { templates } = (await call(heliograph, channel, 'POST', '/templates/sync')).json().data;
    const syncedTemplate = templates.find((template: { name: string }) => template.name === 'at_meta');
    expect(syncedTemplate.components).toEqual(componentsAtMeta);
    const components = [componentsAtMeta[0], { ...BODY, text: 'Look again' }, offer, buttons];
    const editResponse = await call(heliograph, channel, 'PUT', `/templates/${syncedTemplate.id}`, { components });
    expect(editResponse.json().data).toMatchObject({ status: 'PENDING', components });
    const [header, ...otherComponents] = findAtMeta('at_meta')?.components ?? [];
    expect(otherComponents).toEqual(components.slice(1));
    const [handle] = (header as ReturnType<typeof mediaHeader>).example.header_handle;
    expect(stub.examples.get(handle as string)?.data).toEqual(PNG);
  });

  it('is accepted by the simulator without fetching a URL', async () => {
    const freshChannel = await createTestChannel(heliograph.deps);
    const requestsBefore = fileServer.requestedUrls.length;
    expect((await upload(PNG, freshChannel)).json().data).toMatchObject({
      handle: expect.any(String),
      type: 'image/png',
    });
    const response = await createTemplate(
      'pictured',
      [mediaHeader('IMAGE', fileServer.url('/a.png')), BODY],
      freshChannel,
    );
    expect(response.json()).toMatchObject({ success: true });
    expect(fileServer.requestedUrls).toHaveLength(requestsBefore);
  });

  it('is uploaded by the console and audited', async () => {
    const { account, channelId } = channel;
    const operator = await createTestOperator(heliograph, { role: 'developer', accountId: account.id });
    const path = `/accounts/${account.id}/channels/${channelId}/templates/examples`;
    const response = await operator.ask('POST', path, { data: PDF.toString('base64') });
    expect(stub.examples.has(response.json().data.handle)).toBe(true);
    const where = { accountId: account.id, action: 'template.example' };
    const [line] = await heliograph.deps.prisma.auditLine.findMany({ where });
    expect(line).toMatchObject({ subject: channelId, after: { type: 'application/pdf', size: PDF.length } });
  });
});

describe('if private addresses are not allowed', () => {
  const guarded = suiteApp();

  it('a template header with a private URL is refused before anything is requested', async () => {
    const freshChannel = await createMetaChannel(guarded, stub);
    const requestsBefore = fileServer.requestedUrls.length;
    const refusal = await call(guarded, freshChannel, 'POST', '/templates', {
      ...{ name: 'inside', language: 'en_US', category: 'MARKETING' },
      components: [mediaHeader('IMAGE', fileServer.url('/a.png')), BODY],
    });
    expect([refusal.statusCode, refusal.json().error.details[0].field]).toEqual([
      400,
      'components[0].example.header_handle',
    ]);
    expect(fileServer.requestedUrls).toHaveLength(requestsBefore);
  });
});
