import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ClaimedCallback } from '../../../src/carriers/callbacks/callback-store.js';
import { createCallbackDispatcher } from '../../../src/carriers/callbacks/dispatch.js';
import type { CallbackContext } from '../../../src/carriers/carrier-type.js';
import { addCarrier, changeCarrier } from '../../../src/carriers/setup/carriers.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { addScriptedCarrier, createScriptedType } from '../../support/carriers/scripted-carrier.js';
import { createTestChannel } from '../../support/channels.js';
import { accept, waitForAllMessages } from '../../support/sends.js';
import { type TestApp, testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';
import { pagerType } from './pager.js';

const TYPES = [pagerType, createScriptedType()];
const TOKEN = 'beep beep';

let heliograph: TestApp;
let account: TestAccount;
const logLines: string[] = [];

beforeAll(async () => {
  const log = pino({ level: 'info' }, { write: (line: string) => void logLines.push(line) });
  heliograph = await testApp({ carrierTypes: TYPES, log });
  const { prisma, carriers, routing } = heliograph.deps;
  await addCarrier(prisma, { name: 'beep', type: 'pager', settings: { token: TOKEN } }, TYPES);
  await addScriptedCarrier(heliograph.deps, 'silent');
  account = await createTestAccount(heliograph.deps);
  await prisma.route.create({ data: { id: newId(), accountId: account.id, carriers: ['beep'] } });
  await Promise.all([carriers.reload(), routing.reload()]);
});
afterAll(() => heliograph?.close());
beforeEach(() => {
  logLines.length = 0;
});

const callPager = (payload: object, path = 'pager/beep') =>
  heliograph.app.inject({ method: 'POST', url: `/callbacks/${path}`, payload: { token: TOKEN, ...payload } });
const storeCallback = (carrier: string, body: object) =>
  heliograph.deps.callbacks.store({ carrier, body: Buffer.from(JSON.stringify(body)) });
const findCallbacks = (carrier: string) => heliograph.deps.prisma.carrierCallback.findMany({ where: { carrier } });
const createSmsChannel = () =>
  createTestChannel(heliograph.deps, account, { kind: 'sms', carrier: 'beep', carrierTypes: TYPES });
const findInbound = (channelId: string) =>
  heliograph.deps.prisma.inboundMessage.findMany({ where: { channelId }, orderBy: { id: 'asc' } });

describe('a carrier type with callbacks', () => {
  it('a carrier type with callbacks is called below its own path, and only for its own carriers', async () => {
    expect((await callPager({})).statusCode).toBe(200);
    expect((await callPager({ token: 'honk' })).statusCode).toBe(403);
    for (const path of ['pager/silent', 'pager/simulator', 'pager/none', 'scripted/silent', 'whatsapp-cloud/beep']) {
      expect((await callPager({}, path)).statusCode, path).toBe(404);
    }
  });

  it('a carrier type with callbacks reports the status of a message', async () => {
    const [id] = await accept(heliograph.deps, account, { to: '40722000001' });
    await waitForAllMessages(heliograph.deps, account.id, 'sent');
    expect((await callPager({ receipts: [{ id: `pager-${id}`, status: 'delivered' }] })).statusCode).toBe(200);
    await waitForAllMessages(heliograph.deps, account.id, 'delivered');
    await waitFor('the callback to be deleted', async () => (await findCallbacks('beep')).length === 0);
  });

  it('a carrier type with callbacks delivers inbound messages of any kind, without duplicates', async () => {
    const { channelId, phoneNumber: to } = await createSmsChannel();
    const location = { latitude: 44.4, longitude: 26.1 };
    const report = {
      texts: [{ id: 'text-1', from: '40722000001', to, text: 'Call me' }],
      places: [{ id: 'place-1', from: '40722000001', to, place: location }],
    };
    await callPager(report);
    await callPager(report);
    await waitFor('the callbacks to be deleted', async () => (await findCallbacks('beep')).length === 0);
    const inboundMessages = await findInbound(channelId);
    expect(inboundMessages.map(({ type, body, payload }) => ({ type, body, payload }))).toEqual([
      { type: 'text', body: 'Call me', payload: { body: 'Call me' } },
      { type: 'location', body: '', payload: location },
    ]);
  });

  it('a carrier type processes callbacks of a carrier that was disabled in the meantime', async () => {
    const { prisma } = heliograph.deps;
    const { channelId, phoneNumber: to } = await createSmsChannel();
    await changeCarrier(prisma, 'beep', { set: {}, unset: [], isActive: false }, TYPES);
    await heliograph.deps.carriers.reload();
    await storeCallback('beep', { texts: [{ id: 'late-1', from: '40722000001', to, text: 'Late' }] });
    await waitFor('the message', async () => (await findInbound(channelId)).length === 1);
    await changeCarrier(prisma, 'beep', { set: {}, unset: [], isActive: true }, TYPES);
    await heliograph.deps.carriers.reload();
  });
});

describe('a callback of an unknown carrier', () => {
  // The carrier `gone` was removed, and the type of the carrier `silent` supports no callbacks.
  it.each(['gone', 'silent'])(
    'a callback of an unknown carrier is retried and finally set aside: %s',
    async (carrier) => {
      const { channelId, phoneNumber: to } = await createSmsChannel();
      await Promise.all([
        storeCallback(carrier, { any: 'thing' }),
        storeCallback('beep', { texts: [{ id: `beside-${carrier}`, from: '40722000001', to, text: 'Beside' }] }),
      ]);
      await waitFor('the other callback', async () => (await findInbound(channelId)).length === 1);
      await waitFor('the callback to be postponed', async () =>
        logLines.some((line) => line.includes('will be retried')),
      );
      expect(await findCallbacks(carrier)).toMatchObject([{ attempts: 1, setAsideAt: null }]);
      await heliograph.deps.pool.query(
        'UPDATE carrier_callbacks SET attempts = 9, lease_until = NULL WHERE carrier = $1',
        [carrier],
      );
      await waitFor('the callback to be set aside', async () => (await findCallbacks(carrier))[0]?.setAsideAt);
      const error = logLines.map((line) => JSON.parse(line)).find(({ level }) => level === 50);
      expect(error).toMatchObject({ carrier, error: 'UnknownCarrierError', attempts: 10 });
    },
  );
});

describe('callback dispatcher', () => {
  const applied: string[][] = [];
  const createRecordingType = (type: string) => ({
    ...pagerType,
    type,
    callbacks: {
      endpoints: [],
      apply: async (callbacks: readonly ClaimedCallback[], { log }: CallbackContext) => {
        expect(log).toBeDefined();
        applied.push([type, ...callbacks.map(({ id }) => id)]);
        return [];
      },
    },
  });
  const createCallbacks = (...carriers: string[]): ClaimedCallback[] =>
    carriers.map((carrier, id) => ({
      id: String(id),
      carrier,
      body: Buffer.alloc(0),
      receivedAt: new Date(),
      attempts: 1,
    }));
  const dispatch = (...carriers: string[]) => {
    const { pool, log } = heliograph.deps;
    const types = [createRecordingType('pager'), createRecordingType('scripted')];
    return createCallbackDispatcher({ types, pool, log, sinks: {} as CallbackContext['sinks'] })(
      createCallbacks(...carriers),
    );
  };

  it('the callback dispatcher passes callbacks to their carrier types, in one ordered batch per type', async () => {
    await dispatch('beep', 'silent', 'silent', 'beep', 'beep');
    expect(applied).toEqual([
      ['pager', '0', '3', '4'],
      ['scripted', '1', '2'],
    ]);
  });

  it('the callback dispatcher applies nothing if one callback in the batch cannot be processed', async () => {
    applied.length = 0;
    await expect(dispatch('beep', 'gone')).rejects.toThrow('no carrier of this name is set up');
    expect(applied).toEqual([]);
  });
});
