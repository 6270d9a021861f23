/*
 * WhatsApp shows the file name that Meta receives. If a document's name has no extension, the phone cannot open the document.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../support/channel-calls.js';
import { addTemplate } from '../../support/channel-contents.js';
import { callGraph } from '../../support/graph-calls.js';
import { upload as uploadFile } from '../../support/media/calls.js';
import { buildFile } from '../../support/media/files.js';
import { waitFor } from '../../support/wait-for.js';
import { receiveFirstMessage, suiteMeta } from './meta-channel.js';

const ADA = '15005550471';
const PHONE_NUMBER_ID = '106540352242922';
const { stub, heliograph, channel } = suiteMeta();

beforeAll(async () => {
  await receiveFirstMessage({ stub, heliograph, channel }, ADA);
  const components = [
    { type: 'HEADER', format: 'DOCUMENT' },
    { type: 'BODY', text: 'Your bill.' },
  ];
  await addTemplate(heliograph, channel, { name: 'bill', components });
  stub.templates.push({
    ...{ id: '1', name: 'bill', language: 'en_US', category: 'UTILITY', status: 'APPROVED', components },
  });
});

const upload = async (filename: string | null): Promise<string> => {
  const file = { name: 'file', bytes: buildFile('application/pdf', 2_000), type: 'application/pdf' };
  const { id } = (await uploadFile(heliograph, channel, { ...file, filename: filename ?? 'x' })).json().data;
  if (filename === null) await heliograph.deps.prisma.media.update({ where: { id }, data: { filename } });
  return id;
};
const captureSubmit = async (request: Promise<{ statusCode: number; body: string }>) => {
  const acceptedBefore = stub.accepted.length;
  const response = await request;
  expect(response.statusCode, response.body).toBe(200);
  const submit = await waitFor('the message', () => stub.accepted[acceptedBefore]);
  return submit.body as Record<string, Record<string, unknown>>;
};
const sendBySurfaceB = (document: object) =>
  call(heliograph, channel, 'POST', '/messages/send', { to: ADA, type: 'document', document });
const sendByGraph = (document: object) =>
  callGraph(heliograph, channel, 'POST', `/${PHONE_NUMBER_ID}/messages`, {
    ...{ messaging_product: 'whatsapp', to: ADA, type: 'document', document },
  });
const postV2 = (body: object) =>
  heliograph.app.inject({
    method: 'POST',
    url: '/v2/send',
    headers: channel.account.headers,
    payload: { to: ADA, from: channel.phoneNumber, channel: 'whatsapp', ...body },
  });
const sendBySurfaceA = (document: object) => postV2({ type: 'document', document });
const buildHeader = (document: object) => [{ type: 'header', parameters: [{ type: 'document', document }] }];
const sendTemplate = (document: object) =>
  call(heliograph, channel, 'POST', '/messages/template', {
    ...{ to: ADA, templateName: 'bill', language: 'en_US', components: buildHeader(document) },
  });

describe('document file names', () => {
  it.each([
    ['Bericht.pdf', undefined, 'Bericht.pdf'],
    ['Bericht', undefined, 'Bericht.pdf'],
    ['Bericht.final', undefined, 'Bericht.final.pdf'],
    ['x.pdf', 'Bill', 'Bill.pdf'],
    ['x.pdf', '', 'x.pdf'],
    [null, undefined, 'document.pdf'],
  ])('the file name of a document uploaded as %s and sent as %s becomes %s', async (uploadedName, filename, name) => {
    const id = await upload(uploadedName);
    const document = { id, ...(filename !== undefined && { filename }) };
    for (const send of [sendBySurfaceB, sendByGraph, sendBySurfaceA]) {
      expect((await captureSubmit(send(document))).document).toEqual({
        id: expect.stringMatching(/^\d+$/),
        filename: name,
      });
    }
    const sentTemplate = (await captureSubmit(sendTemplate(document))).template as unknown as {
      components: ReturnType<typeof buildHeader>;
    };
    expect(sentTemplate.components[0]?.parameters[0]?.document).toMatchObject({ filename: name });
  });

  it.each([
    [undefined, 'Rechnung 17.pdf'],
    ['Bill', 'Bill.pdf'],
    ['', 'Rechnung 17.pdf'],
    ['Bill.docx', 'Bill.docx'],
  ])('the file name of a document sent as a link and named %s becomes %s', async (filename, name) => {
    const link = 'https://example.com/a/Rechnung%2017.pdf';
    const document = { link, ...(filename !== undefined && { filename }) };
    for (const send of [sendBySurfaceB, sendByGraph, sendBySurfaceA]) {
      expect((await captureSubmit(send(document))).document).toEqual({ link, filename: name });
    }
    const sentTemplate = (await captureSubmit(sendTemplate(document))).template as unknown as {
      components: ReturnType<typeof buildHeader>;
    };
    expect(sentTemplate.components).toEqual(buildHeader({ link, filename: name }));
  });

  it('the file name of a document in an interactive header is taken from the link', async () => {
    const link = 'https://example.com/menu.pdf';
    const interactive = {
      type: 'button',
      header: { type: 'document', document: { link } },
      body: { text: 'Well?' },
      action: { buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }] },
    };
    const request = call(heliograph, channel, 'POST', '/messages/send', { to: ADA, type: 'interactive', interactive });
    expect((await captureSubmit(request)).interactive?.header).toEqual({
      ...{ type: 'document', document: { link, filename: 'menu.pdf' } },
    });
  });

  it.each([sendBySurfaceB, sendByGraph, sendBySurfaceA])(
    'the file name of a document is unaffected by an empty caption, which is omitted',
    async (send) => {
      const link = 'https://example.com/a.pdf';
      expect((await captureSubmit(send({ link, caption: '' }))).document).toEqual({ link, filename: 'a.pdf' });
    },
  );
});
