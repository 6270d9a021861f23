import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OutboundMessage } from '../../src/carriers/carrier.js';
import { CarrierError } from '../../src/carriers/carrier-error.js';
import type { SettingValues } from '../../src/carriers/settings.js';
import { addCarrier } from '../../src/carriers/setup/carriers.js';
import { segment } from '../../src/carriers/sms/segments.js';
import type { SendRequest } from '../../src/messages/compose/send-request.js';
import { newId } from '../../src/platform/ids.js';
import { balanceOf, createTestAccount, type TestAccount } from '../support/accounts.js';
import { testDeparture, WITHHELD } from '../support/carriers/departures.js';
import { createTestChannel, type TestChannel } from '../support/channels.js';
import { idsOf, sendRequest } from '../support/sends.js';
import { type TestApp, testApp } from '../support/test-app.js';
import { waitFor } from '../support/wait-for.js';

/**
 * Recipients that a carrier under test, or its stand-in, treats in a way of their own, as the simulator does. Every other
 * number gets its message, and a receipt that says so.
 */
export const CONTRACT_NUMBERS = {
  /** Refused for good. */
  refused: '15005550001',
  /** Taken, then reported as undeliverable with a code. */
  undelivered: '15005550002',
  /** Refused twice because the carrier is busy, then taken. */
  throttledTwice: '15005550003',
  /** Taken without an answer once, then taken with one. */
  answerLostOnce: '15005550004',
} as const;

/** What arrived at the other end. */
export interface Arrival {
  /** Digits of the recipient. */
  to: string;
  /** The whole text, its parts put together. */
  text: string;
}

/** A carrier and what stands behind it. */
export interface CarrierUnderTest {
  kind: 'sms' | 'whatsapp';
  /** How it is set up; null for the simulator. */
  carrier: { type: string; settings: SettingValues } | null;
  /** What it must know of the WhatsApp channel that the suite makes. */
  channelSettings?: SettingValues;
  /** Settings of the process by the names of their environment variables. */
  settings?: Readonly<Record<string, string>>;
  /** Called once the process runs, for a stand-in that must know where to report to. */
  attach?(heliograph: TestApp, carrier: string, channel: TestChannel | null): Promise<void>;
  /** Everything that arrived, in order; left out where nothing stands behind the carrier. */
  arrived?(): readonly Arrival[];
  /** Make the other end unreachable, and reachable again; where it can be, the suite is told so. */
  interrupt?(): Promise<void>;
  restore?(): Promise<void>;
  close(): Promise<void>;
}

const GSM = 'Hello {world} for 5 €';
const UCS2 = 'Grüße aus Köln, 你好 👋';
const LONG_GSM = 'All [is] well. '.repeat(25);
const LONG_UCS2 = 'Schöne Grüße 👋 '.repeat(10);

/**
 * What every carrier must do, whoever stands behind it.
 * @param options.canBeAway whether `interrupt` and `restore` are there
 */
export function describeCarrier(
  title: string,
  setUp: () => Promise<CarrierUnderTest>,
  { canBeAway }: { canBeAway: boolean },
): void {
  describe(`the contract of carriers: ${title}`, () => {
    let under: CarrierUnderTest;
    let heliograph: TestApp;
    let account: TestAccount;
    let channel: TestChannel | null = null;
    let name: string;
    let next = 0;

    const ordinary = () => `4915100${String(++next).padStart(6, '0')}`;
    const row = (id: string) => heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } });
    const carrier = () => heliograph.deps.carriers.get(name);
    const arrivedAt = (to: string) => (under.arrived?.() ?? []).filter((each) => each.to === to);

    const send = async (to: string | readonly string[], body = GSM): Promise<string[]> => {
      const request: SendRequest = sendRequest(account, { to, body, priority: 2 });
      const whatsapp = channel && {
        kind: 'whatsapp',
        from: channel.phoneNumber,
        channelId: channel.channelId,
        carrier: name,
      };
      return idsOf(await heliograph.deps.acceptor.accept({ ...request, ...(whatsapp as Partial<SendRequest> | null) }));
    };
    const sendOne = async (to: string, body?: string): Promise<string> => (await send(to, body))[0] as string;
    const outbound = (): OutboundMessage => ({
      id: newId(),
      kind: under.kind,
      channelId: channel?.channelId ?? null,
      channelSettings: under.channelSettings ?? null,
      from: channel?.phoneNumber ?? 'Heliograph',
      to: ordinary(),
      attempt: 1,
      body: GSM,
      content: null,
      segmentation: under.kind === 'sms' ? segment(GSM) : null,
      acceptedParts: [],
      validUntil: new Date(Date.now() + 60_000),
    });

    beforeAll(async () => {
      under = await setUp();
      heliograph = await testApp({ settings: { SIMULATOR_DELAY_MS: '20', ...under.settings } });
      name = under.carrier ? 'under-test' : 'simulator';
      if (under.carrier) await addCarrier(heliograph.deps.prisma, { name, ...under.carrier });
      await heliograph.deps.carriers.reload();
      account = await createTestAccount(heliograph.deps);
      if (under.kind === 'whatsapp') {
        const options = { carrier: name, carrierSettings: under.channelSettings };
        channel = await createTestChannel(heliograph.deps, account, options);
      }
      await under.attach?.(heliograph, name, channel);
      await waitFor('the carrier to be up', async () => carrier().state().up);
    });
    beforeEach(async () => {
      if (channel) return;
      // Counts of statuses are by account.
      account = await createTestAccount(heliograph.deps);
      await heliograph.deps.prisma.route.create({ data: { id: newId(), accountId: account.id, carriers: [name] } });
      await heliograph.deps.routing.reload();
    });
    afterAll(async () => {
      await heliograph?.close();
      await under?.close();
    });

    const reach = async (id: string, status: string) =>
      waitFor(`the message to be ${status}`, async () => (await row(id)).status === status);

    it('says what it is, and that it is up', () => {
      expect(carrier()).toMatchObject({ name, type: under.carrier?.type ?? 'simulator' });
      expect(carrier().state()).toMatchObject({ up: true });
    });

    it.each([
      ['GSM characters', GSM],
      ['other characters', UCS2],
      ['several parts of GSM characters', LONG_GSM],
      ['several parts of other characters', LONG_UCS2],
    ])('brings a text of %s to its recipient and reports it delivered', async (_what, text) => {
      const to = ordinary();
      const id = await sendOne(to, text);
      await reach(id, 'delivered');
      const message = await row(id);
      expect(message).toMatchObject({ carrier: name, attempts: 1, errorCode: null, refunded: false });
      expect(message.carrierMessageId).toMatch(/\S/);
      expect(message.sentAt?.getTime()).toBeLessThanOrEqual(Date.now());
      expect(message.deliveredAt).toBeInstanceOf(Date);
      if (under.arrived) expect(arrivedAt(to)).toEqual([{ to, text }]);
    });

    it('brings two hundred messages to their recipients, each once', { timeout: 60_000 }, async () => {
      const to = Array.from({ length: 200 }, ordinary);
      const ids = await send(to);
      await waitFor(
        'all to be delivered',
        async () =>
          (await heliograph.deps.prisma.message.count({ where: { id: { in: ids }, status: 'delivered' } })) === 200,
      );
      const rows = await heliograph.deps.prisma.message.findMany({ where: { id: { in: ids } } });
      expect(new Set(rows.map(({ carrierMessageId }) => carrierMessageId)).size).toBe(200);
      if (under.arrived) for (const each of to) expect(arrivedAt(each)).toHaveLength(1);
    });

    it('fails a message that it refuses for good, with a code, and it is refunded', async () => {
      const before = await balanceOf(heliograph.deps, account.id);
      const id = await sendOne(CONTRACT_NUMBERS.refused);
      await reach(id, 'failed');
      expect(await row(id)).toMatchObject({ attempts: 1, refunded: true, errorCode: expect.stringMatching(/\S/) });
      expect(await balanceOf(heliograph.deps, account.id)).toBe(before);
    });

    it('reports what cannot be delivered, with a code, and it is not refunded', async () => {
      const id = await sendOne(CONTRACT_NUMBERS.undelivered);
      await waitFor('a final status', async () => ['undelivered', 'failed'].includes((await row(id)).status));
      expect(await row(id)).toMatchObject({ refunded: false, errorCode: expect.stringMatching(/\S/) });
    });

    it('is tried again when it is busy, and the message is charged once', async () => {
      const before = await balanceOf(heliograph.deps, account.id);
      const id = await sendOne(CONTRACT_NUMBERS.throttledTwice);
      await reach(id, 'delivered');
      expect(await row(id)).toMatchObject({ attempts: 3, maybeAccepted: false, refunded: false });
      expect(await balanceOf(heliograph.deps, account.id)).toBe(before - 10_000n);
    });

    it('is tried again when its answer was lost, and the message then counts as perhaps taken', {
      timeout: 60_000,
    }, async () => {
      const id = await sendOne(CONTRACT_NUMBERS.answerLostOnce);
      await reach(id, 'delivered');
      expect(await row(id)).toMatchObject({ attempts: 2, maybeAccepted: true, refunded: false });
    });

    it('lets nothing leave once it is told to stop', async () => {
      const message = outbound();
      const refusal = await carrier()
        .submit(message, AbortSignal.abort())
        .then(
          () => null,
          (error: unknown) => error,
        );
      expect(refusal).toBeInstanceOf(CarrierError);
      expect(refusal).toMatchObject({ retryable: true, answerLost: false });
      if (under.arrived) expect(arrivedAt(message.to)).toEqual([]);
    });

    it.each([
      ['at once', false],
      ['once the rules were read again', true],
    ])('lets a message leave only if its departure allows it %s', async (_when, reads) => {
      const [held, free] = [testDeparture({ reads }), testDeparture({ reads })];
      const withheld = { ...outbound(), departure: held };
      held.withhold();
      await expect(carrier().submit(withheld, new AbortController().signal)).rejects.toMatchObject(WITHHELD);
      const message = { ...outbound(), departure: free };
      await carrier().submit(message, new AbortController().signal);
      expect(free.checks).toBeGreaterThan(0);
      if (!under.arrived) return;
      await waitFor('the other one', () => arrivedAt(message.to).length === 1);
      expect(arrivedAt(withheld.to)).toEqual([]);
    });

    it('checks each part of a long message', async () => {
      if (under.kind !== 'sms') return;
      const departure = testDeparture();
      const message = { ...outbound(), body: LONG_GSM, segmentation: segment(LONG_GSM), departure };
      const { parts } = await carrier().submit(message, new AbortController().signal);
      expect(departure.checks).toBeGreaterThanOrEqual(parts?.length ?? 1);
    });

    if (canBeAway) {
      it('loses nothing and sends nothing twice while the other end is away, then comes back', {
        timeout: 120_000,
      }, async () => {
        await under.interrupt?.();
        const to = Array.from({ length: 20 }, ordinary);
        const ids = await send(to);
        await waitFor('a try to fail', async () =>
          heliograph.deps.prisma.message.findFirst({ where: { id: { in: ids }, errorCode: { not: null } } }),
        );
        await under.restore?.();
        await waitFor(
          'all to be delivered',
          async () =>
            (await heliograph.deps.prisma.message.count({ where: { id: { in: ids }, status: 'delivered' } })) === 20,
          { intervalMs: 50 },
        );
        const surely = await heliograph.deps.prisma.message.findMany({
          where: { id: { in: ids }, maybeAccepted: false },
        });
        for (const { recipient } of surely) if (under.arrived) expect(arrivedAt(recipient)).toHaveLength(1);
        expect(carrier().state()).toMatchObject({ up: true });
      });
    }

    it('closed, it takes nothing any more and says so', async () => {
      const last = carrier();
      await heliograph.deps.carriers.close(AbortSignal.timeout(5_000));
      const message = outbound();
      await expect(last.submit(message, new AbortController().signal)).rejects.toMatchObject({
        retryable: true,
        notTried: true,
      });
      if (under.arrived) expect(arrivedAt(message.to)).toEqual([]);
    });
  });
}
