import { expect, it } from 'vitest';
import { newId } from '../../../src/platform/ids.js';
import { readBalance } from '../../support/accounts.js';
import { createCampaignChannel, createTemplate } from '../../support/channel-contents.js';
import type { TestChannel } from '../../support/channels.js';
import { setTestGuard } from '../../support/guards.js';
import { createTestOperator } from '../../support/operators.js';
import { sharedApp } from '../../support/suite.js';

const heliograph = sharedApp({ role: 'api' });

const createBody = (text: string) => [{ type: 'body', parameters: [{ type: 'text', text }] }];

/**
 * Creates a group of two Germans with names, an American without a name, an opted-out contact and a contact without a number.
 */
async function createEstimateGroup({ account, channelId }: TestChannel): Promise<string> {
  const { pool } = heliograph.deps;
  const id = newId();
  await pool.query(
    'INSERT INTO contact_groups (id, account_id, channel_id, name, contact_count) VALUES ($1, $2, $3, $4, 5)',
    [id, account.id, channelId, 'Friends'],
  );
  for (const [phone, name] of [
    ['4915112345671', 'Ann'],
    ['4915112345672', 'Ben'],
    ['4915112345673', 'Cem'],
    ['15005550111', ''],
    ['15005550112', ''],
  ]) {
    const contactId = newId();
    await pool.query('INSERT INTO contacts (id, account_id, channel_id, phone, name) VALUES ($1, $2, $3, $4, $5)', [
      contactId,
      account.id,
      channelId,
      phone,
      name,
    ]);
    await pool.query('INSERT INTO group_members (group_id, contact_id) VALUES ($1, $2)', [id, contactId]);
  }
  await pool.query(
    `INSERT INTO opt_outs (account_id, kind, phone, sender, is_active, decided_at)
     VALUES ($1, 'whatsapp', '4915112345673', $2, true, now())`,
    [account.id, channelId],
  );
  return id;
}

it('an estimate shows reach by country and cost, and stores nothing', async () => {
  const channel = await createCampaignChannel(heliograph.deps);
  await createTemplate(heliograph.deps, channel, { name: 'greeting', body: 'Hello {{1}}, hi' });
  const groupId = await createEstimateGroup(channel);
  const operator = await createTestOperator(heliograph, { role: 'developer', accountId: channel.account.id });
  const baseUrl = `/accounts/${channel.account.id}/channels/${channel.channelId}/campaigns`;
  const estimate = async (campaign: object) => {
    const response = await operator.ask('POST', `${baseUrl}/estimate`, {
      name: 'Sale',
      language: 'en_US',
      groupId,
      ...campaign,
    });
    return { status: response.statusCode, body: response.json() };
  };

  const plainEstimate = await estimate({ templateName: 'hello' });
  expect(plainEstimate.body.data).toEqual({
    members: 5,
    passedOver: 0,
    refused: 0,
    optedOut: 1,
    messages: 4,
    sms: null,
    countries: [
      { callingCode: '49', messages: 2, segments: 2, price: 0.01, total: 0.02 },
      { callingCode: '1', messages: 2, segments: 2, price: 0.01, total: 0.02 },
    ],
    total: 0.04,
    balance: 100,
    currency: 'USD',
    sample: { phone: '4915112345671', name: 'Ann', body: 'Hello' },
    mostExpensive: { phone: '4915112345671', name: 'Ann', body: 'Hello', segments: 1, encoding: null, price: 0.01 },
  });

  const personal = await estimate({ templateName: 'greeting', components: createBody('{{contact.name}}') });
  expect(personal.body.data).toMatchObject({
    members: 5,
    passedOver: 2,
    refused: 0,
    optedOut: 1,
    messages: 2,
    total: 0.02,
    sample: { body: 'Hello Ann, hi' },
  });
  await heliograph.deps.pool.query(
    `UPDATE contacts SET fields = '{"plan": "pro"}' WHERE channel_id = $1 AND name = 'Ann'`,
    [channel.channelId],
  );
  const fieldEstimate = await estimate({
    templateName: 'greeting',
    components: createBody('{{contact.fields.plan|basic}}'),
  });
  expect(fieldEstimate.body.data.sample).toMatchObject({ body: 'Hello pro, hi' });
  const personalEstimate = await estimate({
    templateName: 'greeting',
    components: createBody('{{variables.code}}'),
    memberVariables: [{ phone: '15005550112', variables: { code: 'X1' } }],
  });
  expect(personalEstimate.body.data).toMatchObject({
    passedOver: 4,
    optedOut: 0,
    messages: 1,
    sample: { body: 'Hello X1, hi' },
  });

  const emptyEstimate = await estimate({ templateName: 'greeting', components: createBody('{{contact.email}}') });
  expect(emptyEstimate.body.data).toMatchObject({ passedOver: 5, messages: 0, countries: [], total: 0, sample: null });
  const brokenEstimate = await estimate({ templateName: 'greeting', components: createBody('{{contact.name') });
  expect(brokenEstimate.status).toBe(400);
  expect(brokenEstimate.body.error.details).toMatchObject([{ field: 'components[0].parameters[0].text' }]);

  await setTestGuard(heliograph.deps, channel.account.id, { allowed: ['DE'] });
  const guardedEstimate = await estimate({ templateName: 'hello' });
  expect(guardedEstimate.body.data).toMatchObject({ members: 5, refused: 2, optedOut: 1, messages: 2, total: 0.02 });

  expect(await readBalance(heliograph.deps, channel.account.id)).toBe(100_000_000n);
  expect((await operator.ask('GET', baseUrl)).json()).toEqual({ data: [], next: null });
});
