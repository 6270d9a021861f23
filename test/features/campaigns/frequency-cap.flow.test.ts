import { describe, expect, it } from 'vitest';
import { setFrequencyCap } from '../../../src/accounts/frequency-cap.js';
import { createAutomation, triggerAutomation, waitForRun } from '../../support/automations.js';
import { countMessagesPerContact, createCampaign, waitForCampaign } from '../../support/campaigns.js';
import { call } from '../../support/channel-calls.js';
import { addTemplate, createCampaignChannel, createGroup } from '../../support/channel-contents.js';
import { sharedApp } from '../../support/suite.js';
import { expectErrorV2, NUMBER, sendV2 } from '../../surfaces/a/requests.js';

describe('the frequency cap', () => {
  const heliograph = sharedApp();

  it('makes campaigns skip and count the members above it', async () => {
    const channel = await createCampaignChannel(heliograph.deps);
    await setFrequencyCap(heliograph.deps.prisma, channel.account.id, { messages: 1, days: 7 });
    const group = await createGroup(heliograph.deps, channel, { size: 3 });
    const [first] = group.contactIds as [string];
    const small = await createGroup(heliograph.deps, channel, { size: 0 });
    await call(heliograph, channel, 'POST', `/contacts/groups/${small.id}/add`, { contactId: first });
    await waitForCampaign(
      heliograph,
      channel,
      (await createCampaign(heliograph, channel, { groupId: small.id })).id,
      'completed',
    );
    const { id } = await createCampaign(heliograph, channel, { groupId: group.id });
    const completed = await waitForCampaign(heliograph, channel, id, 'completed');
    expect(completed).toMatchObject({
      messageCount: 2,
      skippedCount: 0,
      refusedCount: 0,
      cappedCount: 1,
      errorMessage: null,
    });
    expect((await countMessagesPerContact(heliograph.deps, id)).get(first)).toBeUndefined();
    const results = (await call(heliograph, channel, 'GET', `/campaigns/${id}/results`)).json().data;
    expect(results.secondsLeft).toBeNull();
  });

  it('ends the run of an automation that would send marketing above it', async () => {
    const channel = await createCampaignChannel(heliograph.deps);
    await addTemplate(heliograph, channel, { name: 'offer', category: 'MARKETING' });
    await setFrequencyCap(heliograph.deps.prisma, channel.account.id, { messages: 1, days: 1 });
    const step = { type: 'send_template', templateName: 'offer', language: 'en_US' };
    const automation = await createAutomation(heliograph, channel, [step, { ...step }]);
    const contact = await call(heliograph, channel, 'POST', '/contacts', { phone: NUMBER });
    await triggerAutomation(heliograph, channel, automation, { contactId: contact.json().data.id });
    const run = await waitForRun(heliograph, channel, automation, 'failed');
    expect(run.errorMessage).toBe(
      `to must not get more than 1 marketing message in 24 hours, the frequency cap of the account: ${NUMBER}.`,
    );
  });

  it('refuses API sends marked marketing', async () => {
    const channel = await createCampaignChannel(heliograph.deps);
    await setFrequencyCap(heliograph.deps.prisma, channel.account.id, { messages: 1, days: 1 });
    const send = (purpose?: string) =>
      sendV2(heliograph.app, channel.account, { from: 'Shop', to: NUMBER, channel: 'sms', message: 'Sale', purpose });
    expect((await send('marketing')).statusCode).toBe(200);
    const refusal = await send('marketing');
    expectErrorV2(refusal, 400, ['to']);
    expect(refusal.json().message).toMatch(/^to must not get more than 1 marketing message in 24 hours/);
    expect((await send()).statusCode).toBe(200);
  });
});
