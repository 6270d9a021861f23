import { describe, expect, it } from 'vitest';
import { readBalance } from '../../support/accounts.js';
import { playInbound } from '../../support/channel-calls.js';
import { createTestChannel } from '../../support/channels.js';
import { waitForStatus } from '../../support/messages.js';
import { suiteApp } from '../../support/suite.js';
import { callTwilio } from '../../support/twilio-calls.js';
import { waitFor } from '../../support/wait-for.js';
import { sendV2 } from '../../surfaces/a/requests.js';

const CONTACT = '14155550123';

describe('SIMULATOR_REPLY_WINDOW', () => {
  const heliograph = suiteApp({ settings: { SIMULATOR_REPLY_WINDOW: 'true' } });

  it('the simulator with a reply window fails and refunds free-form text unless the contact wrote before', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const { account, phoneNumber } = channel;
    const balanceBefore = await readBalance(heliograph.deps, account.id);
    const text = { from: phoneNumber, to: CONTACT, channel: 'whatsapp', message: 'Hi' };
    const send = async () => {
      const response = await sendV2(heliograph.app, account, text);
      expect(response.statusCode).toBe(200);
      return response.json().data[0].message_id as string;
    };
    const refusal = await send();
    await waitForStatus(heliograph, [refusal], 'failed');
    expect(await heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id: refusal } })).toMatchObject({
      errorCode: '131047',
      refunded: true,
    });
    expect(await readBalance(heliograph.deps, account.id)).toBe(balanceBefore);

    expect((await playInbound(heliograph, channel, { from: CONTACT, text: 'Hello' })).statusCode).toBe(200);
    await waitForStatus(heliograph, [await send()], 'delivered');
  });

  it('the simulator with a reply window allows templates, and gives Twilio clients their own error code', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const { account, phoneNumber } = channel;
    const template = await sendV2(heliograph.app, account, {
      ...{ from: phoneNumber, to: CONTACT, channel: 'whatsapp', template_id: 'hello_world' },
      template_data: { name: 'hello_world', language: { code: 'en_US' } },
    });
    expect(template.statusCode, template.body).toBe(200);
    await waitForStatus(heliograph, [template.json().data[0].message_id], 'delivered');

    const text = { From: `whatsapp:+${phoneNumber}`, To: `whatsapp:+${CONTACT}`, Body: 'Hi' };
    const response = await callTwilio(heliograph, account, 'POST', '/Messages.json', text);
    expect(response.statusCode, response.body).toBe(201);
    await waitFor('the message to fail', async () => {
      const { status, error_code } = (
        await callTwilio(heliograph, account, 'GET', `/Messages/${response.json().sid}.json`)
      ).json();
      return status === 'failed' && error_code === 63016;
    });
  });
});

describe('without SIMULATOR_REPLY_WINDOW', () => {
  const heliograph = suiteApp();

  it('the simulator without a reply window delivers free-form text to everybody', async () => {
    const { account, phoneNumber } = await createTestChannel(heliograph.deps);
    const text = { from: phoneNumber, to: CONTACT, channel: 'whatsapp', message: 'Hi' };
    const response = await sendV2(heliograph.app, account, text);
    await waitForStatus(heliograph, [response.json().data[0].message_id], 'delivered');
  });
});
