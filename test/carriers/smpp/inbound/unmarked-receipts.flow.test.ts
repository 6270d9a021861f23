import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addCarrier } from '../../../../src/carriers/setup/carriers.js';
import { createChannel } from '../../../../src/features/channels/channels.js';
import { newId } from '../../../../src/platform/ids.js';
import { createTestAccount, type TestAccount } from '../../../support/accounts.js';
import { accept } from '../../../support/sends.js';
import { suiteApp } from '../../../support/suite.js';
import { waitFor } from '../../../support/wait-for.js';
import { bindSettings } from '../setup.js';
import { buildReceipt, Smsc } from '../smsc.js';

const OUR_NUMBER = '40799000002';
const heliograph = suiteApp();
let smsc: Smsc;
let account: TestAccount;

beforeAll(async () => {
  smsc = await Smsc.start();
  const { prisma, carriers, routing } = heliograph.deps;
  await addCarrier(prisma, { name: 'smsc', type: 'smpp', settings: bindSettings(smsc.port) });
  account = await createTestAccount(heliograph.deps);
  await createChannel(prisma, {
    accountId: account.id,
    kind: 'sms',
    name: 'Our number',
    phoneNumber: OUR_NUMBER,
    carrier: 'smsc',
    isDefault: false,
  });
  await prisma.route.create({ data: { id: newId(), accountId: account.id, carriers: ['smsc'] } });
  await Promise.all([carriers.reload(), routing.reload()]);
  await waitFor('the bind', () => carriers.get('smsc').state().up);
});
beforeEach(() => {
  smsc.treat = () => ({});
  smsc.submits.splice(0);
});
afterAll(() => smsc?.kill());

const readStatus = async (id: string) =>
  (await heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } })).status;
const waitForStatus = (id: string, expectedStatus: string) =>
  waitFor(`the message to be ${expectedStatus}`, async () => (await readStatus(id)) === expectedStatus);
const listInbound = async () => {
  const rows = await heliograph.deps.prisma.inboundMessage.findMany({ where: { accountId: account.id } });
  return rows.map(({ body }) => body);
};
async function send(body = 'Hello'): Promise<string> {
  const [id] = await accept(heliograph.deps, account, { to: '40722000001', body });
  return id as string;
}
/** Builds a receipt whose esm_class marks it as an ordinary message. */
const buildUnmarkedReceipt = (state: string, id: string) => {
  const fields = buildReceipt(state, { id, esmClass: 0 }) as { short_message: Buffer };
  return { ...fields, destination_addr: OUR_NUMBER };
};
const encodeAsUcs2 = (fields: { short_message: Buffer }) => {
  const text = fields.short_message.toString('latin1');
  return { ...fields, data_coding: 8, short_message: Buffer.from(text, 'utf16le').swap16() };
};

describe('unmarked receipts', () => {
  it.each([
    ['in Latin-1', (fields: { short_message: Buffer }) => fields],
    ['in UCS-2', encodeAsUcs2],
  ])(
    'an SMPP receipt without the esm_class of a receipt is recognized by the ID of a sent message: %s',
    async (_name, encode) => {
      const id = await send();
      await waitForStatus(id, 'sent');
      const carrierMessageId = smsc.submits[0]?.id as string;
      expect(await smsc.deliver(encode(buildUnmarkedReceipt('UNDELIV', carrierMessageId)))).toMatchObject({
        command_status: 0,
      });
      await waitForStatus(id, 'undelivered');
      expect(await listInbound()).toEqual([]);
    },
  );

  it.each([
    ['is in national form', { source_addr: '0722000001', source_addr_ton: 2 }],
    ['is the destination', { source_addr: OUR_NUMBER, destination_addr: '+40722000001' }],
  ])(
    'an SMPP receipt without the esm_class of a receipt is recognized if the number of the message %s',
    async (_name, addresses) => {
      const id = await send();
      await waitForStatus(id, 'sent');
      await smsc.deliver({ ...buildUnmarkedReceipt('DELIVRD', smsc.submits[0]?.id as string), ...addresses });
      await waitForStatus(id, 'delivered');
      expect(await listInbound()).toEqual([]);
    },
  );

  it('an SMPP receipt without the esm_class of a receipt is recognized for a part, even before the message is marked as sent', async () => {
    smsc.treat = () => ({ receipts: [buildUnmarkedReceipt('DELIVRD', '{id}')] });
    const id = await send('x'.repeat(400));
    await waitForStatus(id, 'delivered');
    expect(smsc.submits).toHaveLength(3);
    expect(await listInbound()).toEqual([]);
  });

  it('an SMPP receipt without the esm_class of a receipt is an inbound message if no sent message has its ID', async () => {
    const fields = buildUnmarkedReceipt('DELIVRD', 'NOBODYS');
    expect(await smsc.deliver(fields)).toMatchObject({ command_status: 0 });
    const quoted = { ...fields, short_message: Buffer.from('id: my passport, stat: lost', 'latin1') };
    expect(await smsc.deliver(quoted)).toMatchObject({ command_status: 0 });
    expect((await listInbound()).sort()).toEqual(
      [fields.short_message.toString('latin1'), 'id: my passport, stat: lost'].sort(),
    );
  });

  it('an SMPP receipt without the esm_class of a receipt is an inbound message if the named message went to another number', async () => {
    const id = await send();
    await waitForStatus(id, 'sent');
    const forgedReceipt = buildUnmarkedReceipt('UNDELIV', smsc.submits[0]?.id as string);
    expect(await smsc.deliver({ ...forgedReceipt, source_addr: '40722000002' })).toMatchObject({ command_status: 0 });
    expect(await listInbound()).toContain(forgedReceipt.short_message.toString('latin1'));
    expect(await readStatus(id)).toBe('sent');
  });
});
