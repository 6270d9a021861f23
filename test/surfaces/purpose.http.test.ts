import { beforeAll, describe, expect, it } from 'vitest';
import type { MessagePurpose } from '../../src/platform/generated/prisma/client.js';
import { startCampaign, waitForCampaign } from '../support/campaigns.js';
import { call, playInbound } from '../support/channel-calls.js';
import { addCodeTemplate, addTemplate } from '../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../support/channels.js';
import { sharedApp } from '../support/suite.js';
import { expectErrorV2, get, NUMBER, readAccountState, SMS, sendSms, sendV2 } from './a/requests.js';

const RESERVED =
  'purpose must not be verification, which is reserved for sign-in codes and templates of the category AUTHENTICATION';

describe('purpose of a message', () => {
  const heliograph = sharedApp();
  let channel: TestChannel;

  beforeAll(async () => {
    channel = await createTestChannel(heliograph.deps);
    for (const category of ['MARKETING', 'UTILITY'] as const) {
      await addTemplate(heliograph, channel, { name: category.toLowerCase(), category });
    }
    await addCodeTemplate(heliograph, channel);
    await playInbound(heliograph, channel, { from: NUMBER, text: 'Hi' });
  });

  const readStored = async (id: string) =>
    (await heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } })).purpose;
  const sendTemplate = (name: string, purpose?: string) =>
    sendV2(heliograph.app, channel.account, {
      to: NUMBER,
      from: channel.phoneNumber,
      template_id: name,
      ...(name === 'sign_in' && {
        template_data: {
          components: [
            { type: 'body', parameters: [{ type: 'text', text: '123456' }] },
            { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: '123456' }] },
          ],
        },
      }),
      purpose,
    });
  const shownPurpose = async (id: string) =>
    (await get(heliograph.app, `/v2/messages/${id}`, channel.account)).json().data.purpose;

  it.each([
    [undefined, null, 'transactional'],
    ['transactional', null, 'transactional'],
    ['marketing', 'marketing', 'marketing'],
  ])('Surface A sends an SMS with the purpose %s', async (purpose, storedPurpose, returnedPurpose) => {
    const { app } = heliograph;
    for (const response of [
      await sendSms(app, channel.account, { ...SMS, purpose }),
      await sendV2(app, channel.account, { ...SMS, purpose }),
    ]) {
      expect(response.statusCode, response.body).toBe(200);
      const id = response.json().data[0].message_id;
      expect(await readStored(id)).toBe(storedPurpose);
      expect(await shownPurpose(id)).toBe(returnedPurpose);
    }
  });

  it.each<[string, MessagePurpose[]]>([
    ['sign_in', ['verification', 'transactional', 'marketing']],
    ['utility', ['transactional', 'marketing']],
    ['marketing', ['marketing']],
  ])('the template %s decides the purpose, and a request may be stricter', async (name, accepted) => {
    const [own] = accepted;
    for (const purpose of [undefined, ...accepted]) {
      const response = await sendTemplate(name, purpose);
      expect(response.statusCode, response.body).toBe(200);
      expect(await shownPurpose(response.json().data[0].message_id)).toBe(purpose ?? own);
    }
    const state = await readAccountState(heliograph, channel.account);
    for (const purpose of (['verification', 'transactional'] as const).filter((each) => !accepted.includes(each))) {
      const rule =
        purpose === 'verification'
          ? RESERVED
          : 'purpose must be marketing, because the template is of the category MARKETING';
      const response = await sendTemplate(name, purpose);
      expectErrorV2(response, 400, ['purpose']);
      expect(response.body).toContain(rule);
    }
    expect(await readAccountState(heliograph, channel.account)).toEqual(state);
  });

  it('verification and unknown purposes are refused for messages without a template', async () => {
    const { app } = heliograph;
    const state = await readAccountState(heliograph, channel.account);
    for (const [purpose, rule] of [
      ['verification', RESERVED],
      ['promotion', 'purpose must be transactional or marketing'],
      [1, 'purpose must be transactional or marketing'],
    ] as const) {
      for (const response of [
        await sendSms(app, channel.account, { ...SMS, purpose }),
        await sendV2(app, channel.account, { ...SMS, purpose }),
        await call(heliograph, channel, 'POST', '/messages/reply', { to: NUMBER, message: 'Hello', purpose }),
        await call(heliograph, channel, 'POST', '/messages/send', {
          ...{ to: NUMBER, type: 'text', text: { body: 'Hello' } },
          purpose,
        }),
      ]) {
        expect(response.statusCode, response.body).toBe(400);
        expect(response.body).toContain(rule);
      }
    }
    expect(await readAccountState(heliograph, channel.account)).toEqual(state);
  });

  it('sends of Surface B store the purpose, and the status shows it', async () => {
    const template = { to: NUMBER, templateName: 'utility', language: 'en_US' };
    for (const [path, body, own] of [
      ['reply', { to: NUMBER, message: 'Hello' }, 'transactional'],
      ['send', { to: NUMBER, type: 'text', text: { body: 'Hello' } }, 'transactional'],
      ['template', template, 'transactional'],
      ['template', { ...template, templateName: 'marketing' }, 'marketing'],
    ] as const) {
      for (const purpose of [undefined, 'marketing']) {
        const response = await call(heliograph, channel, 'POST', `/messages/${path}`, { ...body, purpose });
        expect(response.statusCode, response.body).toBe(200);
        const { messageId } = response.json().data;
        const status = await call(heliograph, channel, 'GET', `/messages/status/${messageId}`);
        expect(status.json().data.purpose).toBe(purpose ?? own);
      }
    }
  });

  it('a sign-in code has the purpose verification', async () => {
    const response = await heliograph.app.inject({
      ...{ method: 'POST', url: '/v2/verifications', headers: channel.account.headers },
      payload: { to: '15005550112', from: 'Shop', app_name: 'Shop' },
    });
    expect(response.statusCode, response.body).toBe(200);
    const message = await heliograph.deps.prisma.message.findFirstOrThrow({
      where: { accountId: channel.account.id, recipient: '15005550112' },
    });
    expect(message.purpose).toBe('verification');
  });

  it('campaign messages are marketing, also those accepted before purposes were stored', async () => {
    const { id, channel: own } = await startCampaign(heliograph, 1);
    await waitForCampaign(heliograph, own, id, 'completed');
    const { prisma } = heliograph.deps;
    const message = await prisma.message.findFirstOrThrow({ where: { campaignId: id } });
    expect(message.purpose).toBe('marketing');
    await prisma.message.update({ where: { id: message.id }, data: { purpose: null } });
    const status = await call(heliograph, own, 'GET', `/messages/status/${message.id}`);
    expect(status.json().data.purpose).toBe('marketing');
  });
});
