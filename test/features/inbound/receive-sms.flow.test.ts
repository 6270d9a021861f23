import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { InboundSms } from '../../../src/carriers/inbound-message.js';
import { createChannel } from '../../../src/features/channels/channels.js';
import { carrierSinks } from '../../../src/process/startup/carrier-sinks.js';
import { createTestAccount } from '../../support/accounts.js';
import { addScriptedCarrier, createScriptedType } from '../../support/carriers/scripted-carrier.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';

describe('an inbound SMS', () => {
  const type = createScriptedType();
  const heliograph = suiteApp({ carrierTypes: [type] });
  const receive = (...messages: InboundSms[]) => carrierSinks(heliograph.deps).inbound(messages);
  const createSms = (overrides: Partial<InboundSms> = {}): InboundSms => ({
    carrier: 'smsc',
    carrierMessageId: 'one',
    from: '40722000001',
    to: '40799000001',
    body: 'Hello',
    receivedAt: new Date(),
    ...overrides,
  });
  const createNumberChannel = async (phoneNumber: string, kind: 'sms' | 'whatsapp' = 'sms') => {
    const { id: accountId } = await createTestAccount(heliograph.deps);
    const carrierSettings = kind === 'sms' ? undefined : { phoneNumberId: '1' };
    const input = { accountId, kind, name: 'Inbound', phoneNumber, carrier: 'smsc', carrierSettings, isDefault: false };
    return createChannel(heliograph.deps.prisma, input, [type]);
  };
  const listStored = (channelId: string) =>
    heliograph.deps.prisma.inboundMessage.findMany({ where: { channelId }, orderBy: { id: 'asc' } });

  beforeAll(async () => {
    await addScriptedCarrier(heliograph.deps, 'smsc');
    await addScriptedCarrier(heliograph.deps, 'elsewhere');
  });

  it('an inbound SMS is stored once, with its contact, in the SMS channel with its carrier and number', async () => {
    const channel = await createNumberChannel('40799000001');
    await receive(createSms(), createSms({ carrierMessageId: 'two', body: 'Again' }));
    await receive(createSms());
    const messages = await listStored(channel.id);
    expect(messages.map(({ carrierMessageId, type: kind, body }) => [carrierMessageId, kind, body])).toEqual([
      ['one', 'text', 'Hello'],
      ['two', 'text', 'Again'],
    ]);
    const contacts = await heliograph.deps.prisma.contact.findMany({ where: { channelId: channel.id } });
    expect(contacts.map(({ phone }) => phone)).toEqual(['40722000001']);
  });

  it('an inbound SMS is stored once with an ID that is too long for an index', async () => {
    const channel = await createNumberChannel('40799000011');
    const longSms = createSms({ to: '40799000011', carrierMessageId: randomBytes(5_000).toString('hex') });
    await receive(longSms);
    await receive(longSms, { ...longSms, carrierMessageId: `${longSms.carrierMessageId}-` });
    expect(await listStored(channel.id)).toHaveLength(2);
  });

  it('an inbound SMS is reported to webhooks with channel sms', async () => {
    const channel = await createNumberChannel('40799000002');
    const { prisma } = heliograph.deps;
    const owner = { accountId: channel.accountId, channelId: channel.id };
    await prisma.webhook.create({
      data: {
        id: crypto.randomUUID(),
        ...owner,
        url: 'https://example.com',
        events: ['message.received'],
        secret: 's',
      },
    });
    await receive(createSms({ to: '40799000002' }));
    const [delivery] = await prisma.webhookDelivery.findMany({ where: { type: 'message.received' } });
    expect(delivery?.data).toMatchObject({
      channel: 'sms',
      channelId: channel.id,
      from: '40722000001',
      to: '40799000002',
    });
  });

  it('an inbound SMS is dropped if no channel matches its number, carrier or kind, and does not affect others', async () => {
    const whatsapp = await createNumberChannel('40799000003', 'whatsapp');
    const channel = await createNumberChannel('40799000004');
    await receive(
      createSms({ to: '40799999999' }),
      createSms({ to: '40799000003' }),
      createSms({ to: '40799000004', carrier: 'elsewhere' }),
      createSms({ to: '40799000004', from: 'ACME' }),
      createSms({ to: '40799000004' }),
    );
    expect(await listStored(whatsapp.id)).toEqual([]);
    expect(await listStored(channel.id)).toHaveLength(1);
  });

  it.each([
    ['10086', '8613800000011', '10086'],
    ['13800138000', '8613800000012', '8613800138000'],
    ['40722000001', '4479000000013', '40722000001'],
    ['40722000001', '40799000014', '40722000001'],
    ['0722000001', '40799000015', '40722000001'],
  ])('an inbound SMS from the national number %s to %s is stored with the sender %s', async (from, to, phone) => {
    const channel = await createNumberChannel(to);
    await receive(createSms({ from, to, isNational: true, carrierMessageId: `${from} to ${to}` }));
    expect(await listStored(channel.id)).toHaveLength(1);
    const contacts = await heliograph.deps.prisma.contact.findMany({ where: { channelId: channel.id } });
    expect(contacts.map((contact) => contact.phone)).toEqual([phone]);
  });

  it('an inbound SMS to a national number goes to the only channel whose number ends with it', async () => {
    const channel = await createNumberChannel('40799000031');
    await createNumberChannel('33799000032');
    await createNumberChannel('44799000032');
    await receive(
      createSms({ to: '0799000031', carrierMessageId: 'a' }),
      createSms({ to: '799000031', carrierMessageId: 'b' }),
    );
    expect((await listStored(channel.id)).map(({ carrierMessageId }) => carrierMessageId)).toEqual(['a', 'b']);
    const countBefore = await heliograph.deps.prisma.inboundMessage.count();
    // The number 0799000032 is ambiguous, and 900031 is a short code, which must match completely.
    await receive(
      createSms({ to: '0799000032', carrierMessageId: 'c' }),
      createSms({ to: '900031', carrierMessageId: 'd' }),
    );
    await receive(createSms({ to: '0799000031', carrier: 'elsewhere', carrierMessageId: 'e' }));
    expect(await heliograph.deps.prisma.inboundMessage.count()).toBe(countBefore);
  });

  it('an inbound SMS with several files is stored as one message per file; the first has the text', async () => {
    const channel = await createNumberChannel('40799000016');
    const createUrl = (name: string) => `https://files.example/${name}?signed=${'x'.repeat(300)}`;
    const files = [
      { url: createUrl('1'), mimeType: 'image/jpeg' },
      { url: createUrl('2'), mimeType: 'video/mp4', filename: '2.mp4' },
      { url: createUrl('3'), mimeType: null },
    ];
    const mms = createSms({ to: '40799000016', body: 'Look', carrierMessageId: 'mms', files });
    await receive(mms);
    await receive(mms);
    const messages = await listStored(channel.id);
    expect(messages.map(({ carrierMessageId, type: kind, body }) => [carrierMessageId, kind, body])).toEqual([
      ['mms', 'image', 'Look'],
      ['mms/2', 'video', ''],
      ['mms/3', 'document', ''],
    ]);
    const media = await heliograph.deps.prisma.media.findMany({
      where: { channelId: channel.id },
      orderBy: { id: 'asc' },
    });
    expect(media.map(({ carrierMediaId }) => carrierMediaId)).toEqual(files.map((file) => file.url));
  });

  it.each([
    ['40799000021', 'STOP', []],
    ['40799000022', 'Opt Out.', []],
    ['40799000023', 'stop all', [{ url: 'https://files.example/1.jpg', mimeType: 'image/jpeg' }]],
  ])('an inbound SMS to %s with the text %j opts out, also as the text of an MMS', async (number, body, files) => {
    const channel = await createNumberChannel(number);
    await receive(
      createSms({ to: channel.phoneNumber, body, carrierMessageId: body, ...(files.length > 0 && { files }) }),
    );
    const optOuts = await heliograph.deps.prisma.optOut.findMany({ where: { accountId: channel.accountId } });
    expect(optOuts).toMatchObject([{ sender: channel.phoneNumber, isActive: true }]);
  });

  it('an inbound SMS goes to the older of two channels with the number', async () => {
    const olderChannel = await createNumberChannel('40799000005');
    const newerChannel = await createNumberChannel('40799000005');
    await receive(createSms({ to: '40799000005' }));
    expect([(await listStored(olderChannel.id)).length, (await listStored(newerChannel.id)).length]).toEqual([1, 0]);
  });

  it('an inbound SMS goes to an active channel first; a STOP to a single inactive channel still counts', async () => {
    const { prisma } = heliograph.deps;
    const inactiveChannel = await createNumberChannel('40799000007');
    await prisma.channel.update({ where: { id: inactiveChannel.id }, data: { isActive: false } });
    await receive(createSms({ to: '40799000007', body: 'STOP' }));
    expect(await listStored(inactiveChannel.id)).toMatchObject([{ body: 'STOP' }]);
    const optOuts = await prisma.optOut.findMany({ where: { accountId: inactiveChannel.accountId } });
    expect(optOuts).toMatchObject([{ sender: '40799000007', phone: '40722000001', isActive: true }]);
    const active = await createNumberChannel('40799000007');
    await receive(createSms({ to: '40799000007', carrierMessageId: 'two' }));
    expect([(await listStored(inactiveChannel.id)).length, (await listStored(active.id)).length]).toEqual([1, 1]);
  });

  it('an inbound SMS that cannot be stored is rejected, so that the carrier repeats it', async () => {
    await createNumberChannel('40799000006');
    const pool = {
      ...heliograph.deps.pool,
      query: () => Promise.reject(new Error('the store is away')),
    } as unknown as typeof heliograph.deps.pool;
    const sinks = carrierSinks({ ...heliograph.deps, pool });
    await expect(sinks.inbound([createSms({ to: '40799000006' })])).rejects.toThrow('the store is away');
  });
});

describe('the health of a channel', () => {
  it('the health of a channel is what its carrier reports', async () => {
    const type = createScriptedType();
    const heliograph = await testApp({ carrierTypes: [type] });
    try {
      await addScriptedCarrier(heliograph.deps, 'smsc');
      const { id: accountId } = await createTestAccount(heliograph.deps);
      const input = { accountId, name: 'N', phoneNumber: '40799000009', carrier: 'smsc', isDefault: false };
      const { id } = await createChannel(heliograph.deps.prisma, { ...input, kind: 'sms' }, [type]);
      const { health } = carrierSinks(heliograph.deps);
      const readHealth = async () =>
        (await heliograph.deps.prisma.channel.findUniqueOrThrow({ where: { id } })).healthStatus;
      await health(id, 'unauthorized');
      expect(await readHealth()).toBe('unauthorized');
      await health(id, 'healthy');
      expect(await readHealth()).toBe('healthy');
    } finally {
      await heliograph.close();
    }
  });
});
