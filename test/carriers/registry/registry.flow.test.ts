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
  const carriers = () => heliograph.deps.carriers;
  const change = (name: string, more: Partial<Parameters<typeof changeCarrier>[2]>) =>
    changeCarrier(heliograph.deps.prisma, name, { set: {}, unset: [], ...more }, [type]);

  it('are opened and started within seconds of being set up, without a restart', async () => {
    expect(() => carriers().get('late')).toThrow('The carrier late cannot be used: no carrier of this name is set up.');
    await addScriptedCarrier(heliograph.deps, 'late');
    await waitFor('the carrier to be opened', async () => opened.get('late')?.sinks);
    expect(carriers().get('late')).toBe(opened.get('late'));
  });

  it('get default settings', async () => {
    await addScriptedCarrier(heliograph.deps, 'defaults');
    await carriers().reload();
    expect(opened.get('defaults')?.settings).toEqual({ host: 'test', port: 2775, tls: false });
  });

  it('are replaced only when their settings change', async () => {
    await addScriptedCarrier(heliograph.deps, 'changing');
    await carriers().reload();
    const first = opened.get('changing');
    await carriers().reload();
    expect(carriers().get('changing')).toBe(first);
    await change('changing', { set: { host: 'elsewhere' } });
    await carriers().reload();
    const second = opened.get('changing');
    expect(second).not.toBe(first);
    expect(first?.closed).toBe(true);
    expect(carriers().get('changing')).toBe(second);
    expect(second).toMatchObject({ closed: false, settings: { host: 'elsewhere' }, sinks: expect.anything() });
  });

  it('still receive but do not send while disabled, and are closed when removed', async () => {
    await addScriptedCarrier(heliograph.deps, 'switched');
    await carriers().reload();
    const enabled = opened.get('switched');
    await change('switched', { isActive: false });
    await carriers().reload();
    // Messages waiting inside the carrier must not leave any more, so the carrier is reopened.
    expect(enabled?.closed).toBe(true);
    const disabled = opened.get('switched');
    expect(disabled).toMatchObject({ closed: false, receivesOnly: true, sinks: expect.anything() });
    expect(() => carriers().get('switched')).toThrow('it is disabled');
    expect(carriers().find('switched')).toBeNull();
    expect(carriers().findReceiving('switched')).toBe(disabled);
    expect(
      carriers()
        .listEnabled()
        .map(({ name }) => name),
    ).not.toContain('switched');
    await carriers().reload();
    expect(carriers().findReceiving('switched')).toBe(disabled);
    await change('switched', { isActive: true });
    await carriers().reload();
    expect(disabled?.closed).toBe(true);
    expect(carriers().get('switched')).toMatchObject({ closed: false, receivesOnly: false });
    await heliograph.deps.prisma.carrier.delete({ where: { name: 'switched' } });
    await carriers().reload();
    expect(opened.get('switched')?.closed).toBe(true);
    expect(carriers().find('switched')).toBeNull();
    expect(carriers().has('switched')).toBe(false);
  });

  it('are polled for missing receipts even while disabled', async () => {
    const account = await createTestAccount(heliograph.deps);
    const { prisma, pool } = heliograph.deps;
    await addScriptedCarrier(heliograph.deps, 'polled');
    await prisma.route.create({ data: { id: crypto.randomUUID(), accountId: account.id, carriers: ['polled'] } });
    await Promise.all([carriers().reload(), heliograph.deps.routing.reload()]);
    const [id] = await accept(heliograph.deps, account);
    await waitForAllMessages(heliograph.deps, account.id, 'sent');
    await change('polled', { isActive: false });
    await carriers().reload();
    const polledIds: string[] = [];
    const polled = opened.get('polled') as Carrier;
    polled.requestReceipts = (messages) =>
      void polledIds.push(...messages.map(({ carrierMessageId }) => carrierMessageId));
    await pool.query("UPDATE messages SET next_look = now() - interval '1 second' WHERE id = $1", [id]);
    await waitFor('the carrier to be polled', () => polledIds.includes(`polled-${id}`));
  });

  it('still receive while they are being replaced', async () => {
    await addScriptedCarrier(heliograph.deps, 'replaced');
    await carriers().reload();
    const first = opened.get('replaced') as ScriptedCarrier;
    let finish: () => void = () => undefined;
    first.close = () =>
      new Promise((resolve) => {
        finish = resolve;
      });
    await change('replaced', { set: { host: 'elsewhere' } });
    const reloading = carriers().reload();
    await waitFor('the carrier to stop sending', () => carriers().find('replaced') === null);
    expect(carriers().findReceiving('replaced')).toBe(first);
    expect(() => carriers().get('replaced')).toThrow('it is being closed');
    finish();
    await reloading;
    expect(carriers().get('replaced')).toMatchObject({ settings: { host: 'elsewhere' } });
  });

  it('with invalid settings do not affect others, and open once the settings are fixed', async () => {
    const { prisma } = heliograph.deps;
    await addScriptedCarrier(heliograph.deps, 'sound');
    await addScriptedCarrier(heliograph.deps, 'broken');
    await prisma.carrier.update({ where: { name: 'broken' }, data: { settings: { host: '' } } });
    await prisma.carrier.create({ data: { id: crypto.randomUUID(), name: 'unknown', type: 'pigeon', settings: {} } });
    await carriers().reload();
    expect(carriers().find('sound')).not.toBeNull();
    expect(() => carriers().get('broken')).toThrow(/host must NOT have fewer than 1 characters/);
    expect(() => carriers().get('unknown')).toThrow('this version does not support its type pigeon');
    await change('broken', { set: { host: 'right' } });
    await carriers().reload();
    expect(carriers().get('broken')).toMatchObject({ settings: { host: 'right' } });
  });

  it('are replaced when a file with a secret changes, and keep running while the file is missing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'heliograph-secret-'));
    const file = join(folder, 'password');
    writeFileSync(file, 'first\n');
    await addScriptedCarrier(heliograph.deps, 'rotated');
    await change('rotated', { set: { password: `file:${file}` } });
    await carriers().reload();
    const first = opened.get('rotated');
    expect(first?.settings.password).toBe('first');
    await carriers().reload();
    rmSync(file);
    await carriers().reload();
    expect(carriers().get('rotated')).toBe(first);
    writeFileSync(file, 'second\n');
    await carriers().reload();
    expect(first?.closed).toBe(true);
    expect(carriers().get('rotated')).toMatchObject({ closed: false, settings: { password: 'second' } });
    rmSync(folder, { recursive: true });
  });

  it('send waiting messages once they are enabled', async () => {
    const account = await createTestAccount(heliograph.deps);
    const { prisma } = heliograph.deps;
    await addScriptedCarrier(heliograph.deps, 'awaited');
    await prisma.route.create({ data: { id: crypto.randomUUID(), accountId: account.id, carriers: ['awaited'] } });
    await prisma.carrier.update({ where: { name: 'awaited' }, data: { isActive: false } });
    await Promise.all([carriers().reload(), heliograph.deps.routing.reload()]);
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
