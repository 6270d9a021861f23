import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addCarrier, changeCarrier } from '../../../src/carriers/setup/carriers.js';
import { encodeParts, segment } from '../../../src/carriers/sms/segments.js';
import { createChannel } from '../../../src/features/channels/channels.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { accept, countStatuses } from '../../support/sends.js';
import { type TestApp, testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';
import { joinParts } from './join-parts.js';
import { bindSettings } from './setup.js';
import { buildReceipt, Smsc } from './smsc.js';

const OUR_NUMBER = '40799000001';

describe('SMS over SMPP', () => {
  let smsc: Smsc;
  let heliograph: TestApp;
  let account: TestAccount;

  const findMessage = (id: string) => heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } });
  const readStatus = async (id: string) => (await findMessage(id)).status;
  const send = async (body: string, to = '40722000001'): Promise<string> => {
    const [id] = await accept(heliograph.deps, account, { to, body });
    return id as string;
  };
  const listParts = (id: string) =>
    heliograph.deps.prisma.messagePart.findMany({ where: { messageId: id }, orderBy: { part: 'asc' } });

  beforeAll(async () => {
    smsc = await Smsc.start();
    heliograph = await testApp();
    await addCarrier(heliograph.deps.prisma, {
      name: 'smsc',
      type: 'smpp',
      settings: {
        ...bindSettings(smsc.port),
        reconnectMinSeconds: 0.05,
        reconnectMaxSeconds: 0.2,
        window: 20,
      },
    });
    await heliograph.deps.carriers.reload();
  });
  beforeEach(async () => {
    smsc.treat = () => ({});
    smsc.submits.splice(0);
    account = await createTestAccount(heliograph.deps);
    await heliograph.deps.prisma.route.create({ data: { id: newId(), accountId: account.id, carriers: ['smsc'] } });
    await heliograph.deps.routing.reload();
    await waitFor('the bind', () => heliograph.deps.carriers.get('smsc').state().up);
  });
  afterAll(async () => {
    await heliograph?.close();
    await smsc?.kill();
  });

  describe('with three parts', () => {
    it('a message is delivered once all its parts are, even with repeated and unordered receipts', async () => {
      const id = await send('x'.repeat(400));
      await waitFor('the message to be sent', async () => (await readStatus(id)) === 'sent');
      const [first, second, third] = smsc.submits.map((submit) => submit.id) as [string, string, string];
      const deliver = (partId: string, state: string, esmClass?: number) =>
        smsc.deliver(buildReceipt(state, { id: partId, esmClass }));
      await deliver(third, 'DELIVRD');
      await deliver(third, 'DELIVRD');
      await deliver(second, 'ENROUTE', 0x20);
      await deliver(first, 'DELIVRD');
      expect(await readStatus(id)).toBe('sent');
      await deliver(second, 'DELIVRD');
      await waitFor('the message to be delivered', async () => (await readStatus(id)) === 'delivered');
      await deliver(second, 'UNDELIV');
      await deliver(first, 'DELIVRD');
      expect(await readStatus(id)).toBe('delivered');
      expect((await listParts(id)).map((row) => [row.part, row.carrierMessageId])).toEqual([
        [1, first],
        [2, second],
        [3, third],
      ]);
    });

    it('a message is undelivered as soon as one part is, with the error code of the part', async () => {
      const id = await send('ж'.repeat(150));
      await waitFor('the message to be sent', async () => (await readStatus(id)) === 'sent');
      const [first, second] = smsc.submits.map((submit) => submit.id) as [string, string];
      await smsc.deliver(buildReceipt('DELIVRD', { id: first }));
      await smsc.deliver(buildReceipt('UNDELIV', { id: second, err: '11B' }));
      await waitFor('the message to be undelivered', async () => (await readStatus(id)) === 'undelivered');
      expect(await findMessage(id)).toMatchObject({ errorCode: '11B', refunded: false });
    });

    it('a message is delivered by receipts that overtake the responses', async () => {
      smsc.treat = () => ({ answer: 'receipt-first', receipts: [buildReceipt()] });
      const id = await send('x'.repeat(400));
      await waitFor('the message to be delivered', async () => (await readStatus(id)) === 'delivered');
      expect(smsc.submits).toHaveLength(3);
    });

    it.each([
      ['DELIVRD', 'delivered'],
      ['UNDELIV', 'undelivered'],
    ])('a message whose parts share one ID becomes %s with the first receipt', async (state, expected) => {
      smsc.treat = () => ({ id: `same-${state}` });
      const id = await send('x'.repeat(400));
      await waitFor('the message to be sent', async () => (await readStatus(id)) === 'sent');
      await smsc.deliver(buildReceipt(state, { id: `same-${state}` }));
      await waitFor('the message to end', async () => (await readStatus(id)) === expected);
      await smsc.deliver(buildReceipt('DELIVRD', { id: `same-${state}` }));
      expect(await readStatus(id)).toBe(expected);
    });

    it('a message resumes after its accepted parts, and is not refunded if it then fails', async () => {
      smsc.treat = (_, index) => (index === 1 ? { status: 0x58 } : index === 3 ? { status: 0x45 } : {});
      const id = await send('x'.repeat(400));
      await waitFor('the message to fail', async () => (await readStatus(id)) === 'failed');
      expect(smsc.submits.map(({ octets }) => octets[5])).toEqual([1, 2, 2, 3]);
      expect(await findMessage(id)).toMatchObject({ errorCode: 'ESME_RSUBMITFAIL', attempts: 2, refunded: false });
    });
  });

  it('SMS over SMPP are all delivered by a faulty SMSC, and only sent twice if a response was lost', async () => {
    const { prisma, carriers } = heliograph.deps;
    await changeCarrier(prisma, 'smsc', { set: { responseTimeoutSeconds: 0.5 }, unset: [] });
    await carriers.reload();
    await waitFor('the bind', () => carriers.get('smsc').state().up);
    let treatedCount = 0;
    smsc.treat = () => {
      const index = treatedCount++;
      if (index % 2 === 1 && index < 40) return { status: 0x58 };
      if (index % 37 === 5) return { answer: 'never' };
      if (index % 41 === 7) return { drop: true };
      if (index % 53 === 9) setImmediate(() => smsc.sendRaw(Buffer.from('garbage instead of a PDU')));
      if (index % 59 === 11) {
        setImmediate(() => {
          smsc.sendRaw(Buffer.from([0, 0, 0, 40, 0x80, 0, 0, 4]));
          smsc.dropConnections();
        });
      }
      // The SMSC sends the final receipt twice, before and after the intermediate receipt.
      return { receipts: [buildReceipt(), buildReceipt('ENROUTE', { esmClass: 0x20 }), buildReceipt()] };
    };
    const numbers = Array.from({ length: 60 }, (_, index) => `4072200${String(index).padStart(4, '0')}`);
    const ids = await accept(heliograph.deps, account, { to: numbers.slice(0, 45), body: 'Hello' });
    ids.push(...(await accept(heliograph.deps, account, { to: numbers.slice(45), body: 'ж'.repeat(150) })));
    await waitFor('half of the submits', () => treatedCount > 45);
    await smsc.kill();
    await smsc.listen();
    // The test SMSC does not repeat unanswered receipts on the next connection as a real SMSC would, so the test sends them.
    await waitFor('every message to be sent', async () => !(await hasStatus(['queued', 'sending'])));
    smsc.treat = () => ({});
    await waitFor('the bind', () => smsc.bound.length > 0);
    for (const { id } of smsc.submits) {
      await waitFor('the receipt to be taken', async () => {
        const response = id ? await smsc.deliver(buildReceipt('DELIVRD', { id })) : null;
        return !response || response.command_status === 0;
      });
    }
    await waitFor('every message to be delivered', async () => !(await hasStatus(['sent'])));
    expect(await countStatuses(heliograph.deps, account.id)).toEqual({ delivered: 60 });
    const rows = await heliograph.deps.prisma.message.findMany({ where: { id: { in: ids } } });
    const acceptedOnce = rows.filter(({ maybeAccepted }) => !maybeAccepted);
    expect(acceptedOnce.length).toBeGreaterThan(20);
    for (const { recipient, parts: total } of acceptedOnce) {
      const acceptedSubmits = smsc.submits.filter((submit) => submit.id && submit.destination.address === recipient);
      expect(acceptedSubmits).toHaveLength(total);
    }
    expect(new Set(joinParts(smsc.submits).map(({ to }) => to)).size).toBe(60);

    async function hasStatus(statuses: string[]): Promise<boolean> {
      const counts = await countStatuses(heliograph.deps, account.id);
      return statuses.some((status) => status in counts);
    }
  });

  it.each([
    ['transceiver', { bindType: 'transceiver' }, ['bind_transceiver'], '40722000002'],
    ['transmitter and receiver', { bindType: 'transmitter-and-receiver' }, ['bind_receiver'], '40722000003'],
  ])(
    "SMS over SMPP are not sent by a disabled carrier's %s bind, but receipts are applied",
    async (_name, change, commands, waitingRecipient) => {
      const { prisma, carriers } = heliograph.deps;
      await changeCarrier(prisma, 'smsc', { set: change, unset: [] });
      await carriers.reload();
      await waitFor('the bind', () => carriers.get('smsc').state().up);
      const id = await send('Hello');
      await waitFor('the message to be sent', async () => (await readStatus(id)) === 'sent');
      try {
        smsc.binds.splice(0);
        await changeCarrier(prisma, 'smsc', { set: {}, unset: [], isActive: false });
        await carriers.reload();
        await waitFor('the bind that receives', () => smsc.binds.length > 0 && smsc.bound.length > 0);
        const waitingId = await send('Not now', waitingRecipient);
        await smsc.deliver(buildReceipt('DELIVRD', { id: smsc.submits[0]?.id }));
        await waitFor('the receipt to be applied', async () => (await readStatus(id)) === 'delivered');
        await waitFor(
          'the message to wait',
          async () => (await findMessage(waitingId)).errorCode === 'UNKNOWN_CARRIER',
        );
        expect(smsc.submits.map(({ destination }) => destination.address)).not.toContain(waitingRecipient);
        expect(smsc.binds.map(({ command }) => command)).toEqual(commands);
      } finally {
        await changeCarrier(prisma, 'smsc', { set: { bindType: 'transceiver' }, unset: [], isActive: true });
        await carriers.reload();
      }
    },
  );

  it('SMS over SMPP are received in parts and joined in the channel with the number', async () => {
    const input = {
      accountId: account.id,
      kind: 'sms',
      name: 'Ours',
      phoneNumber: OUR_NUMBER,
      carrier: 'smsc',
    } as const;
    const channel = await createChannel(heliograph.deps.prisma, { ...input, isDefault: false });
    const text = 'Здравствуйте! '.repeat(10);
    const deliveries = encodeParts(segment(text), 200).map(({ udh, userData }) => ({
      source_addr_ton: 1,
      source_addr: '40722000009',
      destination_addr: OUR_NUMBER,
      data_coding: 8,
      esm_class: 0x40,
      short_message: Buffer.concat([udh as Buffer, userData]),
    }));
    for (const fields of deliveries.reverse()) {
      expect(await smsc.deliver(fields)).toMatchObject({ command_status: 0 });
    }
    const messages = await heliograph.deps.prisma.inboundMessage.findMany({ where: { channelId: channel.id } });
    expect(messages.map(({ body }) => body)).toEqual([text]);
  });
});
