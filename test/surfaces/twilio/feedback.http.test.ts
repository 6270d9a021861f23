import { expect, it } from 'vitest';
import { toSid } from '../../../src/platform/text/sids.js';
import { createTestAccount } from '../../support/accounts.js';
import { createTestChannel } from '../../support/channels.js';
import { openSurface, SENDING_SURFACES, type SendingSurface } from '../../support/sending-surfaces.js';
import { suiteApp } from '../../support/suite.js';
import { callTwilio } from '../../support/twilio-calls.js';
import { post } from '../a/requests.js';

const heliograph = suiteApp();

it('feedback on Twilio’s surface marks a code as correct once, and is not stored for other messages', async () => {
  const channel = await createTestChannel(heliograph.deps);
  const { account } = channel;
  const to = '15005554801';
  const hook = SENDING_SURFACES.find(({ name }) => name.startsWith('POST /hooks/sign-in')) as SendingSurface;
  const send = await openSurface(hook, heliograph, channel, []);
  expect((await send(to)).statusCode).toBe(200);
  const { id: messageId } = await heliograph.deps.prisma.message.findFirstOrThrow({ where: { recipient: to } });
  const sid = toSid('SM', messageId);
  const feedback = (of: string, form: Record<string, string>, as = account) =>
    callTwilio(heliograph, as, 'POST', `/Messages/${of}/Feedback.json`, form);
  const statuses = async () => {
    const rows = await heliograph.deps.prisma.verification.findMany({
      where: { accountId: account.id, recipient: to },
    });
    return rows.map(({ status }) => status);
  };
  const unconfirmed = await feedback(sid, { Outcome: 'unconfirmed' });
  const date = expect.stringMatching(/ \+0000$/);
  expect([unconfirmed.statusCode, unconfirmed.json()]).toEqual([
    201,
    {
      account_sid: toSid('AC', account.id),
      message_sid: sid,
      outcome: 'unconfirmed',
      date_created: date,
      date_updated: date,
      uri: `/2010-04-01/Accounts/${toSid('AC', account.id)}/Messages/${sid}/Feedback.json`,
    },
  ]);
  expect(await statuses()).toEqual(['pending']);
  const wrong = await feedback(sid, { Outcome: 'perhaps' });
  expect([wrong.statusCode, wrong.json().message]).toEqual([400, 'Outcome must be confirmed or unconfirmed']);
  const stranger = await createTestAccount(heliograph.deps);
  expect((await feedback(sid, { Outcome: 'confirmed' }, stranger)).statusCode).toBe(404);
  expect(await statuses()).toEqual(['pending']);
  for (let times = 0; times < 2; times++) expect((await feedback(sid, {})).json().outcome).toBe('confirmed');
  expect(await statuses()).toEqual(['approved']);
  // A code created here is confirmed only by a check.
  const own = await post(heliograph.app, '/v2/verifications', account, { to: '15005554802', from: 'A', app_name: 'B' });
  const { message_id: ownId } = own.json().data;
  expect((await feedback(toSid('SM', ownId), { Outcome: 'confirmed' })).statusCode).toBe(201);
  const where = { accountId: account.id, recipient: '15005554802' };
  expect((await heliograph.deps.prisma.verification.findFirstOrThrow({ where })).status).toBe('pending');
});
