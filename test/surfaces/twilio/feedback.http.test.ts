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
  const messageSid = toSid('SM', messageId);
  const postFeedback = (sid: string, form: Record<string, string>, caller = account) =>
    callTwilio(heliograph, caller, 'POST', `/Messages/${sid}/Feedback.json`, form);
  const readStatuses = async () => {
    const rows = await heliograph.deps.prisma.verification.findMany({
      where: { accountId: account.id, recipient: to },
    });
    return rows.map(({ status }) => status);
  };
  const unconfirmedResponse = await postFeedback(messageSid, { Outcome: 'unconfirmed' });
  const date = expect.stringMatching(/ \+0000$/);
  expect([unconfirmedResponse.statusCode, unconfirmedResponse.json()]).toEqual([
    201,
    {
      account_sid: toSid('AC', account.id),
      message_sid: messageSid,
      outcome: 'unconfirmed',
      date_created: date,
      date_updated: date,
      uri: `/2010-04-01/Accounts/${toSid('AC', account.id)}/Messages/${messageSid}/Feedback.json`,
    },
  ]);
  expect(await readStatuses()).toEqual(['pending']);
  const refusal = await postFeedback(messageSid, { Outcome: 'perhaps' });
  expect([refusal.statusCode, refusal.json().message]).toEqual([400, 'Outcome must be confirmed or unconfirmed']);
  const otherAccount = await createTestAccount(heliograph.deps);
  expect((await postFeedback(messageSid, { Outcome: 'confirmed' }, otherAccount)).statusCode).toBe(404);
  expect(await readStatuses()).toEqual(['pending']);
  for (let attempt = 0; attempt < 2; attempt++)
    expect((await postFeedback(messageSid, {})).json().outcome).toBe('confirmed');
  expect(await readStatuses()).toEqual(['approved']);
  // Feedback cannot confirm a code that Heliograph created, because only a check can.
  const ownResponse = await post(heliograph.app, '/v2/verifications', account, {
    to: '15005554802',
    from: 'A',
    app_name: 'B',
  });
  const { message_id: ownId } = ownResponse.json().data;
  expect((await postFeedback(toSid('SM', ownId), { Outcome: 'confirmed' })).statusCode).toBe(201);
  const where = { accountId: account.id, recipient: '15005554802' };
  expect((await heliograph.deps.prisma.verification.findFirstOrThrow({ where })).status).toBe('pending');
});
