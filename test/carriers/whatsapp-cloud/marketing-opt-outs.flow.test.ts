/* Meta returns error 131050 if the recipient has stopped marketing messages from the business. */
import { afterEach, describe, expect, it } from 'vitest';
import { MetaRefusal } from '../../support/carriers/cloud-api/meta-error.js';
import { buildStatusFor } from '../../support/carriers/cloud-api/webhooks.js';
import { call } from '../../support/channel-calls.js';
import { addTemplate } from '../../support/channel-contents.js';
import { waitFor } from '../../support/wait-for.js';
import { bsuid, channel, heliograph, phone, post, receiveMessage, stub, usePeople } from './people.js';

usePeople();
afterEach(() => {
  stub.fault = () => null;
});

const template = { id: '1', name: 'hello_world', language: 'en_US', status: 'APPROVED', category: 'MARKETING' };
const send = async (to = phone) => {
  stub.templates.splice(0, Number.POSITIVE_INFINITY, { ...template, components: [{ type: 'BODY', text: 'Hello' }] });
  await addTemplate(heliograph, channel, { name: 'hello_world', category: 'MARKETING' }).catch(() => undefined);
  return call(heliograph, channel, 'POST', '/messages/template', {
    ...{ to, templateName: 'hello_world', language: 'en_US' },
  });
};
const listOptOuts = async () => {
  const rows = await heliograph.deps.prisma.optOut.findMany({
    where: { sender: channel.channelId },
    orderBy: { phone: 'asc' },
  });
  return rows.map(({ phone: address, keyword, isActive, marketingOnly }) => ({
    address,
    keyword,
    isActive,
    marketingOnly,
  }));
};
const createMarketingOptOut = (address: string) => ({
  address,
  keyword: 'marketing_messages',
  isActive: true,
  marketingOnly: true,
});
const buildFailure = (overrides: Record<string, unknown>, code: unknown = 131050) => {
  const lastSent = stub.accepted.at(-1);
  if (!lastSent) throw new Error('the stub has received no message');
  const { recipient_id: _, ...status } = buildStatusFor(lastSent, 'failed');
  const errors = [{ code, title: 'x', error_data: { details: 'The recipient stopped marketing messages.' } }];
  return { statuses: [{ ...status, ...overrides, errors }] };
};

describe('error 131050', () => {
  it.each([
    ['that names the recipient', () => ({ recipient_id: phone })],
    ['that names nobody', () => ({})],
    ['whose code is a text', () => ({ recipient_id: phone }), '131050'],
  ])(
    'a WhatsApp message that fails with error 131050 opts the recipient out when reported by a status %s',
    async (_, recipientIds, code: unknown = 131050) => {
      expect((await send()).statusCode).toBe(200);
      const report = buildFailure(recipientIds(), code);
      for (const repeatedReport of [report, report]) await post(repeatedReport);
      expect(await listOptOuts()).toEqual([createMarketingOptOut(phone)]);
      expect(await heliograph.deps.prisma.message.findFirst({ where: { channelId: channel.channelId } })).toMatchObject(
        {
          ...{ status: 'failed', errorCode: '131050' },
        },
      );
      expect((await send()).json().error).toMatchObject({ code: 'OPTED_OUT' });
    },
  );

  it('a WhatsApp message that fails with error 131050 opts out all IDs of the contact', async () => {
    await receiveMessage({ phone, userId: bsuid });
    await send();
    await post(buildFailure({ recipient_user_id: bsuid }));
    expect(await listOptOuts()).toEqual([createMarketingOptOut(phone), createMarketingOptOut(bsuid)]);
  });

  it('a WhatsApp message that fails with error 131050 opts the recipient out when Meta refuses the send', async () => {
    stub.fault = () => new MetaRefusal(131050, 'The recipient stopped marketing messages');
    expect((await send()).statusCode).toBe(400);
    await waitFor('the opt-out', async () => (await listOptOuts()).length > 0);
    expect(await listOptOuts()).toEqual([createMarketingOptOut(phone)]);
  });

  it('a WhatsApp message that fails with error 131050 does not opt the recipient out if the error is a different one', async () => {
    await send();
    await post(buildFailure({ recipient_id: phone }, 131049));
    expect(await listOptOuts()).toEqual([]);
  });
});
