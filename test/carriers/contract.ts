import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OutboundMessage } from '../../src/carriers/carrier.js';
import { CarrierError } from '../../src/carriers/carrier-error.js';
import type { SettingValues } from '../../src/carriers/settings.js';
import { addCarrier } from '../../src/carriers/setup/carriers.js';
import { segment } from '../../src/carriers/sms/segments.js';
import type { SendRequest } from '../../src/messages/compose/send-request.js';
import { newId } from '../../src/platform/ids.js';
import { createTestAccount, readBalance, type TestAccount } from '../support/accounts.js';
import { createTestDeparture, WITHHELD } from '../support/carriers/departures.js';
import { createTestChannel, type TestChannel } from '../support/channels.js';
import { listIds, sendRequest } from '../support/sends.js';
import { type TestApp, testApp } from '../support/test-app.js';
import { waitFor } from '../support/wait-for.js';

/** Recipients that the carrier must treat like the simulator's magic numbers. Messages to all other numbers are delivered. */
export const CONTRACT_NUMBERS = {
  /** Refused for good. */
  refused: '15005550001',
  undelivered: '15005550002',
  throttledTwice: '15005550003',
  answerLostOnce: '15005550004',
} as const;

export interface Arrival {
  /** Digits. */
  to: string;
  text: string;
}

export interface CarrierUnderTest {
  kind: 'sms' | 'whatsapp';
  /** Type and settings of the carrier, or null to test the built-in simulator. */
  carrier: { type: string; settings: SettingValues } | null;
  channelSettings?: SettingValues;
  /** Environment variables. */
  settings?: Readonly<Record<string, string>>;
  /** Gives a stub the URL for its reports, once the server is running. */
  attach?(heliograph: TestApp, carrier: string, channel: TestChannel | null): Promise<void>;
  /** Lists the messages that reached the stub. The function is missing for carriers without a stub. */
  arrived?(): readonly Arrival[];
  /** Makes the stub unreachable until `restore` is called. A carrier with `canBeAway` needs `interrupt` and `restore`. */
  interrupt?(): Promise<void>;
  restore?(): Promise<void>;
  close(): Promise<void>;
}

const GSM = 'Hello {world} for 5 €';
const UCS2 = 'Grüße aus Köln, 你好 👋';
const LONG_GSM = 'All [is] well. '.repeat(25);
const LONG_UCS2 = 'Schöne Grüße 👋 '.repeat(10);

export function describeCarrier(
  title: string,
  setUp: () => Promise<CarrierUnderTest>,
  { canBeAway }: { canBeAway: boolean },
): void {
  describe(`carrier contract: ${title}`, () => {
    let underTest: CarrierUnderTest;
    let heliograph: TestApp;
    let account: TestAccount;
    let channel: TestChannel | null = null;
    let name: string;
    let lastNumber = 0;

    const nextNumber = () => `4915100${String(++lastNumber).padStart(6, '0')}`;
    const findMessage = (id: string) => heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } });
    const getCarrier = () => heliograph.deps.carriers.get(name);
    const listArrivals = (to: string) => (underTest.arrived?.() ?? []).filter((arrival) => arrival.to === to);

    const send = async (to: string | readonly string[], body = GSM): Promise<string[]> => {
      const request: SendRequest = sendRequest(account, { to, body, priority: 2 });
      const whatsapp = channel && {
        kind: 'whatsapp',
        from: channel.phoneNumber,
        channelId: channel.channelId,
        carrier: name,
      };
      return listIds(
        await heliograph.deps.acceptor.accept({ ...request, ...(whatsapp as Partial<SendRequest> | null) }),
      );
    };
    const sendOne = async (to: string, body?: string): Promise<string> => (await send(to, body))[0] as string;
    const createOutbound = (): OutboundMessage => ({
      id: newId(),
      kind: underTest.kind,
      channelId: channel?.channelId ?? null,
      channelSettings: underTest.channelSettings ?? null,
      from: channel?.phoneNumber ?? 'Heliograph',
      to: nextNumber(),
      attempt: 1,
      body: GSM,
      content: null,
      segmentation: underTest.kind === 'sms' ? segment(GSM) : null,
      acceptedParts: [],
      validUntil: new Date(Date.now() + 60_000),
    });

    beforeAll(async () => {
      underTest = await setUp();
      heliograph = await testApp({ settings: { SIMULATOR_DELAY_MS: '20', ...underTest.settings } });
      name = underTest.carrier ? 'under-test' : 'simulator';
      if (underTest.carrier) await addCarrier(heliograph.deps.prisma, { name, ...underTest.carrier });
      await heliograph.deps.carriers.reload();
      account = await createTestAccount(heliograph.deps);
      if (underTest.kind === 'whatsapp') {
        const options = { carrier: name, carrierSettings: underTest.channelSettings };
        channel = await createTestChannel(heliograph.deps, account, options);
      }
      await underTest.attach?.(heliograph, name, channel);
      await waitFor('the carrier to be up', async () => getCarrier().state().up);
    });
    beforeEach(async () => {
      if (channel) return;
      account = await createTestAccount(heliograph.deps);
      await heliograph.deps.prisma.route.create({ data: { id: newId(), accountId: account.id, carriers: [name] } });
      await heliograph.deps.routing.reload();
    });
    afterAll(async () => {
      await heliograph?.close();
      await underTest?.close();
    });

    const waitForStatus = async (id: string, status: string) =>
      waitFor(`the message to be ${status}`, async () => (await findMessage(id)).status === status);

    it('the carrier reports its name, its type and that it is up', () => {
      expect(getCarrier()).toMatchObject({ name, type: underTest.carrier?.type ?? 'simulator' });
      expect(getCarrier().state()).toMatchObject({ up: true });
    });

    it.each([
      ['GSM characters', GSM],
      ['other characters', UCS2],
      ['several parts of GSM characters', LONG_GSM],
      ['several parts of other characters', LONG_UCS2],
    ])('delivers a text of %s and reports the delivery', async (_case, text) => {
      const to = nextNumber();
      const id = await sendOne(to, text);
      await waitForStatus(id, 'delivered');
      const message = await findMessage(id);
      expect(message).toMatchObject({ carrier: name, attempts: 1, errorCode: null, refunded: false });
      expect(message.carrierMessageId).toMatch(/\S/);
      expect(message.sentAt?.getTime()).toBeLessThanOrEqual(Date.now());
      expect(message.deliveredAt).toBeInstanceOf(Date);
      if (underTest.arrived) expect(listArrivals(to)).toEqual([{ to, text }]);
    });

    it('delivers two hundred messages exactly once', async () => {
      const to = Array.from({ length: 200 }, nextNumber);
      const ids = await send(to);
      await waitFor(
        'all to be delivered',
        async () =>
          (await heliograph.deps.prisma.message.count({ where: { id: { in: ids }, status: 'delivered' } })) === 200,
      );
      const rows = await heliograph.deps.prisma.message.findMany({ where: { id: { in: ids } } });
      expect(new Set(rows.map(({ carrierMessageId }) => carrierMessageId)).size).toBe(200);
      if (underTest.arrived) for (const recipient of to) expect(listArrivals(recipient)).toHaveLength(1);
    });

    it('refunds a message that it refuses for good, and gives an error code', async () => {
      const balanceBefore = await readBalance(heliograph.deps, account.id);
      const id = await sendOne(CONTRACT_NUMBERS.refused);
      await waitForStatus(id, 'failed');
      expect(await findMessage(id)).toMatchObject({
        attempts: 1,
        refunded: true,
        errorCode: expect.stringMatching(/\S/),
      });
      expect(await readBalance(heliograph.deps, account.id)).toBe(balanceBefore);
    });

    it('does not refund an undeliverable message, and gives an error code', async () => {
      const id = await sendOne(CONTRACT_NUMBERS.undelivered);
      await waitFor('a final status', async () => ['undelivered', 'failed'].includes((await findMessage(id)).status));
      expect(await findMessage(id)).toMatchObject({ refunded: false, errorCode: expect.stringMatching(/\S/) });
    });

    it('retries while the carrier is busy, and charges the message once', async () => {
      const balanceBefore = await readBalance(heliograph.deps, account.id);
      const id = await sendOne(CONTRACT_NUMBERS.throttledTwice);
      await waitForStatus(id, 'delivered');
      expect(await findMessage(id)).toMatchObject({ attempts: 3, maybeAccepted: false, refunded: false });
      expect(await readBalance(heliograph.deps, account.id)).toBe(balanceBefore - 10_000n);
    });

    it('retries after a lost response, and marks the message as maybe accepted', async () => {
      const id = await sendOne(CONTRACT_NUMBERS.answerLostOnce);
      await waitForStatus(id, 'delivered');
      expect(await findMessage(id)).toMatchObject({ attempts: 2, maybeAccepted: true, refunded: false });
    });

    it('submits nothing after its signal was aborted', async () => {
      const message = createOutbound();
      const refusal = await getCarrier()
        .submit(message, AbortSignal.abort())
        .then(
          () => null,
          (error: unknown) => error,
        );
      expect(refusal).toBeInstanceOf(CarrierError);
      expect(refusal).toMatchObject({ retryable: true, answerLost: false });
      if (underTest.arrived) expect(listArrivals(message.to)).toEqual([]);
    });

    it.each([
      ['at once', false],
      ['after the rules were read again', true],
    ])('does not submit a message that its departure forbids %s', async (_when, reads) => {
      const [heldDeparture, allowedDeparture] = [createTestDeparture({ reads }), createTestDeparture({ reads })];
      const withheldMessage = { ...createOutbound(), departure: heldDeparture };
      heldDeparture.withhold();
      await expect(getCarrier().submit(withheldMessage, new AbortController().signal)).rejects.toMatchObject(WITHHELD);
      const message = { ...createOutbound(), departure: allowedDeparture };
      await getCarrier().submit(message, new AbortController().signal);
      expect(allowedDeparture.checks).toBeGreaterThan(0);
      if (!underTest.arrived) return;
      await waitFor('the allowed message', () => listArrivals(message.to).length === 1);
      expect(listArrivals(withheldMessage.to)).toEqual([]);
    });

    it('checks the departure before each part of a long message', async () => {
      if (underTest.kind !== 'sms') return;
      const departure = createTestDeparture();
      const message = { ...createOutbound(), body: LONG_GSM, segmentation: segment(LONG_GSM), departure };
      const { parts } = await getCarrier().submit(message, new AbortController().signal);
      expect(departure.checks).toBeGreaterThanOrEqual(parts?.length ?? 1);
    });

    if (canBeAway) {
      it('loses and repeats nothing while the other side is unreachable, and recovers', async () => {
        await underTest.interrupt?.();
        const to = Array.from({ length: 20 }, nextNumber);
        const ids = await send(to);
        await waitFor('an attempt to fail', async () =>
          heliograph.deps.prisma.message.findFirst({ where: { id: { in: ids }, errorCode: { not: null } } }),
        );
        await underTest.restore?.();
        await waitFor(
          'all to be delivered',
          async () =>
            (await heliograph.deps.prisma.message.count({ where: { id: { in: ids }, status: 'delivered' } })) === 20,
          { intervalMs: 50 },
        );
        const acceptedOnce = await heliograph.deps.prisma.message.findMany({
          where: { id: { in: ids }, maybeAccepted: false },
        });
        for (const { recipient } of acceptedOnce)
          if (underTest.arrived) expect(listArrivals(recipient)).toHaveLength(1);
        expect(getCarrier().state()).toMatchObject({ up: true });
      });
    }

    it('refuses messages once it is closed', async () => {
      const closedCarrier = getCarrier();
      await heliograph.deps.carriers.close(AbortSignal.timeout(5_000));
      const message = createOutbound();
      await expect(closedCarrier.submit(message, new AbortController().signal)).rejects.toMatchObject({
        retryable: true,
        notTried: true,
      });
      if (underTest.arrived) expect(listArrivals(message.to)).toEqual([]);
    });
  });
}
