import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/platform/ids.js';
import { createScriptedType } from '../support/carriers/scripted-carrier.js';
import { commandsOnTestStore } from './run.js';

const commands = commandsOnTestStore({ env: { SMSC_PASSWORD: 'p4ss' }, carrierTypes: [createScriptedType()] });
const { cli, json } = commands;
let accountId: string;
const folder = mkdtempSync(join(tmpdir(), 'heliograph-carriers-'));
const add = (name: string, ...options: string[]) => cli('carrier', 'add', name, '--type', 'scripted', ...options);

beforeAll(async () => {
  accountId = await commands.createAccount('Owner');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('heliograph carrier', () => {
  it('status shows the state of a carrier in each process, waiting messages, and silent processes', async () => {
    await add('status-1', '--set', 'host=a');
    const { prisma } = commands.store;
    expect((await cli('carrier', 'status', 'status-1')).stdout).toMatch(/status-1 +0 +- +no process reports it\n/);
    const since = new Date('2026-01-15T12:00:00Z');
    const connection = {
      name: 'transceiver 1',
      isUp: false,
      sends: true,
      since,
      lastError: 'gone',
      lastErrorAt: since,
    };
    const report = {
      carrier: 'status-1',
      host: 'box',
      state: 'down',
      since,
      reason: 'gone',
      ratePerSecond: 2.5,
      inHand: 7,
    };
    const connections = { connections: [JSON.parse(JSON.stringify(connection))] };
    // The report is dated in the future, because the commands of this test may take longer than a report's validity of half a
    // minute.
    const freshFields = { refreshedAt: new Date(Date.now() + 60_000) };
    await prisma.carrierReport.create({
      data: { ...report, ...connections, ...freshFields, processId: newId(), pid: 1 },
    });
    const staleFields = {
      refreshedAt: new Date(Date.now() - 60_000),
      lastError: 'SMSC_DOWN: no bind',
      lastErrorAt: new Date(0),
    };
    await prisma.carrierReport.create({
      data: { ...report, connections: [], ...staleFields, processId: newId(), pid: 2 },
    });
    const { stdout } = await cli('carrier', 'status');
    expect(stdout).toMatch(/^CARRIER +WAITING +PROCESS +STATE +SINCE +RATE\/S +IN HAND +CONNECTIONS +LAST ERROR\n/);
    expect(stdout).toMatch(
      /status-1 +0 +box:1 +down +2026-01-15T12:00:00.000Z +2.5 +7 +transceiver 1 down since 2026-01-15T12:00:00.000Z +gone \(2026-01-15T12:00:00.000Z\)\n/,
    );
    expect(stdout).toMatch(/box:2 +silent since \S+ \(was down\) .* SMSC_DOWN: no bind \(1970/);
    expect(await json('carrier', 'status', 'status-1')).toMatchObject([
      {
        name: 'status-1',
        waiting: 0,
        processes: [
          { pid: 1, isFresh: true },
          { pid: 2, isFresh: false },
        ],
      },
    ]);
    expect(await cli('carrier', 'status', 'nobody')).toMatchObject({ code: 1, stderr: 'there is no carrier nobody\n' });
    await cli('carrier', 'remove', 'status-1');
  });

  it('status includes the built-in simulator', async () => {
    expect(await json('carrier', 'status', 'simulator')).toEqual([
      { name: 'simulator', type: 'simulator', isActive: true, waiting: 0, processes: [], unsupported: [] },
    ]);
    expect((await cli('carrier', 'status', 'simulator')).stdout).toMatch(/simulator +0 +- +built in/);
  });

  it('add creates a carrier from arguments and a file, and list shows it without secrets', async () => {
    const file = join(folder, 'settings.json');
    writeFileSync(file, JSON.stringify({ host: 'from-file', port: 1 }));
    const result = await add(
      'smsc-1',
      '--file',
      file,
      '--set',
      'port=2776',
      '--set',
      'tls=true',
      '--set',
      'password=p4ss',
    );
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toBe('Created carrier smsc-1 (scripted). Test it: carrier check smsc-1\n');
    const [listed] = await json<object[]>('carrier', 'list');
    expect(listed).toEqual({
      name: 'smsc-1',
      type: 'scripted',
      isActive: true,
      settings: { host: 'from-file', port: 2776, tls: true, password: '***' },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const { stdout } = await cli('carrier', 'list');
    expect(stdout).toMatch(/^NAME +TYPE +STATE +SETTINGS\n/);
    expect(stdout).not.toContain('p4ss');
  });

  it.each<[string[], RegExp | string]>([
    [['UPPER', '--set', 'host=a'], 'name must be 1 to 40 lower-case letters, digits and hyphens\n'],
    [['simulator', '--set', 'host=a'], 'a carrier named simulator already exists\n'],
    [['smsc-1', '--set', 'host=a'], 'a carrier named smsc-1 already exists\n'],
    [['smsc-2'], 'host must be set\n'],
    [['smsc-2', '--set', 'host=a', '--set', 'port=70000'], 'port must be <= 65535 (it is 70000)\n'],
    [['smsc-2', '--set', 'host=a', '--set', 'tls=true'], 'port 2775 is not for TLS\n'],
    [['smsc-2', '--set', 'host=a', '--set', 'port'], 'port must be written name=value\n'],
    [['smsc-2', '--type', 'pigeon'], 'type must be one of scripted\n'],
  ])('add %j is refused', async (args, message) => {
    expect(await add(...(args as [string]))).toMatchObject({ code: 1, stdout: '', stderr: message });
  });

  it('set changes and unsets settings, and switches a carrier off and on', async () => {
    await add('changed', '--set', 'host=a', '--set', 'port=1234');
    await json('carrier', 'set', 'changed', '--set', 'host=b', '--unset', 'port', '--off');
    const findCarrier = async () =>
      (await json<{ name: string }[]>('carrier', 'list')).find(({ name }) => name === 'changed');
    expect(await findCarrier()).toMatchObject({ isActive: false, settings: { host: 'b' } });
    expect((await findCarrier()) as object).not.toHaveProperty('settings.port');
    await json('carrier', 'set', 'changed', '--on');
    expect(await findCarrier()).toMatchObject({ isActive: true, settings: { host: 'b' } });
    expect(await cli('carrier', 'set', 'changed', '--unset', 'host')).toMatchObject({
      code: 1,
      stderr: 'host must be set\n',
    });
    expect(await cli('carrier', 'set', 'nobody', '--on')).toMatchObject({
      code: 1,
      stderr: 'there is no carrier nobody\n',
    });
  });

  it('remove deletes a carrier, but not while a route or channel uses it', async () => {
    await add('removed', '--set', 'host=a');
    const { id: route } = await json<{ id: string }>('route', 'add', 'removed');
    expect(await cli('carrier', 'remove', 'removed')).toMatchObject({
      code: 1,
      stderr: `the route ${route} uses the carrier removed\n`,
    });
    await json('route', 'remove', route);
    const channel = [
      'channel',
      'create',
      '--account',
      accountId,
      '--name',
      'N',
      '--phone',
      '15005550150',
      '--kind',
      'sms',
    ];
    const { id } = await json<{ id: string }>(...channel, '--carrier', 'removed');
    expect(await cli('carrier', 'remove', 'removed')).toMatchObject({
      code: 1,
      stderr: `the channel ${id} uses the carrier removed\n`,
    });
    await json('channel', 'set', id, '--carrier', 'simulator');
    expect(await cli('carrier', 'remove', 'removed')).toMatchObject({ code: 0 });
    expect(await cli('carrier', 'remove', 'removed')).toMatchObject({
      code: 1,
      stderr: 'there is no carrier removed\n',
    });
  });

  it('types shows every setting of every type', async () => {
    const { stdout } = await cli('carrier', 'types');
    expect(stdout).toMatch(/^scripted +host +required +Host name\.$/m);
    expect(stdout).toMatch(/^scripted +port +2775 +Port\.$/m);
    expect(stdout).toMatch(/^scripted +password +Password\. Secret: may be env:NAME or file:\/path\.$/m);
  });
});

describe('heliograph carrier check', () => {
  it('lists its steps and says that the carrier works', async () => {
    await add('good', '--set', 'host=somewhere', '--set', 'password=env:SMSC_PASSWORD');
    expect(await cli('carrier', 'check', 'good')).toEqual({
      code: 0,
      stderr: '',
      stdout: 'ok      the settings\nok      connect to somewhere\nThe carrier good works.\n',
    });
  });

  it('names the wrong setting and exits with 1', async () => {
    await add('bad', '--set', 'host=nowhere');
    const result = await cli('carrier', 'check', 'bad');
    expect(result).toMatchObject({ code: 1, stderr: 'The carrier bad does not work.\n' });
    expect(result.stdout).toBe(
      'ok      the settings\nFAILED  connect to nowhere: the host does not exist (see the setting host)\n',
    );
    const jsonResult = await cli('--json', 'carrier', 'check', 'bad');
    expect(JSON.parse(jsonResult.stdout)).toMatchObject({
      name: 'bad',
      ok: false,
      steps: [{ problem: null }, { what: 'connect to nowhere', problem: 'the host does not exist', setting: 'host' }],
    });
  });

  it('works on a carrier that is switched off', async () => {
    const result = await add('not-yet', '--set', 'host=a', '--off');
    expect(result.stdout).toBe('Created carrier not-yet (scripted), switched off. Test it: carrier check not-yet\n');
    expect((await cli('carrier', 'list')).stdout).toMatch(/^not-yet +scripted +off /m);
    expect(await cli('carrier', 'check', 'not-yet')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^ok {6}the carrier is disabled and gets no messages\n.*works\.\n$/s),
    });
    expect(await json('carrier', 'set', 'not-yet', '--on')).toMatchObject({ isActive: true });
  });

  it('names a missing secret', async () => {
    await add('secretive', '--set', 'host=a', '--set', 'password=env:NOT_SET');
    const { stdout } = await cli('carrier', 'check', 'secretive');
    expect(stdout).toContain(
      'password refers to the environment variable NOT_SET, which is not set (see the setting password)',
    );
  });

  it('also checks the channels of the carrier', async () => {
    await add('with-channel', '--set', 'host=a');
    const args = ['channel', 'create', '--account', accountId, '--name', 'N', '--carrier', 'with-channel'];
    const { id } = await json<{ id: string }>(...args, '--phone', '15005550160', '--set', 'phoneNumberId=1');
    expect((await cli('carrier', 'check', 'with-channel')).stdout).toContain(
      'ok      the settings of the channel 15005550160\n',
    );
    await commands.store.prisma.channel.update({ where: { id }, data: { carrierSettings: {} } });
    expect((await cli('carrier', 'check', 'with-channel')).stdout).toContain(
      'FAILED  the settings of the channel 15005550160: phoneNumberId must be set (see the setting phoneNumberId)\n',
    );
  });
});

describe('heliograph channel', () => {
  const createArgs = (...options: string[]) =>
    ['channel', 'create', '--account', accountId, '--name', 'N', ...options] as const;

  it('accepts the settings that its carrier needs', async () => {
    await add('meta', '--set', 'host=a');
    expect(await cli(...createArgs('--phone', '15005550170', '--carrier', 'meta'))).toMatchObject({
      code: 1,
      stderr: 'phoneNumberId must be set\n',
    });
    const created = await json<{ id: string }>(
      ...createArgs('--phone', '15005550170', '--carrier', 'meta', '--set', 'phoneNumberId=123'),
    );
    const findChannel = async () =>
      (await json<{ id: string }[]>('channel', 'list')).find(({ id }) => id === created.id);
    expect(await findChannel()).toMatchObject({ carrier: 'meta', carrierSettings: { phoneNumberId: '123' } });
    await json('channel', 'set', created.id, '--set', 'phoneNumberId=456', '--off');
    expect(await findChannel()).toMatchObject({ isActive: false, carrierSettings: { phoneNumberId: '456' } });
    await json('channel', 'set', created.id, '--carrier', 'simulator', '--on');
    expect(await findChannel()).toMatchObject({ isActive: true, carrier: 'simulator', carrierSettings: null });
    expect(await cli('channel', 'set', created.id, '--carrier', 'meta')).toMatchObject({
      code: 1,
      stderr: 'phoneNumberId must be set\n',
    });
  });

  it('rejects a carrier identity that another channel has; carrier check reports existing duplicates', async () => {
    await add('one-number', '--set', 'host=a');
    await add('another', '--set', 'host=a');
    const otherAccount = await commands.createAccount('Other');
    const channelArgs = (phone: string, carrier: string, number: string, owner = accountId) => {
      const args = ['--account', owner, '--name', 'N', '--phone', phone, '--carrier', carrier] as const;
      return [...args, '--set', `phoneNumberId=${number}`] as const;
    };
    const first = await json<{ id: string }>('channel', 'create', ...channelArgs('15005550180', 'one-number', '77'));
    await json('channel', 'set', first.id, '--off');
    const refused = {
      code: 1,
      stdout: '',
      stderr:
        `the channel ${first.id} (15005550180) already has the phoneNumberId 77 at the carrier one-number; ` +
        'first change its carrier or its value\n',
    };
    expect(await cli('channel', 'create', ...channelArgs('15005550181', 'one-number', '77', otherAccount))).toEqual(
      refused,
    );
    const second = await json<{ id: string }>(
      'channel',
      'create',
      ...channelArgs('15005550181', 'another', '77', otherAccount),
    );
    const moveArgs = ['channel', 'set', second.id, '--carrier', 'one-number', '--set'] as const;
    expect(await cli(...moveArgs, 'phoneNumberId=77')).toEqual(refused);
    await json(...moveArgs, 'phoneNumberId=78');
    expect(await cli('channel', 'set', second.id, '--set', 'phoneNumberId=77')).toEqual(refused);
    await json('channel', 'set', first.id, '--set', 'phoneNumberId=77', '--on');
    expect(await cli('carrier', 'check', 'one-number')).toMatchObject({ code: 0 });

    await json('channel', 'set', first.id, '--off');
    await commands.store.prisma.channel.update({
      where: { id: second.id },
      data: { carrierSettings: { phoneNumberId: '77' } },
    });
    const { code, stdout } = await cli('carrier', 'check', 'one-number');
    expect(code).toBe(1);
    expect(stdout).toContain(
      `FAILED  distinguish the channels ${first.id} (15005550180) and ${second.id} (15005550181): ` +
        'both have the phoneNumberId 77: inbound messages reach only one of them (see the setting phoneNumberId)\n',
    );
    await json('channel', 'set', second.id, '--off');
  });

  it('create with --kind sms accepts no settings', async () => {
    const args = createArgs('--phone', '15005550171', '--kind', 'sms', '--set', 'phoneNumberId=123');
    expect(await cli(...args)).toMatchObject({
      code: 1,
      stderr: 'phoneNumberId is not a channel setting of this carrier\n',
    });
  });
});

describe('heliograph route', () => {
  it('add creates a route, list shows it, and remove deletes it', async () => {
    await add('routed', '--set', 'host=a');
    const options = ['--account', accountId, '--calling-code', '4072', '--sender', '+ACME', '--position', '3'];
    const { id } = await json<{ id: string }>('route', 'add', 'routed', 'simulator', ...options);
    expect(await json('route', 'list')).toEqual([
      { id, accountId, callingCode: '4072', sender: 'ACME', carriers: ['routed', 'simulator'], position: 3 },
    ]);
    expect((await cli('route', 'list')).stdout).toMatch(
      new RegExp(`^${id} +${accountId} +4072 +ACME +routed simulator +3$`, 'm'),
    );
    expect(await cli('route', 'remove', id)).toMatchObject({ code: 0, stdout: `Route ${id} was removed.\n` });
    expect(await json('route', 'list')).toEqual([]);
    expect(await cli('route', 'remove', 'x')).toMatchObject({ code: 1, stderr: 'there is no route x\n' });
  });
});
