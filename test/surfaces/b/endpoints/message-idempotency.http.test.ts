import { describe, expect, it } from 'vitest';
import { bindSends, HELLO, playInbound } from '../../../support/channel-calls.js';
import { createChannelWithTemplates, readChannelState } from '../../../support/channel-contents.js';
import { forSuite } from '../../../support/for-suite.js';
import { sharedApp } from '../../../support/suite.js';

const heliograph = sharedApp();
const channel = forSuite(() => createChannelWithTemplates(heliograph));

const { sendTemplate, sendReply } = bindSends(heliograph, channel);

describe('Idempotency-Key on Surface B', () => {
  const key = (value: string) => ({ 'idempotency-key': value });

  it.each([
    ['POST /messages/template', sendTemplate, HELLO],
    ['POST /messages/reply', sendReply, { to: HELLO.to, message: 'Hello' }],
  ] as const)('%s repeats the first response, and sends and charges once', async (_, send, payload) => {
    const freshChannel = await createChannelWithTemplates(heliograph);
    await playInbound(heliograph, freshChannel, { from: HELLO.to, text: 'Hi' });
    const firstResponse = await send(payload, freshChannel, key('once'));
    expect(firstResponse.statusCode).toBe(200);
    expect(firstResponse.headers['idempotent-replayed']).toBeUndefined();
    const stateAfter = await readChannelState(heliograph, freshChannel);
    const secondResponse = await send(payload, freshChannel, key('once'));
    expect(secondResponse.statusCode).toBe(200);
    expect(secondResponse.headers['idempotent-replayed']).toBe('true');
    expect(secondResponse.json()).toEqual(firstResponse.json());
    expect(await readChannelState(heliograph, freshChannel)).toEqual(stateAfter);
  });

  it('creates one message from twenty concurrent requests, which all get its response', async () => {
    const freshChannel = await createChannelWithTemplates(heliograph);
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => sendTemplate(HELLO, freshChannel, key('many'))),
    );
    expect(new Set(responses.map(({ body }) => body)).size).toBe(1);
    expect(responses[0]?.json().data.status).toBe('sent');
    expect(responses.filter(({ headers }) => !headers['idempotent-replayed'])).toHaveLength(1);
    expect(await readChannelState(heliograph, freshChannel)).toMatchObject({ messages: 1, contacts: 1 });
  });

  it('returns 422 for another body', async () => {
    expect((await sendTemplate(HELLO, channel, key('other body'))).statusCode).toBe(200);
    const response = await sendTemplate({ ...HELLO, to: '15005550112' }, channel, key('other body'));
    expect(response.statusCode).toBe(422);
    expect(response.json().error.code).toBe('IDEMPOTENCY_MISMATCH');
  });

  it('returns 400 for a malformed key', async () => {
    const response = await sendTemplate(HELLO, channel, key('x'.repeat(256)));
    expect(response.statusCode).toBe(400);
    expect(response.json().error.details[0].field).toBe('Idempotency-Key');
  });

  it("does not apply to the account's other channels", async () => {
    const siblingChannel = await createChannelWithTemplates(heliograph, channel.account);
    const firstResponse = await sendTemplate(HELLO, channel, key('shared'));
    const secondResponse = await sendTemplate(HELLO, siblingChannel, key('shared'));
    expect(secondResponse.headers['idempotent-replayed']).toBeUndefined();
    expect(secondResponse.json().data.contactId).not.toBe(firstResponse.json().data.contactId);
  });

  it('repeats a refusal of the carrier without sending again', async () => {
    const freshChannel = await createChannelWithTemplates(heliograph);
    const refusedSend = { ...HELLO, to: '15005550001' };
    const firstResponse = await sendTemplate(refusedSend, freshChannel, key('refused'));
    const secondResponse = await sendTemplate(refusedSend, freshChannel, key('refused'));
    expect([firstResponse.statusCode, secondResponse.statusCode]).toEqual([400, 400]);
    expect(secondResponse.json()).toEqual(firstResponse.json());
    expect(secondResponse.headers['idempotent-replayed']).toBe('true');
    expect((await readChannelState(heliograph, freshChannel)).messages).toBe(1);
  });

  it('is not used up by a request that a rule refused', async () => {
    expect((await sendTemplate({ ...HELLO, to: '1' }, channel, key('corrected'))).statusCode).toBe(400);
    expect((await sendTemplate(HELLO, channel, key('corrected'))).statusCode).toBe(200);
  });

  it('repeats its response even if a rule would refuse the request now', async () => {
    const freshChannel = await createChannelWithTemplates(heliograph);
    const firstResponse = await sendTemplate(HELLO, freshChannel, key('paused'));
    await heliograph.deps.prisma.template.updateMany({
      where: { channelId: freshChannel.channelId },
      data: { status: 'PAUSED' },
    });
    expect((await sendTemplate(HELLO, freshChannel)).statusCode).toBe(400);
    expect((await sendTemplate(HELLO, freshChannel, key('paused'))).json()).toEqual(firstResponse.json());
  });
});
