import { type GraphApiError, WhatsAppClient } from '@kapso/whatsapp-cloud-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildFile } from '../../../support/media/files.js';
import { normalizeMessage } from '../../../support/normalize-message.js';
import { ADA, addTemplateAtMeta, graphSuite } from '../graph-suite.js';
import { type Exchange, recordingFetch } from './recording-fetch.js';
import { FILES, LINKS, LOCATION, ORDER_SENT, ORDER_UPDATE } from './sample-messages.js';

const suite = graphSuite();
const exchanges: Exchange[] = [];
let client: WhatsAppClient;
let destination: { phoneNumberId: string; to: string };

beforeAll(async () => {
  const { baseUrl, token: accessToken, phoneNumberId } = suite;
  client = new WhatsAppClient({ baseUrl, accessToken, graphVersion: 'v24.0', fetch: recordingFetch(exchanges) });
  destination = { phoneNumberId, to: `+${ADA}` };
  await addTemplateAtMeta(suite, ORDER_UPDATE);
});

function expectForwarded(
  change: (sent: Record<string, unknown>) => Record<string, unknown> = (request) => request,
): void {
  const { sent } = exchanges.at(-1) as Exchange;
  expect(normalizeMessage(suite.stub.accepted.at(-1)?.body ?? {})).toEqual(change(normalizeMessage(sent ?? {})));
}

type Messages = WhatsAppClient['messages'];
type Sends = [what: string, send: (messages: Messages) => Promise<unknown>][];

const SENDS: Sends = [
  ['text', (messages) => messages.sendText({ ...destination, body: 'Hello', previewUrl: true })],
  ['a template', (messages) => messages.sendTemplate({ ...destination, template: ORDER_SENT })],
  ['a location', (messages) => messages.sendLocation({ ...destination, location: LOCATION })],
  [
    'contacts',
    (messages) =>
      messages.sendContacts({
        ...destination,
        contacts: [
          {
            name: { formattedName: 'Ada Lovelace', firstName: 'Ada' },
            phones: [{ phone: '+15005550111', type: 'WORK', waId: '15005550111' }],
            org: { company: 'Engines' },
          },
        ],
      }),
  ],
  [
    'buttons',
    (messages) =>
      messages.sendInteractiveButtons({
        ...destination,
        header: { type: 'image', image: { link: 'https://example.com/a.jpg' } },
        bodyText: 'Shall we come?',
        footerText: 'The shop',
        buttons: [
          { id: 'yes', title: 'Yes' },
          { id: 'no', title: 'No' },
        ],
      }),
  ],
  [
    'a list',
    (messages) =>
      messages.sendInteractiveList({
        ...destination,
        header: { type: 'text', text: 'Times' },
        bodyText: 'When?',
        buttonText: 'Choose',
        sections: [{ title: 'Today', rows: [{ id: 'nine', title: 'Nine', description: 'In the morning' }] }],
      }),
  ],
  [
    'a button that opens a URL',
    (messages) =>
      messages.sendInteractiveCtaUrl({
        ...destination,
        bodyText: 'All dates are here.',
        parameters: { displayText: 'Dates', url: 'https://example.com/dates' },
      }),
  ],
  [
    'a location request',
    (messages) =>
      messages.sendInteractiveLocationRequest({
        ...destination,
        bodyText: 'Where are you?',
        parameters: { requestMessage: 'Where are you?' },
      }),
  ],
  [
    'a Flow',
    (messages) =>
      messages.sendInteractiveFlow({
        ...destination,
        bodyText: 'Book a table',
        parameters: {
          flowId: '1234567890',
          flowCta: 'Book',
          flowToken: 'table-7',
          flowAction: 'navigate',
          flowActionPayload: { screen: 'START', data: { table: 7 } },
        },
      }),
  ],
  [
    'a product',
    (messages) =>
      messages.sendInteractiveProduct({
        ...destination,
        bodyText: 'This one',
        catalogId: '1',
        productRetailerId: 'cup',
      }),
  ],
  [
    'a catalog',
    (messages) =>
      messages.sendInteractiveCatalogMessage({
        ...destination,
        bodyText: 'All that we have',
        parameters: { thumbnailProductRetailerId: 'cup' },
      }),
  ],
  [
    'a reaction',
    (messages) => messages.sendReaction({ ...destination, reaction: { messageId: suite.inboundId, emoji: '👍' } }),
  ],
  [
    'a reply with a quote',
    (messages) => messages.sendText({ ...destination, body: 'Yes', contextMessageId: suite.inboundId }),
  ],
  [
    'to a person without a number',
    (messages) =>
      messages.sendTemplate({
        phoneNumberId: destination.phoneNumberId,
        recipient: 'US.13491208655302741918',
        template: ORDER_SENT,
      }),
  ],
  [
    'a message without a builder in the client',
    (messages) =>
      messages.sendRaw({
        phoneNumberId: destination.phoneNumberId,
        payload: { messaging_product: 'whatsapp', to: destination.to, type: 'text', text: { body: 'Hello' } },
      }),
  ],
];

describe('@kapso/whatsapp-cloud-api', () => {
  it.each(SENDS)('sends %s in the form that Meta expects', async (_what, send) => {
    expect(await send(client.messages)).toMatchObject({
      messagingProduct: 'whatsapp',
      messages: [{ id: expect.stringMatching(/^wamid\./), messageStatus: 'accepted' }],
    });
    expectForwarded();
  });

  it.each(LINKS)('sends a file of type %s by URL', async (kind, object) => {
    const { messages } = client;
    const message = { ...destination, [kind]: object } as never;
    if (kind === 'image') await messages.sendImage(message);
    else if (kind === 'audio') await messages.sendAudio(message);
    else if (kind === 'video') await messages.sendVideo(message);
    else if (kind === 'document') await messages.sendDocument(message);
    else await messages.sendSticker(message);
    expectForwarded();
  });

  it.each(FILES)(
    'uploads %s as %s, sends it by ID, reads its details, downloads it and deletes it',
    async (...file) => {
      const [kind, type, fileName] = file;
      const { media, messages } = client;
      const bytes = buildFile(type, 2000);
      const { id } = await media.upload({
        phoneNumberId: destination.phoneNumberId,
        type,
        file: new Blob([bytes], { type }),
        fileName,
      });
      await messages.sendRaw({
        phoneNumberId: destination.phoneNumberId,
        payload: { messaging_product: 'whatsapp', to: destination.to, type: kind, [kind]: { id } },
      });
      const uploads = suite.stub.media.uploads.at(-1);
      expect([uploads?.bytes.equals(bytes), uploads?.mimeType]).toEqual([true, type]);
      // Meta has another ID for the file, and gives a document the file name with which it was uploaded.
      const expectedFile = { id: uploads?.id, ...(kind === 'document' && { filename: fileName }) };
      expectForwarded((request) => ({ ...request, [kind]: { ...(request[kind] as object), ...expectedFile } }));

      expect(await media.get({ mediaId: id, phoneNumberId: destination.phoneNumberId })).toMatchObject({
        id,
        messagingProduct: 'whatsapp',
        mimeType: type,
        fileSize: '2000',
      });
      // By default, the client sends its token to no other server, so `auth` is set to `always`.
      const downloaded = await media.download({ mediaId: id, auth: 'always' });
      expect(Buffer.from(downloaded as ArrayBuffer).equals(bytes)).toBe(true);
      expect(await media.delete({ mediaId: id })).toEqual({ success: true });
      await expect(media.get({ mediaId: id })).rejects.toMatchObject({ code: 100, errorSubcode: 33 });
    },
  );

  it('sends a read receipt and a typing indicator', async () => {
    const { phoneNumberId } = destination;
    const readReceipt = { phoneNumberId, messageId: suite.inboundId, typingIndicator: { type: 'text' as const } };
    expect(await client.messages.markRead(readReceipt)).toEqual({ success: true });
    expect(suite.stub.readReceipts.at(-1)).toEqual(exchanges.at(-1)?.sent);
  });

  it('lists, creates and deletes templates', async () => {
    const { businessAccountId } = suite;
    const listedTemplates = await client.templates.list({ businessAccountId, status: 'APPROVED', limit: 5 });
    expect(listedTemplates.data).toMatchObject([{ name: 'order_update', status: 'APPROVED', language: 'en_US' }]);
    const draft = { businessAccountId, name: 'bill', category: 'UTILITY', parameterFormat: 'POSITIONAL' as const };
    const components = [{ type: 'BODY', text: 'Your bill {{1}} is here.', example: { bodyText: [['7']] } }];
    for (const language of ['en_US', 'de']) {
      const createdTemplate = await client.templates.create({ ...draft, language, components });
      expect(createdTemplate).toMatchObject({
        id: expect.stringMatching(/^\d+$/),
        status: 'PENDING',
        category: 'UTILITY',
      });
    }
    await client.templates.delete({ businessAccountId, name: 'bill', language: 'de' });
    expect(await client.templates.list({ businessAccountId, name: 'bill' })).toMatchObject({
      data: [{ language: 'en_US', components: [{ type: 'BODY', text: 'Your bill {{1}} is here.' }] }],
    });
  });

  it('registers its number, and reads and changes its profile', async () => {
    const { phoneNumbers } = client;
    const { phoneNumberId } = destination;
    expect(await phoneNumbers.register({ phoneNumberId, pin: '123456' })).toEqual({ success: true });
    const profile = { about: 'We repair lamps', websites: ['https://example.com'] };
    expect(await phoneNumbers.businessProfile.update({ phoneNumberId, ...profile })).toEqual({ success: true });
    expect((await phoneNumbers.businessProfile.get({ phoneNumberId })).data).toMatchObject([
      { messagingProduct: 'whatsapp', ...profile },
    ]);
  });

  it('recognizes the error, and whether to retry', async () => {
    const catchError = (send: Promise<unknown>) =>
      send.then(
        () => expect.unreachable(),
        (error: GraphApiError) => error,
      );
    const closedWindowError = await catchError(
      client.messages.sendText({ ...destination, to: '+15005550432', body: 'Hello' }),
    );
    expect(closedWindowError).toMatchObject({
      code: 131047,
      category: 'reengagementWindow',
      retry: { action: 'do_not_retry' },
    });
    const { baseUrl } = suite;
    const unauthorizedClient = new WhatsAppClient({ baseUrl, accessToken: 'nobody.knows' });
    const unauthorizedError = await catchError(unauthorizedClient.messages.sendText({ ...destination, body: 'Hello' }));
    expect(unauthorizedError).toMatchObject({ code: 190, httpStatus: 401, category: 'authorization' });
    expect(unauthorizedError.fbtraceId).toEqual(expect.any(String));
  });
});
