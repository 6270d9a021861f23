import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount } from '../../support/accounts.js';
import { createScriptedType } from '../../support/carriers/scripted-carrier.js';
import { createTestOperator, type TestOperator } from '../../support/operators.js';
import { suiteApp } from '../../support/suite.js';

const api = suiteApp({ carrierTypes: [createScriptedType()], settings: { CARRIER_SECRETS_ENV: 'NOWHERE_SET' } });
let owner: TestOperator;
let viewer: TestOperator;
beforeAll(async () => {
  owner = await createTestOperator(api);
  viewer = await createTestOperator(api, { role: 'viewer' });
});

const listAuditEntries = (subject: string) =>
  api.deps.prisma.auditLine.findMany({ where: { subject }, orderBy: { id: 'asc' } });

describe('/admin/v1/carriers', () => {
  it('creates, changes, disables and removes a carrier, and audits it without secrets', async () => {
    const settings = { host: 'smsc', password: 'p4ss' };
    const createResponse = await owner.ask('POST', '/carriers', { name: 'smsc-1', type: 'scripted', settings });
    expect(createResponse.statusCode).toBe(200);
    expect(createResponse.json().data).toMatchObject({ isActive: true, settings: { host: 'smsc', password: '***' } });

    const change = { set: { port: 1 }, unset: ['password'], isActive: false };
    expect((await owner.ask('PATCH', '/carriers/smsc-1', change)).json().data).toMatchObject({
      isActive: false,
      settings: { host: 'smsc', port: 1 },
    });
    expect((await owner.ask('DELETE', '/carriers/smsc-1', {})).statusCode).toBe(200);

    const auditEntries = await listAuditEntries('smsc-1');
    expect(auditEntries.map(({ action }) => action)).toEqual(['carrier.create', 'carrier.change', 'carrier.remove']);
    expect(auditEntries[1]).toMatchObject({
      actorName: owner.name,
      before: { isActive: true },
      after: { isActive: false, changed: ['port', 'password'] },
    });
    expect(JSON.stringify(auditEntries)).not.toContain('p4ss');
  });

  it('lists carriers with queued messages and their state in each process', async () => {
    await owner.ask('POST', '/carriers', {
      name: 'listed',
      type: 'scripted',
      settings: { host: 'a' },
      isActive: false,
    });
    const reportedAt = new Date('2026-01-15T12:00:00Z');
    await api.deps.prisma.carrierReport.create({
      data: {
        processId: newId(),
        carrier: 'listed',
        host: 'box',
        pid: 7,
        state: 'down',
        since: reportedAt,
        reason: 'gone',
        connections: [
          { name: 'bind', isUp: false, sends: true, since: reportedAt, lastError: 'refused', lastErrorAt: reportedAt },
        ],
        ratePerSecond: 1.5,
        inHand: 3,
      },
    });
    const { data } = (await viewer.ask('GET', '/carriers')).json();
    expect(data.map(({ name }: { name: string }) => name)).toEqual(['listed', 'simulator']);
    expect(data[0]).toMatchObject({
      isBuiltIn: false,
      waiting: 0,
      processes: [
        { host: 'box', state: 'down', inHand: 3, lastError: { text: 'refused', at: reportedAt.toISOString() } },
      ],
    });
    expect(data[1]).toMatchObject({ isBuiltIn: true, isActive: true, updatedAt: null });
  });

  it("tests a carrier's settings, and names the invalid one", async () => {
    const settings = { host: 'a', password: 'env:NOWHERE_SET' };
    await owner.ask('POST', '/carriers', { name: 'checked', type: 'scripted', settings, isActive: false });
    const { data } = (await owner.ask('POST', '/carriers/checked/check', {})).json();
    expect(data.ok).toBe(false);
    expect(data.steps.at(-1)).toMatchObject({ what: 'the settings', setting: 'password' });
    expect(data.steps.at(-1).problem).toContain('the environment variable NOWHERE_SET, which is not set');
    expect((await owner.ask('POST', '/carriers/nobody/check', {})).statusCode).toBe(404);
    expect((await listAuditEntries('checked')).map(({ action }) => action)).toEqual([
      'carrier.create',
      'carrier.check',
    ]);
  });

  it("refuses references to secrets that the server's operator has not allowed", async () => {
    const expectedErrors = [{ field: 'password' }];
    for (const password of ['env:PATH', 'file:/etc/hostname']) {
      const createResponse = await owner.ask('POST', '/carriers', {
        name: 'thief',
        type: 'scripted',
        settings: { host: 'a', password },
      });
      expect(createResponse.statusCode).toBe(400);
      expect(createResponse.json().error.details).toMatchObject(expectedErrors);
    }
    await owner.ask('POST', '/carriers', { name: 'thief', type: 'scripted', settings: { host: 'a' }, isActive: false });
    const changeResponse = await owner.ask('PATCH', '/carriers/thief', { set: { password: 'env:PATH' } });
    expect(changeResponse.json().error.details).toMatchObject(expectedErrors);
    const { settings } = await api.deps.prisma.carrier.findUniqueOrThrow({ where: { name: 'thief' } });
    expect(settings).toEqual({ host: 'a' });
  });

  it('does not send a stored secret to a new destination', async () => {
    const settings = { host: 'good', password: 'p4ss' };
    await owner.ask('POST', '/carriers', { name: 'moved', type: 'scripted', settings, isActive: false });
    const readStoredSettings = async () =>
      (await api.deps.prisma.carrier.findUniqueOrThrow({ where: { name: 'moved' } })).settings;
    for (const change of [{ set: { host: 'evil' } }, { set: { port: 1 } }, { set: { host: 'evil' }, isActive: true }]) {
      const refusal = await owner.ask('PATCH', '/carriers/moved', change);
      expect(refusal.statusCode).toBe(400);
      expect(refusal.json().error.details).toMatchObject([{ field: 'password' }]);
      expect(await readStoredSettings()).toEqual(settings);
    }
    const newSettings = { set: { host: 'new', password: 'n3w' } };
    expect((await owner.ask('PATCH', '/carriers/moved', newSettings)).statusCode).toBe(200);
    expect(
      (await owner.ask('PATCH', '/carriers/moved', { set: { host: 'third' }, unset: ['password'] })).statusCode,
    ).toBe(200);
    expect(await readStoredSettings()).toEqual({ host: 'third' });
  });

  it('names each invalid field', async () => {
    const body = { name: 'UPPER', type: 'scripted', settings: { host: 'a' } };
    expect((await owner.ask('POST', '/carriers', body)).json().error.details).toMatchObject([{ field: 'name' }]);
    const settings = { ...body, name: 'lower', settings: { port: 0 } };
    expect((await owner.ask('POST', '/carriers', settings)).json().error.details).toMatchObject([
      { field: 'host' },
      { field: 'port' },
    ]);
  });

  it('describes the carrier types and their settings', async () => {
    const [type] = (await viewer.ask('GET', '/carriers/types')).json().data;
    expect(type).toMatchObject({ type: 'scripted' });
    const settings = Object.fromEntries(type.settings.map((setting: { name: string }) => [setting.name, setting]));
    expect(settings).toMatchObject({
      host: { kind: 'text', required: true, secret: false },
      port: { kind: 'integer', default: '2775', required: false },
      password: { secret: true },
      tls: { kind: 'boolean' },
    });
  });

  it('is read-only for viewers, and hidden from operators of an account', async () => {
    const account = await createTestAccount(api.deps);
    const accountOperator = await createTestOperator(api, { accountId: account.id });
    for (const [method, path, body] of [
      ['POST', '/carriers', { name: 'x', type: 'scripted', settings: {} }],
      ['PATCH', '/carriers/listed', { isActive: true }],
      ['DELETE', '/carriers/listed', {}],
      ['POST', '/carriers/listed/check', {}],
      ['POST', '/routes', { carriers: ['simulator'] }],
      ['POST', '/rates', { id: 'x', currency: 'EUR', sms: '1', whatsapp: '1' }],
      ['POST', '/accounts', { name: 'x' }],
    ] as const) {
      expect((await viewer.ask(method, path, body)).statusCode, path).toBe(403);
      expect((await accountOperator.ask(method, path, body)).statusCode, path).toBe(403);
    }
    for (const path of ['/carriers', '/carriers/types', '/routes', '/rates']) {
      expect((await viewer.ask('GET', path)).statusCode, path).toBe(200);
      expect((await accountOperator.ask('GET', path)).statusCode, path).toBe(403);
    }
  });
});

describe('/admin/v1/routes', () => {
  it('creates a route, lists it with the name of its account, and removes it', async () => {
    const account = await createTestAccount(api.deps, { name: 'Routed' });
    const body = { accountId: account.id, callingCode: '49', carriers: ['simulator'] };
    const { data } = (await owner.ask('POST', '/routes', body)).json();
    expect(data).toMatchObject({ accountName: 'Routed', callingCode: '49', sender: null, position: 0 });
    expect((await owner.ask('POST', '/routes', body)).json().error.code).toBe('CONFLICT');
    expect((await viewer.ask('GET', '/routes')).json().data).toMatchObject({
      routes: [{ id: data.id }],
      smsCarrier: 'simulator',
    });
    expect((await owner.ask('DELETE', `/routes/${data.id}`, {})).statusCode).toBe(200);
    expect((await owner.ask('DELETE', `/routes/${data.id}`, {})).statusCode).toBe(404);
    expect((await listAuditEntries(data.id)).map(({ action, accountId }) => [action, accountId])).toEqual([
      ['route.create', account.id],
      ['route.remove', account.id],
    ]);
    const invalidRoute = { carriers: ['nobody'], callingCode: '0' };
    expect((await owner.ask('POST', '/routes', invalidRoute)).json().error.details).toMatchObject([
      { field: 'callingCode' },
    ]);
  });
});

describe('/admin/v1/rates', () => {
  it('creates a rate card, sets a price, and removes it', async () => {
    const rateCard = { id: 'euro', currency: 'EUR', sms: '0.05', whatsapp: '0.04' };
    expect((await owner.ask('POST', '/rates', rateCard)).statusCode).toBe(200);
    const price = { kind: 'sms', callingCode: '49', price: '0.075' };
    expect((await owner.ask('PUT', '/rates/euro/prices', price)).statusCode).toBe(200);
    const getRateCard = async () => (await viewer.ask('GET', '/rates')).json().data[0];
    expect(await getRateCard()).toMatchObject({
      id: 'euro',
      accountCount: 0,
      prices: [
        { kind: 'sms', callingCode: null, price: '0.05' },
        { kind: 'sms', callingCode: '49', price: '0.075' },
        { kind: 'whatsapp', callingCode: null, price: '0.04' },
      ],
    });
    expect((await owner.ask('DELETE', '/rates/euro/prices/sms/49', {})).statusCode).toBe(200);
    expect((await getRateCard()).prices).toHaveLength(2);
    expect((await listAuditEntries('euro')).map(({ action }) => action)).toEqual([
      'rateCard.create',
      'rate.set',
      'rate.remove',
    ]);
    const invalidPrice = { ...price, price: 'much' };
    expect((await owner.ask('PUT', '/rates/euro/prices', invalidPrice)).json().error.details).toMatchObject([
      { field: 'price' },
    ]);
    expect((await owner.ask('PUT', '/rates/none/prices', price)).statusCode).toBe(404);
  });
});
