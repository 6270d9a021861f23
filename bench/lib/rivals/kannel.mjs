import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { hasProgram, Program, retryUntilSuccess } from '../../../chaos/world/programs.mjs';
import { freePort } from '../../../dist/platform/machine/free-port.js';
import { MESSAGE } from '../load/load.mjs';
import { readProcessorSeconds } from '../processor.mjs';

/** The password for everything: all servers listen on loopback and end with the run. */
const SECRET = 'bench';
/** Debian installs Kannel outside the PATH of ordinary users. */
const env = { ...process.env, PATH: [process.env.PATH, '/usr/sbin'].join(delimiter) };
const DRAIN_MS = 60_000;

export function hasKannel() {
  return ['bearerbox', 'smsbox'].every((name) => hasProgram(name, { env }));
}

/** Creates the configuration for one smsbox and one SMSC, as in Kannel's user guide. */
function createConfiguration({ folder, ports, smscPort, window }) {
  const groups = [
    {
      group: 'core',
      'admin-port': ports.admin,
      'admin-interface': '127.0.0.1',
      'admin-password': SECRET,
      'smsbox-port': ports.smsbox,
      'smsbox-interface': '127.0.0.1',
      'store-type': 'spool',
      'store-location': join(folder, 'spool'),
    },
    {
      group: 'smsc',
      smsc: 'smpp',
      'smsc-id': 'smsc',
      host: '127.0.0.1',
      port: smscPort,
      'smsc-username': SECRET,
      'smsc-password': SECRET,
      'system-type': '""',
      'transceiver-mode': 'true',
      'max-pending-submits': window,
    },
    {
      group: 'smsbox',
      'smsbox-id': 'smsbox',
      'bearerbox-host': '127.0.0.1',
      'sendsms-port': ports.sendsms,
      'sendsms-interface': '127.0.0.1',
    },
    { group: 'sendsms-user', username: SECRET, password: SECRET },
  ];
  const lines = groups.flatMap((group) => [...Object.entries(group).map((entry) => entry.join(' = ')), '']);
  return lines.join('\n');
}

/**
 * Starts Kannel: a bearerbox that stores its messages in a spool folder, and an smsbox. Resolves when both respond and
 * the SMSC is bound.
 * @param {{ folder: string, smscPort: number, window: number, receipts: boolean }} options `folder` must not exist yet;
 *   `receipts`: whether to request delivery receipts
 */
export async function startKannel({ folder, smscPort, window, receipts }) {
  mkdirSync(join(folder, 'spool'), { recursive: true });
  const ports = { admin: await freePort(), smsbox: await freePort(), sendsms: await freePort() };
  const settings = join(folder, 'kannel.conf');
  writeFileSync(settings, createConfiguration({ folder, ports, smscPort, window }));
  const output = join(folder, 'output.log');
  const [bearerbox, smsbox] = ['bearerbox', 'smsbox'].map(
    (name) => new Program(name, ['-v', '3', settings], output, { env, cwd: folder }),
  );
  const readStatus = async () => {
    const response = await fetch(`http://127.0.0.1:${ports.admin}/status.txt?password=${SECRET}`);
    return await response.text();
  };
  const waitUntil = (failure, check) =>
    retryUntilSuccess(async () => {
      if (await check()) return;
      throw new Error(`Kannel: after a minute, ${failure}. Its output: ${readFileSync(output, 'utf8').slice(-2_000)}`);
    });
  const stop = async () => {
    for (const program of [smsbox, bearerbox]) {
      const killTimer = setTimeout(() => program.signal('SIGKILL'), 10_000);
      await program.end('SIGTERM');
      clearTimeout(killTimer);
    }
  };
  const query = new URLSearchParams({
    username: SECRET,
    password: SECRET,
    from: MESSAGE.from,
    to: MESSAGE.to,
    text: MESSAGE.message,
    // The sum of 1 (delivered) and 2 (not delivered).
    ...(receipts && { 'dlr-mask': '3' }),
  });
  try {
    bearerbox.start();
    await waitUntil('the SMSC is not bound', async () => /SMPP:\S+ \(online/.test(await readStatus()));
    smsbox.start();
    await waitUntil('the smsbox is not connected', async () => /smsbox:\S+ .*on-line/.test(await readStatus()));
    // Any response will do, even a rejection because no user is named.
    await waitUntil(
      'sendsms does not respond',
      async () => (await fetch(`http://127.0.0.1:${ports.sendsms}/`)).status > 0,
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    sendUrl: `http://127.0.0.1:${ports.sendsms}/cgi-bin/sendsms?${query}`,
    /** Processor seconds of each process, or null if the system does not provide them. */
    readProcessorSeconds: () => ({
      bearerbox: readProcessorSeconds(bearerbox.pid),
      smsbox: readProcessorSeconds(smsbox.pid),
    }),
    /** Waits until its queues and its spool are empty, at most a minute. @returns whether they are */
    async drain() {
      for (const deadline = performance.now() + DRAIN_MS; performance.now() < deadline; await pause(50)) {
        const [, queued, stored] =
          /SMS: .*sent \d+ \((\d+) queued\), store size (-?\d+)/.exec(await readStatus()) ?? [];
        if (Number(queued) === 0 && Number(stored) === 0) return true;
      }
      return false;
    },
    stop,
  };
}
