import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { hasProgram, Program, retryUntilSuccess } from '../../../chaos/world/programs.mjs';
import { freePort } from '../../../dist/platform/machine/free-port.js';
import { MESSAGE } from '../load/load.mjs';
import { readProcessorSeconds } from '../processor.mjs';

/** A fixed password is safe, because all servers listen only on loopback and stop after the run. */
const SECRET = 'bench';
/** The PATH includes /usr/sbin, because Debian installs Kannel outside the PATH of ordinary users. */
const env = { ...process.env, PATH: [process.env.PATH, '/usr/sbin'].join(delimiter) };
const DRAIN_MS = 60_000;

export function hasKannel() {
  return ['bearerbox', 'smsbox'].every((name) => hasProgram(name, { env }));
}

/** Creates a configuration with one smsbox and one SMSC, following Kannel's user guide. */
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
 * Starts Kannel: a bearerbox that stores its messages in a spool folder, and an smsbox. Resolves when both programs respond and
 * the bearerbox is bound to the SMSC.
 * @param {{ folder: string, smscPort: number, window: number, receipts: boolean }} options
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
    // The mask 3 requests reports of delivery (1) and of failure (2).
    ...(receipts && { 'dlr-mask': '3' }),
  });
  try {
    bearerbox.start();
    await waitUntil('the SMSC is not bound', async () => /SMPP:\S+ \(online/.test(await readStatus()));
    smsbox.start();
    await waitUntil('the smsbox is not connected', async () => /smsbox:\S+ .*on-line/.test(await readStatus()));
    // Any response shows that the smsbox is running, even a rejection of the request, which has no user name.
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
    readProcessorSeconds: () => ({
      bearerbox: readProcessorSeconds(bearerbox.pid),
      smsbox: readProcessorSeconds(smsbox.pid),
    }),
    /** Waits up to a minute for Kannel's queues and spool to become empty, and returns whether they did. */
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
