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
import { smppSettings } from './setup.js';
import { Smsc, type SmscOptions } from './smsc.js';

/** Where nobody listens. */
const NOBODYS_PORT = 1;

let smsc: Smsc | undefined;
let other: Server | undefined;

async function check(settings: SmppSettings): Promise<CheckStep[]> {
  const context = { name: 'smsc', settings, log: pino({ level: 'silent' }), clock: systemClock, calls: UNLOGGED };
  const steps: CheckStep[] = [];
  for await (const step of smppType.check(context, [])) steps.push(step);
  return steps;
}

/** Of an SMSC that leaves something unanswered. */
const IMPATIENT = { responseTimeoutSeconds: 2 };

/** The check of an SMSC; the last step is what it ended with. */
async function checkOf(options: SmscOptions, settings: Partial<SmppSettings> = {}) {
  smsc = await Smsc.start(options);
  return check(smppSettings(smsc.port, settings));
}

/** The check of something that is no SMSC. */
async function checkOfServer(onConnection: (socket: Socket) => void, settings: Partial<SmppSettings> = {}) {
  other = createServer(onConnection).listen(0, '127.0.0.1');
  await once(other, 'listening');
  return check(smppSettings((other.address() as AddressInfo).port, settings));
}

afterEach(async () => {
  await smsc?.kill();
  smsc = undefined;
  other?.close();
  other = undefined;
});

describe('the check of an SMSC', () => {
  it('connects, binds, asks for a sign of life and unbinds', async () => {
    const steps = await checkOf({});
    expect(steps).toEqual([
      { what: `connect to 127.0.0.1:${smsc?.port}`, problem: null },
      { what: 'bind as transceiver heliograph (it speaks version 3.4)', problem: null },
      { what: 'enquire_link', problem: null },
    ]);
    expect(smsc?.commands.get('unbind')).toBe(1);
  });

  it('makes both binds of a transmitter and a receiver', async () => {
    const steps = await checkOf({ scInterfaceVersion: null }, { bindType: 'transmitter-and-receiver' });
    expect(steps.map(({ what }) => what)).toEqual([
      expect.stringContaining('connect'),
      'bind as transmitter heliograph (it names no version)',
      'enquire_link',
      expect.stringContaining('connect'),
      'bind as receiver heliograph (it names no version)',
      'enquire_link',
    ]);
  });

  it('speaks TLS', async () => {
    const steps = await checkOf({ tls: { key: KEY, cert: CERTIFICATE } }, { tls: true, tlsCa: CERTIFICATE });
    expect(steps.every(({ problem }) => problem === null)).toBe(true);
  });

  it.each<[string, SmscOptions, Partial<SmppSettings>, keyof SmppSettings | undefined, RegExp]>([
    ['a wrong password', { password: 'another' }, {}, 'password', /ESME_RINVPASWD: the password is wrong/],
    ['a wrong system_id', { systemId: 'another' }, {}, 'systemId', /ESME_RINVSYSID/],
    ['a system_type', { refuse: { bind_transceiver: 0x53 } }, {}, 'systemType', /ESME_RINVSYSTYP/],
    ['too many binds', { refuse: { bind_transceiver: 0x05 } }, {}, 'binds', /ESME_RALYBND/],
    ['a throttled bind', { refuse: { bind_transceiver: 0x58 } }, {}, undefined, /ESME_RTHROTTLED: .* not refused/],
    ['a system error', { refuse: { bind_transceiver: 0x08 } }, {}, undefined, /ESME_RSYSERR: .* not refused/],
    ['another version', { interfaceVersion: 0x33 }, {}, 'interfaceVersion', /with interfaceVersion 3\.3 it takes it/],
    [
      'no transceivers',
      { refuse: { bind_transceiver: 0x0d } },
      {},
      'bindType',
      /with bindType transmitter-and-receiver it takes it/,
    ],
    [
      'no transmitters',
      { refuse: { bind_transmitter: 0x0d } },
      { bindType: 'transmitter' },
      'bindType',
      /with bindType transceiver it takes it/,
    ],
    [
      'no reason that it tells',
      { refuse: { bind_transceiver: 0x0d, bind_transmitter: 0x0d } },
      {},
      'systemId',
      /ESME_RBINDFAIL; the system_id, the password or the address/,
    ],
    ['no TLVs', { scInterfaceVersion: 0x33 }, { multipart: 'sar' }, 'multipart', /it takes no TLVs, which sar needs/],
    ['silence upon the bind', { mute: ['bind_transceiver'] }, IMPATIENT, 'port', /does not answer the bind/],
    ['silence upon enquire_link', { mute: ['enquire_link'] }, IMPATIENT, undefined, /no response to enquire_link/],
    ['TLS where none was set', { tls: { key: KEY, cert: CERTIFICATE } }, {}, 'tls', /TLS is spoken there/],
    ['no TLS where it was set', {}, { tls: true, connectTimeoutSeconds: 2 }, 'tls', /./],
    ['an authority that is unknown', { tls: { key: KEY, cert: CERTIFICATE } }, { tls: true }, 'tlsCa', /SELF_SIGNED/],
    [
      'another name in the certificate',
      { tls: { key: KEY, cert: CERTIFICATE } },
      { tls: true, tlsCa: CERTIFICATE, tlsServerName: 'other.example' },
      'tlsServerName',
      /bears another name/,
    ],
  ])('names the setting upon %s', async (_, options, settings, setting, problem) => {
    const steps = await checkOf(options, settings);
    const wrong = steps.filter((step) => step.problem !== null);
    expect(wrong).toHaveLength(1);
    expect(wrong[0]?.problem).toMatch(problem);
    expect(wrong[0]?.setting).toBe(setting);
    expect(JSON.stringify(steps)).not.toContain('secret');
  });

  it('names the port when nothing listens there', async () => {
    const [step] = await check(smppSettings(NOBODYS_PORT));
    expect(step).toMatchObject({ setting: 'port', problem: 'nothing listens there (ECONNREFUSED)' });
  });

  it('names the host when nobody knows it', async () => {
    const [step] = await check({ ...smppSettings(2775), host: 'smsc.invalid' });
    expect(step?.setting).toBe('host');
  });

  it('names the setting when something else answers', async () => {
    const steps = await checkOfServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    });
    expect(steps.at(-1)).toMatchObject({ setting: 'port', problem: 'what answers there does not speak SMPP' });
  });

  it('names tls when what it takes for a PDU is waited for instead of being answered', async () => {
    const steps = await checkOfServer((socket) => socket.on('error', () => undefined).resume(), {
      tls: true,
      connectTimeoutSeconds: 2,
    });
    expect(steps.at(-1)).toMatchObject({ setting: 'tls', problem: expect.stringContaining('no TLS is spoken there') });
  });

  it('suspects the address when the connection is closed upon the bind', async () => {
    const steps = await checkOfServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.destroy());
    });
    expect(steps.at(-1)).toMatchObject({
      setting: 'host',
      problem: expect.stringContaining('may not know our address'),
    });
  });
});
