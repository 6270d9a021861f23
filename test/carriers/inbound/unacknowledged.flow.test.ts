import { beforeAll, describe, expect, it } from 'vitest';
import { forgetAcknowledged } from '../../../src/carriers/inbound/unacknowledged-store.js';
import type { InboundSms } from '../../../src/carriers/inbound-message.js';
import { receiveSms } from '../../../src/features/inbound/receive-sms.js';
import { newId } from '../../../src/platform/ids.js';
import { addScriptedCarrier, createScriptedType } from '../../support/carriers/scripted-carrier.js';
import { createTestChannel } from '../../support/channels.js';
import { suiteApp } from '../../support/suite.js';

describe('an inbound SMS stored by a process that died before acknowledging it', () => {
  const type = createScriptedType();
  const heliograph = suiteApp({ role: 'api', carrierTypes: [type] });

  async function channel() {
    const options = { kind: 'sms', carrier: 'smsc', carrierTypes: [type] } as const;
    const { channelId: id, phoneNumber } = await createTestChannel(heliograph.deps, undefined, options);
    const texts = async () => {
      const rows = await heliograph.deps.prisma.inboundMessage.findMany({
        where: { channelId: id },
        orderBy: { id: 'asc' },
      });
      return rows.map(({ body }) => body);
    };
    /** The SMSC assigns no ID, so each receipt gets a new one. */
    const message = (body: string, part?: number): InboundSms => ({
      carrier: 'smsc',
      carrierMessageId: newId(),
      from: '40722000001',
      to: phoneNumber,
      body,
      receivedAt: new Date(),
      fingerprint: `${phoneNumber} ${body} ${part}`,
      ...(part !== undefined && { concatenation: { reference: 7, total: 2, part } }),
    });
    return { texts, message };
  }

  function run() {
    const processId = newId();
    return {
      receive: (...messages: InboundSms[]) => receiveSms({ ...heliograph.deps, processId }, messages),
      answer: (...messages: InboundSms[]) =>
        forgetAcknowledged(
          heliograph.deps.pool,
          processId,
          messages.map(({ carrierMessageId }) => carrierMessageId),
        ),
    };
  }

  beforeAll(async () => {
    await addScriptedCarrier(heliograph.deps, 'smsc');
  });

  it('is not stored again when repeated, but an identical message after the acknowledgment is', async () => {
    const { texts, message } = await channel();
    await run().receive(message('OK'));
    const next = run();
    const again = message('OK');
    await next.receive(again);
    // A failed batch is delivered again unchanged.
    await next.receive(again);
    expect(await texts()).toEqual(['OK']);
    await next.answer(again);
    const later = message('OK');
    await run().receive(later);
    expect(await texts()).toEqual(['OK', 'OK']);
  });

  it('is counted as often as it was sent, among identical messages', async () => {
    const { texts, message } = await channel();
    await run().receive(message('OK'), message('OK'));
    const next = run();
    await next.receive(message('OK'));
    await next.receive(message('OK'), message('other'));
    expect(await texts()).toEqual(['OK', 'OK', 'other']);
    // Within one process, identical messages are always separate.
    await next.receive(message('OK'));
    expect(await texts()).toHaveLength(4);
  });

  it('may be the last part of a multipart message whose reference is reused', async () => {
    const { texts, message } = await channel();
    const first = run();
    const [one, two] = [message('one ', 1), message('two', 2)];
    await first.receive(one);
    await first.answer(one);
    await first.receive(two);
    expect(await texts()).toEqual(['one two']);
    const next = run();
    const again = message('two', 2);
    await next.receive(again);
    expect(await texts()).toEqual(['one two']);
    await next.answer(again);
    const more = [message('two', 2), message('one ', 1)] as const;
    await next.receive(...more);
    expect(await texts()).toEqual(['one two', 'one two']);
  });

  it('may be a part of a multipart message that is still incomplete', async () => {
    const { texts, message } = await channel();
    const first = run();
    const one = message('one ', 1);
    await first.receive(one);
    const next = run();
    await next.receive(message('one ', 1), message('two', 2));
    expect(await texts()).toEqual(['one two']);
  });
});
