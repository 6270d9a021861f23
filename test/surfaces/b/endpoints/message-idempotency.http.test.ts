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
  ] as const)('%s: repeats the first answer, sends and charges once', async (_, send, payload) => {
    const own = await createChannelWithTemplates(heliograph);
    await playInbound(heliograph, own, { from: HELLO.to, text: 'Hi' });
    const first = await send(payload, own, key('once'));
    expect(first.statusCode).toBe(200);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    const after = await readChannelState(heliograph, own);
    const second = await send(payload, own, key('once'));
    expect(second.statusCode).toBe(200);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.json()).toEqual(first.json());
    expect(await readChannelState(heliograph, own)).toEqual(after);
  });

  it('creates one message from twenty concurrent requests, and each gets its answer', async () => {
    const own = await createChannelWithTemplates(heliograph);
    const answers = await Promise.all(Array.from({ length: 20 }, () => sendTemplate(HELLO, own, key('many'))));
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(answers[0]?.json().data.status).toBe('sent');
    expect(answers.filter(({ headers }) => !headers['idempotent-replayed'])).toHaveLength(1);
    expect(await readChannelState(heliograph, own)).toMatchObject({ messages: 1, contacts: 1 });
  });

  it('answers 422 for another body', async () => {
    expect((await sendTemplate(HELLO, channel, key('other body'))).statusCode).toBe(200);
    const response = await sendTemplate({ ...HELLO, to: '15005550112' }, channel, key('other body'));
    expect(response.statusCode).toBe(422);
    expect(response.json().error.code).toBe('IDEMPOTENCY_MISMATCH');
  });

  it('answers 400 for a malformed key', async () => {
    const response = await sendTemplate(HELLO, channel, key('x'.repeat(256)));
    expect(response.statusCode).toBe(400);
    expect(response.json().error.details[0].field).toBe('Idempotency-Key');
  });

  it("does not apply to the account's other channels", async () => {
    const sibling = await createChannelWithTemplates(heliograph, channel.account);
    const first = await sendTemplate(HELLO, channel, key('shared'));
    const second = await sendTemplate(HELLO, sibling, key('shared'));
    expect(second.headers['idempotent-replayed']).toBeUndefined();
    expect(second.json().data.contactId).not.toBe(first.json().data.contactId);
  });

  it('repeats a refusal of the carrier without sending again', async () => {
    const own = await createChannelWithTemplates(heliograph);
    const refused = { ...HELLO, to: '15005550001' };
    const first = await sendTemplate(refused, own, key('refused'));
    const second = await sendTemplate(refused, own, key('refused'));
    expect([first.statusCode, second.statusCode]).toEqual([400, 400]);
    expect(second.json()).toEqual(first.json());
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect((await readChannelState(heliograph, own)).messages).toBe(1);
  });

  it('is not used up by a request that a rule refused', async () => {
    expect((await sendTemplate({ ...HELLO, to: '1' }, channel, key('corrected'))).statusCode).toBe(400);
    expect((await sendTemplate(HELLO, channel, key('corrected'))).statusCode).toBe(200);
  });

  it('repeats its answer even if a rule would refuse the request by now', async () => {
    const own = await createChannelWithTemplates(heliograph);
    const first = await sendTemplate(HELLO, own, key('paused'));
    await heliograph.deps.prisma.template.updateMany({
      where: { channelId: own.channelId },
      data: { status: 'PAUSED' },
    });
    expect((await sendTemplate(HELLO, own)).statusCode).toBe(400);
    expect((await sendTemplate(HELLO, own, key('paused'))).json()).toEqual(first.json());
  });
});
