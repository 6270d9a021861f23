import Client, { type CreateMessageOptions } from '@great-detail/whatsapp';
import { verifySignature } from '@kapso/whatsapp-cloud-api/server';
import { beforeAll, describe, expect, it } from 'vitest';
import { openForSuite } from '../../../support/for-suite.js';
import { buildFile } from '../../../support/media/files.js';
import { openMetaEndpoint } from '../../../support/meta-endpoint.js';
import { normalizeMessage } from '../../../support/normalize-message.js';
import { waitFor } from '../../../support/wait-for.js';
import { ADA, addTemplateAtMeta, graphSuite } from '../graph-suite.js';
import { type Exchange, recordingFetch } from './recording-fetch.js';
import { FILES, INTERACTIVE, LINKS, LOCATION, ORDER_SENT, ORDER_UPDATE } from './sample-messages.js';

type Json = Record<string, unknown>;

const suite = graphSuite({ settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
const endpoint = openForSuite(openMetaEndpoint);
const exchanges: Exchange[] = [];
let client: Client;
let headers: { Authorization: string };

beforeAll(async () => {
  const { baseUrl: prefixUrl, token } = suite;
  headers = { Authorization: `Bearer ${token}` };
  client = new Client({ prefixUrl, request: { headers, fetch: recordingFetch(exchanges) } });
  await addTemplateAtMeta(suite, ORDER_UPDATE);
});

/** The cast is needed because the client's types lack interactive messages and describe reactions as files. */
const send = (message: Json) => {
  const { phoneNumberId: phoneNumberID } = suite;
  return client.message.createMessage({ phoneNumberID, to: ADA, ...message } as unknown as CreateMessageOptions);
};

/** Expects that Meta received a message equivalent to the client's last request. */
function expectForwarded(change: (sent: Json) => Json = (request) => request): void {
  const { sent } = exchanges.at(-1) as Exchange;
  expect(normalizeMessage(suite.stub.accepted.at(-1)?.body ?? {})).toEqual(change(normalizeMessage(sent ?? {})));
}

const CARD = {
  name: { formatted_name: 'Ada Lovelace', first_name: 'Ada' },
  phones: [{ phone: '+15005550111', type: 'WORK', wa_id: '15005550111' }],
  addresses: [],
  emails: [],
  urls: [],
};

const KINDS: [what: string, message: (world: { inboundId: string }) => Json][] = [
  ['text', () => ({ type: 'text', text: { body: 'Hello', preview_url: true } })],
  ['a template', () => ({ type: 'template', template: ORDER_SENT })],
  ['a location', () => ({ type: 'location', location: LOCATION })],
  ['contacts', () => ({ type: 'contacts', contacts: [CARD] })],
  ...Object.entries(INTERACTIVE).map(([kind, interactive]): (typeof KINDS)[number] => [
    `an interactive ${kind}`,
    () => ({ type: 'interactive', interactive }),
  ]),
  ...LINKS.map(([kind, object]): (typeof KINDS)[number] => [
    `a file of the kind ${kind}`,
    () => ({ type: kind, [kind]: object }),
  ]),
  ['a reaction', ({ inboundId }) => ({ type: 'reaction', reaction: { message_id: inboundId, emoji: '👍' } })],
  [
    'a reply with a quote',
    ({ inboundId }) => ({ type: 'text', text: { body: 'Yes' }, context: { message_id: inboundId } }),
  ],
];

describe('@great-detail/whatsapp', () => {
  it.each(KINDS)('sends %s in the form that Meta expects', async (_what, message) => {
    const response = await send(message(suite)).json();
    expect(response).toMatchObject({
      messaging_product: 'whatsapp',
      contacts: [{ input: ADA, wa_id: ADA }],
      messages: [{ id: expect.stringMatching(/^wamid\./), message_status: 'accepted' }],
    });
    expectForwarded();
  });

  it.each(FILES)(
    'uploads %s as %s, sends it by ID, reads its details, downloads it and deletes it',
    async (...file) => {
      const [kind, mimeType, filename] = file;
      const { media } = client;
      const { phoneNumberId: phoneNumberID } = suite;
      const bytes = buildFile(mimeType, 2000);
      const blob = new Blob([bytes], { type: mimeType });
      const { id } = await media.upload({ phoneNumberID, file: blob, filename, mimeType }).json();
      await send({ type: kind, [kind]: { id } });
      const uploads = suite.stub.media.uploads.at(-1);
      expect([uploads?.bytes.equals(bytes), uploads?.mimeType]).toEqual([true, mimeType]);
      // Meta gives a document the file name with which it was uploaded.
      const expectedFile = { id: uploads?.id, ...(kind === 'document' && { filename }) };
      expectForwarded((request) => ({ ...request, [kind]: { ...(request[kind] as object), ...expectedFile } }));

      const description = await media.getURL({ mediaID: id, phoneNumberID }).json();
      expect(description).toMatchObject({ id, messaging_product: 'whatsapp', mime_type: mimeType, file_size: '2000' });
      const downloaded = await media.download({ mediaURL: description.url, request: { headers } });
      expect(Buffer.from(await downloaded.arrayBuffer()).equals(bytes)).toBe(true);
      expect(await media.delete({ mediaID: id }).json()).toEqual({ success: true });
      await expect(media.getURL({ mediaID: id }).json()).rejects.toMatchObject({ response: { status: 400 } });
    },
  );

  it('sends a read receipt and a typing indicator', async () => {
    const { phoneNumberId: phoneNumberID, inboundId: message_id } = suite;
    const readReceipt = { phoneNumberID, message_id, status: 'read', typing_indicator: { type: 'text' } } as const;
    expect(await client.message.createStatus(readReceipt).json()).toEqual({ success: true });
    expect(suite.stub.readReceipts.at(-1)).toEqual(exchanges.at(-1)?.sent);
  });

  it('lists, creates, reads, changes and deletes templates', async () => {
    const { businessAccountId } = suite;
    const { template } = client;
    const draft = {
      name: 'bill',
      category: 'UTILITY',
      language: 'en_US',
      components: [{ type: 'BODY', text: 'Your bill {{1}} is here.', example: { body_text: [['7']] } }],
    };
    const createdTemplate = await template
      .create(businessAccountId, draft as unknown as Parameters<typeof template.create>[1])
      .json();
    expect(createdTemplate).toMatchObject({
      id: expect.stringMatching(/^\d+$/),
      status: 'PENDING',
      category: 'UTILITY',
    });
    const { id } = createdTemplate as unknown as { id: string };
    const listedTemplates = await template
      .list(businessAccountId, { status: ['PENDING', 'APPROVED'], limit: 10, fields: ['name', 'status'] })
      .json();
    expect(listedTemplates).toMatchObject({ data: [{ name: 'bill', status: 'PENDING' }, { name: 'order_update' }] });
    const foundTemplates = await template
      .list(businessAccountId, { name_or_content: 'on its way', language: ['en_US'] })
      .json();
    expect(foundTemplates).toMatchObject({ data: [{ name: 'order_update' }] });
    expect(await template.get(id, { fields: ['name', 'language'] }).json()).toEqual({
      id,
      name: 'bill',
      language: 'en_US',
    });
    // As with Meta's API, a PENDING template cannot be edited.
    await expect(
      template.update(id, { components: draft.components } as Parameters<typeof template.update>[1]).json(),
    ).rejects.toMatchObject({ response: { status: 400 } });
    await suite.heliograph.deps.prisma.template.updateMany({ where: { name: 'bill' }, data: { status: 'APPROVED' } });
    const components = [{ ...draft.components[0], text: 'Here is your bill {{1}}.' }];
    for (const storedTemplate of suite.stub.templates)
      if (storedTemplate.name === 'bill') storedTemplate.status = 'APPROVED';
    const change = { components } as Parameters<typeof template.update>[1];
    expect(await template.update(id, change).json()).toMatchObject({ success: true });
    expect(await template.get(id, {}).json()).toMatchObject({ status: 'PENDING', components });
    expect(await template.delete(businessAccountId, { name: 'bill' }).json()).toEqual({ success: true });
  });

  it('reads its number, account, profile and subscriptions', async () => {
    const { phoneNumberId: phoneNumberID, businessAccountId: businessAccountID } = suite;
    const { phoneNumbers, whatsappBusinessAccount, subscribedApps, businessProfile } = client;
    expect(await phoneNumbers.listPhoneNumbers({ businessAccountID }).json()).toMatchObject({
      data: [{ id: phoneNumberID, platform_type: 'CLOUD_API' }],
    });
    const number = { phoneNumberID, fields: ['status', 'throughput'] } as Parameters<
      typeof phoneNumbers.getPhoneNumber
    >[0];
    expect(await phoneNumbers.getPhoneNumber(number).json()).toMatchObject({ id: phoneNumberID, status: 'CONNECTED' });
    expect(await whatsappBusinessAccount.get(businessAccountID).json()).toMatchObject({ id: businessAccountID });
    expect(await subscribedApps.listSubscriptions({ businessAccountID }).json()).toEqual({ data: [] });
    const override = { override_callback_uri: endpoint.url, verify_token: 'a-word' };
    expect(await subscribedApps.createSubscription({ businessAccountID, ...override }).json()).toEqual({
      success: true,
    });
    expect(await subscribedApps.listSubscriptions({ businessAccountID }).json()).toMatchObject({
      data: [
        { whatsapp_business_api_data: { id: expect.stringMatching(/^\d+$/) }, override_callback_uri: endpoint.url },
      ],
    });
    const secret =
      (await suite.heliograph.deps.prisma.webhook.findFirst({ where: { url: endpoint.url } }))?.secret ?? '';
    await send({ type: 'text', text: { body: 'Hello' } });
    const { body, signature } = await waitFor('the status', async () => endpoint.webhooks.at(-1));
    const webhookRequest = { method: 'POST', query: {}, headers: { 'x-hub-signature-256': signature }, body };
    const event = await client.webhook.eventNotification(
      webhookRequest as Parameters<typeof client.webhook.eventNotification>[0],
    );
    await event.verifySignature(secret);
    await expect(event.verifySignature('another')).rejects.toThrow("doesn't match");
    expect(verifySignature({ appSecret: secret, rawBody: body, signatureHeader: signature })).toBe(true);
    expect(await businessProfile.getBusinessProfile({ phoneNumberID, fields: ['about'] }).json()).toMatchObject({
      data: [{ messaging_product: 'whatsapp' }],
    });
  });
});
