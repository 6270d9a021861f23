import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import type { CheckStep } from '../../../src/carriers/carrier-type.js';
import { UNLOGGED } from '../../../src/carriers/http/client.js';
import type { SmppSettings } from '../../../src/carriers/smpp/settings.js';
import { smppType } from '../../../src/carriers/smpp/type.js';
import { systemClock } from '../../../src/platform/system-clock.js';
import { CERTIFICATE, KEY } from './certificate.js';
import { createSmppSettings } from './setup.js';
import { Smsc, type SmscOptions } from './smsc.js';

const UNUSED_PORT = 1;

let smsc: Smsc | undefined;
let otherServer: Server | undefined;

async function check(settings: SmppSettings): Promise<CheckStep[]> {
  const context = { name: 'smsc', settings, log: pino({ level: 'silent' }), clock: systemClock, calls: UNLOGGED };
  const steps: CheckStep[] = [];
  for await (const step of smppType.check(context, [])) steps.push(step);
  return steps;
}

const SHORT_TIMEOUT = { responseTimeoutSeconds: 2 };

async function checkSmsc(options: SmscOptions, settings: Partial<SmppSettings> = {}) {
  smsc = await Smsc.start(options);
  return check(createSmppSettings(smsc.port, settings));
}

async function checkServer(onConnection: (socket: Socket) => void, settings: Partial<SmppSettings> = {}) {
  otherServer = createServer(onConnection).listen(0, '127.0.0.1');
  await once(otherServer, 'listening');
  return check(createSmppSettings((otherServer.address() as AddressInfo).port, settings));
}

afterEach(async () => {
  await smsc?.kill();
  smsc = undefined;
  otherServer?.close();
  otherServer = undefined;
});

describe('SMPP carrier check', () => {
  it('the SMPP carrier check connects, binds, sends enquire_link and unbinds', async () => {
    const steps = await checkSmsc({});
    expect(steps).toEqual([
      { what: `connect to 127.0.0.1:${smsc?.port}`, problem: null },
      { what: 'bind as transceiver heliograph (SMSC speaks version 3.4)', problem: null },
      { what: 'enquire_link', problem: null },
    ]);
    expect(smsc?.commands.get('unbind')).toBe(1);
  });

  it('the SMPP carrier check checks both the transmitter and the receiver bind', async () => {
    const steps = await checkSmsc({ scInterfaceVersion: null }, { bindType: 'transmitter-and-receiver' });
    expect(steps.map(({ what }) => what)).toEqual([
      expect.stringContaining('connect'),
      'bind as transmitter heliograph (SMSC names no version)',
      'enquire_link',
      expect.stringContaining('connect'),
      'bind as receiver heliograph (SMSC names no version)',
      'enquire_link',
    ]);
  });

  it('the SMPP carrier check supports TLS', async () => {
    const steps = await checkSmsc({ tls: { key: KEY, cert: CERTIFICATE } }, { tls: true, tlsCa: CERTIFICATE });
    expect(steps.every(({ problem }) => problem === null)).toBe(true);
  });

  it.each<[string, SmscOptions, Partial<SmppSettings>, keyof SmppSettings | undefined, RegExp]>([
    ['a wrong password', { password: 'another' }, {}, 'password', /ESME_RINVPASWD: the password is wrong/],
    ['a wrong system_id', { systemId: 'another' }, {}, 'systemId', /ESME_RINVSYSID/],
    ['a required system_type', { refuse: { bind_transceiver: 0x53 } }, {}, 'systemType', /ESME_RINVSYSTYP/],
    ['too many binds', { refuse: { bind_transceiver: 0x05 } }, {}, 'binds', /ESME_RALYBND/],
    ['a throttled bind', { refuse: { bind_transceiver: 0x58 } }, {}, undefined, /ESME_RTHROTTLED: .* not proven wrong/],
    ['a system error', { refuse: { bind_transceiver: 0x08 } }, {}, undefined, /ESME_RSYSERR: .* not proven wrong/],
    [
      'a different interface version',
      { interfaceVersion: 0x33 },
      {},
      'interfaceVersion',
      /it succeeds with interfaceVersion 3\.3/,
    ],
    [
      'an SMSC without transceivers',
      { refuse: { bind_transceiver: 0x0d } },
      {},
      'bindType',
      /it succeeds with bindType transmitter-and-receiver/,
    ],
    [
      'an SMSC without transmitters',
      { refuse: { bind_transmitter: 0x0d } },
      { bindType: 'transmitter' },
      'bindType',
      /it succeeds with bindType transceiver/,
    ],
    [
      'a refusal without a reason',
      { refuse: { bind_transceiver: 0x0d, bind_transmitter: 0x0d } },
      {},
      'systemId',
      /ESME_RBINDFAIL; check the system_id, the password/,
    ],
    [
      'an SMSC without TLVs',
      { scInterfaceVersion: 0x33 },
      { multipart: 'sar' },
      'multipart',
      /supports no TLVs, which multipart sar needs/,
    ],
    ['an unanswered bind', { mute: ['bind_transceiver'] }, SHORT_TIMEOUT, 'port', /no response to the bind/],
    ['an unanswered enquire_link', { mute: ['enquire_link'] }, SHORT_TIMEOUT, undefined, /no response to enquire_link/],
    ['TLS that is not configured', { tls: { key: KEY, cert: CERTIFICATE } }, {}, 'tls', /the server speaks TLS/],
    ['a server without TLS', {}, { tls: true, connectTimeoutSeconds: 2 }, 'tls', /./],
    [
      'a certificate of an unknown authority',
      { tls: { key: KEY, cert: CERTIFICATE } },
      { tls: true },
      'tlsCa',
      /SELF_SIGNED/,
    ],
    [
      'a certificate for a different name',
      { tls: { key: KEY, cert: CERTIFICATE } },
      { tls: true, tlsCa: CERTIFICATE, tlsServerName: 'other.example' },
      'tlsServerName',
      /for a different name/,
    ],
  ])('the SMPP carrier check reports the setting to change for %s', async (_, options, settings, setting, problem) => {
    const steps = await checkSmsc(options, settings);
    const failedSteps = steps.filter((step) => step.problem !== null);
    expect(failedSteps).toHaveLength(1);
    expect(failedSteps[0]?.problem).toMatch(problem);
    expect(failedSteps[0]?.setting).toBe(setting);
    expect(JSON.stringify(steps)).not.toContain('secret');
  });

  it('the SMPP carrier check reports the port if nothing listens on it', async () => {
    const [step] = await check(createSmppSettings(UNUSED_PORT));
    expect(step).toMatchObject({ setting: 'port', problem: 'nothing is listening on this port (ECONNREFUSED)' });
  });

  it('the SMPP carrier check reports the host if its name cannot be resolved', async () => {
    const [step] = await check({ ...createSmppSettings(2775), host: 'smsc.invalid' });
    expect(step?.setting).toBe('host');
  });

  it('the SMPP carrier check reports the port if another kind of server answers', async () => {
    const steps = await checkServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    });
    expect(steps.at(-1)).toMatchObject({ setting: 'port', problem: 'the server does not speak SMPP on this port' });
  });

  it('the SMPP carrier check reports the TLS setting if a plain server waits for the rest of a PDU', async () => {
    const steps = await checkServer((socket) => socket.on('error', () => undefined).resume(), {
      tls: true,
      connectTimeoutSeconds: 2,
    });
    expect(steps.at(-1)).toMatchObject({
      setting: 'tls',
      problem: expect.stringContaining('the server does not speak TLS'),
    });
  });

  it('the SMPP carrier check suspects an IP allowlist if the connection is closed after the bind', async () => {
    const steps = await checkServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.destroy());
    });
    expect(steps.at(-1)).toMatchObject({
      setting: 'host',
      problem: expect.stringContaining('may not allow our IP address'),
    });
  });
});
