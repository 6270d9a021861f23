import { pino } from 'pino';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Routing } from '../../../src/carriers/registry/routing.js';
import { addCarrier, changeCarrier } from '../../../src/carriers/setup/carriers.js';
import { addRoute, type NewRoute } from '../../../src/carriers/setup/routes.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { addScriptedCarrier, createScriptedType } from '../../support/carriers/scripted-carrier.js';
import { suiteStore } from '../../support/for-suite.js';

const types = [createScriptedType()];
const NAMES = ['a', 'b', 'c', 'd'];
const store = suiteStore();
let account: TestAccount;
let routing: Routing;

const createRoute = (carriers: string[], overrides: Partial<NewRoute> = {}) =>
  addRoute(store.prisma, { carriers, position: 0, ...overrides }, types);
const choose = async (recipient: string, sender = 'ACME', accountId = account.id) => {
  await routing.reload();
  return routing.findCarriers({ accountId, recipient, sender });
};

beforeAll(async () => {
  account = await createTestAccount(store);
  for (const name of NAMES) await addScriptedCarrier(store, name);
});
beforeEach(async () => {
  await store.prisma.route.deleteMany({});
  routing = new Routing({ pool: store.pool, log: pino({ level: 'silent' }) });
});

describe('Routing', () => {
  it('routing chooses no carriers without a route', async () => {
    expect(await choose('40722000000')).toBeNull();
    expect(routing.isEmpty).toBe(true);
  });

  it('routing prefers the longest matching calling code', async () => {
    await createRoute(['a']);
    await createRoute(['b'], { callingCode: '40' });
    await createRoute(['c'], { callingCode: '4072' });
    expect(await choose('40722000000')).toEqual(['c']);
    expect(await choose('40732000000')).toEqual(['b']);
    expect(await choose('41732000000')).toEqual(['a']);
    expect(await choose('4072')).toEqual(['c']);
  });

  it('routing prefers routes of the account over all others', async () => {
    const otherAccount = await createTestAccount(store);
    await createRoute(['a'], { callingCode: '4072' });
    await createRoute(['b'], { accountId: account.id });
    expect(await choose('40722000000')).toEqual(['b']);
    expect(await choose('40722000000', 'ACME', otherAccount.id)).toEqual(['a']);
    await store.prisma.route.deleteMany({ where: { accountId: account.id } });
    await createRoute(['c'], { accountId: account.id, callingCode: '41' });
    expect(await choose('40722000000')).toEqual(['a']);
  });

  it('routing prefers a route for the sender over one for any sender with the same calling code', async () => {
    await createRoute(['a'], { callingCode: '40' });
    await createRoute(['b'], { callingCode: '40', sender: 'ACME' });
    await createRoute(['c'], { sender: '+40799' });
    await createRoute(['d'], { callingCode: '41', sender: 'OTHER' });
    expect(await choose('40722000000')).toEqual(['b']);
    expect(await choose('40722000000', 'acme')).toEqual(['a']);
    expect(await choose('4915100000', '40799')).toEqual(['c']);
    expect(await choose('4915100000', '+40799')).toEqual(['c']);
    expect(await choose('4100000')).toBeNull();
  });

  it('routing prefers the lowest position, and keeps the order of the carriers', async () => {
    await createRoute(['a'], { position: 2 });
    await createRoute(['d', 'b', 'c'], { position: 1 });
    expect(await choose('40722000000')).toEqual(['d', 'b', 'c']);
  });
});

describe('addRoute', () => {
  it.each<[Partial<NewRoute>, RegExp]>([
    [{ carriers: [] }, /carriers must be 1 to 16 names/],
    [{ carriers: ['a', 'a'] }, /carriers must name each carrier once/],
    [{ carriers: ['pigeon'] }, /carrier must be simulator or a configured carrier; there is no carrier pigeon/],
    [{ callingCode: '+40' }, /callingCode must be 1 to 15 digits/],
    [{ callingCode: '' }, /callingCode must be 1 to 15 digits/],
    [{ callingCode: '999' }, /callingCode must begin with an assigned country calling code/],
    [{ callingCode: '2107' }, /callingCode must begin with an assigned country calling code/],
    [{ sender: '+' }, /sender must be 1 to 18 characters/],
    [{ accountId: 'x' }, /there is no account x/],
  ])('rejects %j', async (fields, message) => {
    await expect(createRoute(['a'], fields)).rejects.toThrow(message);
  });

  it.each(['1', '4', '40', '4072', '99', '800', '21'])('accepts the calling code %s', async (callingCode) => {
    expect(await createRoute(['a'], { callingCode })).toMatchObject({ callingCode });
  });

  it.each<Partial<NewRoute>>([{}, { callingCode: '40' }, { sender: 'ACME', callingCode: '4072', position: 3 }])(
    'rejects a second route with the conditions %j and the same position, whatever its carriers',
    async (fields) => {
      const { id } = await createRoute(['a'], fields);
      const sameFields = { ...fields, ...(fields.sender && { sender: `+${fields.sender}` }) };
      await expect(createRoute(['b'], sameFields)).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining(`the route ${id} already has these conditions and position`),
      });
      await createRoute(['b'], { ...fields, position: 7 });
      await createRoute(['b'], { ...fields, accountId: account.id });
    },
  );

  it('rejects a carrier that only receives, and a change that makes it one', async () => {
    const settings = { host: 'smsc.example', systemId: 'shop' };
    const add = (name: string, bindType: string) =>
      addCarrier(store.prisma, { name, type: 'smpp', settings: { ...settings, bindType }, isActive: false });
    await add('receives', 'receiver');
    await add('both', 'transceiver');
    const problem = 'receives: its bindType is receiver, so it cannot send messages';
    const carriers = ['both', 'receives'];
    await expect(addRoute(store.prisma, { carriers, position: 0 })).rejects.toThrow(problem);
    const { id } = await addRoute(store.prisma, { carriers: ['both'], position: 0 });
    const change = (bindType: string) => changeCarrier(store.prisma, 'both', { set: { bindType }, unset: [] });
    await expect(change('receiver')).rejects.toThrow(`the route ${id} uses the carrier both, but its bindType`);
    await change('transmitter');
  });
});
