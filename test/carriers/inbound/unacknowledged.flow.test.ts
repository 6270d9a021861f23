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

  async function setUpChannel() {
    const options = { kind: 'sms', carrier: 'smsc', carrierTypes: [type] } as const;
    const { channelId: id, phoneNumber } = await createTestChannel(heliograph.deps, undefined, options);
    const listTexts = async () => {
      const rows = await heliograph.deps.prisma.inboundMessage.findMany({
        where: { channelId: id },
        orderBy: { id: 'asc' },
      });
      return rows.map(({ body }) => body);
    };
    /** Creates a message with a new ID on each call, because the SMSC assigns no IDs. */
    const createMessage = (body: string, part?: number): InboundSms => ({
      carrier: 'smsc',
      carrierMessageId: newId(),
      from: '40722000001',
      to: phoneNumber,
      body,
      receivedAt: new Date(),
      fingerprint: `${phoneNumber} ${body} ${part}`,
      ...(part !== undefined && { concatenation: { reference: 7, total: 2, part } }),
    });
    return { listTexts, createMessage };
  }

  function startProcess() {
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

  it('an unacknowledged inbound SMS is not stored again when repeated, but an identical message after the acknowledgment is', async () => {
    const { listTexts, createMessage } = await setUpChannel();
    await startProcess().receive(createMessage('OK'));
    const nextProcess = startProcess();
    const repeated = createMessage('OK');
    await nextProcess.receive(repeated);
    // After a failure, the carrier passes on the same batch again.
    await nextProcess.receive(repeated);
    expect(await listTexts()).toEqual(['OK']);
    await nextProcess.answer(repeated);
    const laterMessage = createMessage('OK');
    await startProcess().receive(laterMessage);
    expect(await listTexts()).toEqual(['OK', 'OK']);
  });

  it('an unacknowledged inbound SMS is counted as often as it was sent, among identical messages', async () => {
    const { listTexts, createMessage } = await setUpChannel();
    await startProcess().receive(createMessage('OK'), createMessage('OK'));
    const nextProcess = startProcess();
    await nextProcess.receive(createMessage('OK'));
    await nextProcess.receive(createMessage('OK'), createMessage('other'));
    expect(await listTexts()).toEqual(['OK', 'OK', 'other']);
    // Identical messages that a single process receives always count as separate messages.
    await nextProcess.receive(createMessage('OK'));
    expect(await listTexts()).toHaveLength(4);
  });

  it('an unacknowledged inbound SMS may be the last part of a multipart message whose reference is reused', async () => {
    const { listTexts, createMessage } = await setUpChannel();
    const firstProcess = startProcess();
    const [firstPart, secondPart] = [createMessage('one ', 1), createMessage('two', 2)];
    await firstProcess.receive(firstPart);
    await firstProcess.answer(firstPart);
    await firstProcess.receive(secondPart);
    expect(await listTexts()).toEqual(['one two']);
    const nextProcess = startProcess();
    const repeated = createMessage('two', 2);
    await nextProcess.receive(repeated);
    expect(await listTexts()).toEqual(['one two']);
    await nextProcess.answer(repeated);
    const laterParts = [createMessage('two', 2), createMessage('one ', 1)] as const;
    await nextProcess.receive(...laterParts);
    expect(await listTexts()).toEqual(['one two', 'one two']);
  });

  it('an unacknowledged inbound SMS may be a part of a multipart message that is still incomplete', async () => {
    const { listTexts, createMessage } = await setUpChannel();
    const firstProcess = startProcess();
    const firstPart = createMessage('one ', 1);
    await firstProcess.receive(firstPart);
    const nextProcess = startProcess();
    await nextProcess.receive(createMessage('one ', 1), createMessage('two', 2));
    expect(await listTexts()).toEqual(['one two']);
  });
});
