import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Carrier } from '../../../src/carriers/carrier.js';
import { changeCarrier } from '../../../src/carriers/setup/carriers.js';
import { createTestAccount } from '../../support/accounts.js';
import {
  addScriptedCarrier,
  createScriptedType,
  type ScriptedCarrier,
} from '../../support/carriers/scripted-carrier.js';
import { accept, waitForAllMessages } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

describe('the carriers of a running process', () => {
  const type = createScriptedType();
  const heliograph = suiteApp({ carrierTypes: [type] });
  const { opened } = type;
  const getRegistry = () => heliograph.deps.carriers;
  const change = (name: string, overrides: Partial<Parameters<typeof changeCarrier>[2]>) =>
    changeCarrier(heliograph.deps.prisma, name, { set: {}, unset: [], ...overrides }, [type]);

  it('carriers are opened and started within seconds of being set up, without a restart', async () => {
    expect(() => getRegistry().get('late')).toThrow(
      'The carrier late cannot be used: no carrier of this name is set up.',
    );
    await addScriptedCarrier(heliograph.deps, 'late');
    await waitFor('the carrier to be opened', async () => opened.get('late')?.sinks);
    expect(getRegistry().get('late')).toBe(opened.get('late'));
  });

  it('carriers get default settings', async () => {
    await addScriptedCarrier(heliograph.deps, 'defaults');
    await getRegistry().reload();
    expect(opened.get('defaults')?.settings).toEqual({ host: 'test', port: 2775, tls: false });
  });

  it('carriers are replaced only when their settings change', async () => {
    await addScriptedCarrier(heliograph.deps, 'changing');
    await getRegistry().reload();
    const firstInstance = opened.get('changing');
    await getRegistry().reload();
    expect(getRegistry().get('changing')).toBe(firstInstance);
    await change('changing', { set: { host: 'elsewhere' } });
    await getRegistry().reload();
    const secondInstance = opened.get('changing');
    expect(secondInstance).not.toBe(firstInstance);
    expect(firstInstance?.closed).toBe(true);
    expect(getRegistry().get('changing')).toBe(secondInstance);
    expect(secondInstance).toMatchObject({ closed: false, settings: { host: 'elsewhere' }, sinks: expect.anything() });
  });

  it('carriers still receive but do not send while disabled, and are closed when removed', async () => {
    await addScriptedCarrier(heliograph.deps, 'switched');
    await getRegistry().reload();
    const enabledCarrier = opened.get('switched');
    await change('switched', { isActive: false });
    await getRegistry().reload();
    // Messages that wait inside a disabled carrier must not be sent, so the registry closes and reopens the carrier.
    expect(enabledCarrier?.closed).toBe(true);
    const disabledCarrier = opened.get('switched');
    expect(disabledCarrier).toMatchObject({ closed: false, receivesOnly: true, sinks: expect.anything() });
    expect(() => getRegistry().get('switched')).toThrow('it is disabled');
    expect(getRegistry().find('switched')).toBeNull();
    expect(getRegistry().findReceiving('switched')).toBe(disabledCarrier);
    expect(
      getRegistry()
        .listEnabled()
        .map(({ name }) => name),
    ).not.toContain('switched');
    await getRegistry().reload();
    expect(getRegistry().findReceiving('switched')).toBe(disabledCarrier);
    await change('switched', { isActive: true });
    await getRegistry().reload();
    expect(disabledCarrier?.closed).toBe(true);
    expect(getRegistry().get('switched')).toMatchObject({ closed: false, receivesOnly: false });
    await heliograph.deps.prisma.carrier.delete({ where: { name: 'switched' } });
    await getRegistry().reload();
    expect(opened.get('switched')?.closed).toBe(true);
    expect(getRegistry().find('switched')).toBeNull();
    expect(getRegistry().has('switched')).toBe(false);
  });

  it('carriers are polled for missing receipts even while disabled', async () => {
    const account = await createTestAccount(heliograph.deps);
    const { prisma, pool } = heliograph.deps;
    await addScriptedCarrier(heliograph.deps, 'polled');
    await prisma.route.create({ data: { id: crypto.randomUUID(), accountId: account.id, carriers: ['polled'] } });
    await Promise.all([getRegistry().reload(), heliograph.deps.routing.reload()]);
    const [id] = await accept(heliograph.deps, account);
    await waitForAllMessages(heliograph.deps, account.id, 'sent');
    await change('polled', { isActive: false });
    await getRegistry().reload();
    const polledIds: string[] = [];
    const polledCarrier = opened.get('polled') as Carrier;
    polledCarrier.requestReceipts = (messages) =>
      void polledIds.push(...messages.map(({ carrierMessageId }) => carrierMessageId));
    await pool.query("UPDATE messages SET next_look = now() - interval '1 second' WHERE id = $1", [id]);
    await waitFor('the carrier to be polled', () => polledIds.includes(`polled-${id}`));
  });

  it('carriers still receive while they are being replaced', async () => {
    await addScriptedCarrier(heliograph.deps, 'replaced');
    await getRegistry().reload();
    const firstInstance = opened.get('replaced') as ScriptedCarrier;
    let finishSubmit: () => void = () => undefined;
    firstInstance.close = () =>
      new Promise((resolve) => {
        finishSubmit = resolve;
      });
    await change('replaced', { set: { host: 'elsewhere' } });
    const reload = getRegistry().reload();
    await waitFor('the carrier to stop sending', () => getRegistry().find('replaced') === null);
    expect(getRegistry().findReceiving('replaced')).toBe(firstInstance);
    expect(() => getRegistry().get('replaced')).toThrow('it is being closed');
    finishSubmit();
    await reload;
    expect(getRegistry().get('replaced')).toMatchObject({ settings: { host: 'elsewhere' } });
  });

  it('carriers with invalid settings do not affect others, and open once the settings are fixed', async () => {
    const { prisma } = heliograph.deps;
    await addScriptedCarrier(heliograph.deps, 'sound');
    await addScriptedCarrier(heliograph.deps, 'broken');
    await prisma.carrier.update({ where: { name: 'broken' }, data: { settings: { host: '' } } });
    await prisma.carrier.create({ data: { id: crypto.randomUUID(), name: 'unknown', type: 'pigeon', settings: {} } });
    await getRegistry().reload();
    expect(getRegistry().find('sound')).not.toBeNull();
    expect(() => getRegistry().get('broken')).toThrow(/host must NOT have fewer than 1 characters/);
    expect(() => getRegistry().get('unknown')).toThrow('this version does not support its type pigeon');
    await change('broken', { set: { host: 'right' } });
    await getRegistry().reload();
    expect(getRegistry().get('broken')).toMatchObject({ settings: { host: 'right' } });
  });

  it('carriers are replaced when a file with a secret changes, and keep running while the file is missing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'heliograph-secret-'));
    const file = join(folder, 'password');
    writeFileSync(file, 'first\n');
    await addScriptedCarrier(heliograph.deps, 'rotated');
    await change('rotated', { set: { password: `file:${file}` } });
    await getRegistry().reload();
    const firstInstance = opened.get('rotated');
    expect(firstInstance?.settings.password).toBe('first');
    await getRegistry().reload();
    rmSync(file);
    await getRegistry().reload();
    expect(getRegistry().get('rotated')).toBe(firstInstance);
    writeFileSync(file, 'second\n');
    await getRegistry().reload();
    expect(firstInstance?.closed).toBe(true);
    expect(getRegistry().get('rotated')).toMatchObject({ closed: false, settings: { password: 'second' } });
    rmSync(folder, { recursive: true });
  });

  it('carriers send waiting messages once they are enabled', async () => {
    const account = await createTestAccount(heliograph.deps);
    const { prisma } = heliograph.deps;
    await addScriptedCarrier(heliograph.deps, 'awaited');
    await prisma.route.create({ data: { id: crypto.randomUUID(), accountId: account.id, carriers: ['awaited'] } });
    await prisma.carrier.update({ where: { name: 'awaited' }, data: { isActive: false } });
    await Promise.all([getRegistry().reload(), heliograph.deps.routing.reload()]);
    const [id] = await accept(heliograph.deps, account);
    await waitFor('an attempt to send', async () => {
      const { errorCode } = await prisma.message.findUniqueOrThrow({ where: { id } });
      return errorCode === 'UNKNOWN_CARRIER';
    });
    await prisma.carrier.update({ where: { name: 'awaited' }, data: { isActive: true } });
    await waitForAllMessages(heliograph.deps, account.id, 'sent');
    expect(opened.get('awaited')?.submitted.map((message) => message.id)).toEqual([id]);
  });
});
