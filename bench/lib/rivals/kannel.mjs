import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { hasProgram, Program, untilAnswered } from '../../../chaos/world/programs.mjs';
import { freePort } from '../../../dist/platform/machine/free-port.js';
import { MESSAGE } from '../load/load.mjs';
import { processorSeconds } from '../processor.mjs';

/** The password of everything: all of it is on loopback, and lives as long as the run. */
const SECRET = 'bench';
/** Debian's place for it, which the PATH of an ordinary user lacks. */
const env = { ...process.env, PATH: [process.env.PATH, '/usr/sbin'].join(delimiter) };
const DRAIN_MS = 60_000;

export function hasKannel() {
  return ['bearerbox', 'smsbox'].every((name) => hasProgram(name, { env }));
}

/** What Kannel reads, as its user guide sets up one smsbox and one SMSC; nothing is logged below an error. */
function configuration({ folder, ports, smscPort, window }) {
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
  const lines = groups.flatMap((group) => [...Object.entries(group).map((each) => each.join(' = ')), '']);
  return lines.join('\n');
}

/**
 * Starts Kannel: a bearerbox that keeps its messages in a spool folder, and a smsbox. Resolves once both answer and the SMSC is
 * bound.
 * @param {{ folder: string, smscPort: number, window: number, receipts: boolean }} options `folder`: which does not exist yet;
 *   `receipts`: whether delivery receipts are asked for
 */
export async function startKannel({ folder, smscPort, window, receipts }) {
  mkdirSync(join(folder, 'spool'), { recursive: true });
  const ports = { admin: await freePort(), smsbox: await freePort(), sendsms: await freePort() };
  const settings = join(folder, 'kannel.conf');
  writeFileSync(settings, configuration({ folder, ports, smscPort, window }));
  const output = join(folder, 'output.log');
  const [bearerbox, smsbox] = ['bearerbox', 'smsbox'].map(
    (name) => new Program(name, ['-v', '3', settings], output, { env, cwd: folder }),
  );
  const status = async () => {
    const answer = await fetch(`http://127.0.0.1:${ports.admin}/status.txt?password=${SECRET}`);
    return await answer.text();
  };
  const until = (what, holds) =>
    untilAnswered(async () => {
      if (await holds()) return;
      throw new Error(`Kannel: ${what} in a minute. It said: ${readFileSync(output, 'utf8').slice(-2_000)}`);
    });
  const stop = async () => {
    for (const program of [smsbox, bearerbox]) {
      const late = setTimeout(() => program.signal('SIGKILL'), 10_000);
      await program.end('SIGTERM');
      clearTimeout(late);
    }
  };
  const query = new URLSearchParams({
    username: SECRET,
    password: SECRET,
    from: MESSAGE.from,
    to: MESSAGE.to,
    text: MESSAGE.message,
    // Delivered, or not delivered.
    ...(receipts && { 'dlr-mask': '3' }),
  });
  try {
    bearerbox.start();
    await until('the SMSC is not bound', async () => /SMPP:\S+ \(online/.test(await status()));
    smsbox.start();
    await until('the smsbox is not there', async () => /smsbox:\S+ .*on-line/.test(await status()));
    // Refused, for it names no user; but answered.
    await until('sendsms does not answer', async () => (await fetch(`http://127.0.0.1:${ports.sendsms}/`)).status > 0);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    sendUrl: `http://127.0.0.1:${ports.sendsms}/cgi-bin/sendsms?${query}`,
    /** Seconds of the processors of each of its processes; null where that is not told. */
    processorSeconds: () => ({
      bearerbox: processorSeconds(bearerbox.pid),
      smsbox: processorSeconds(smsbox.pid),
    }),
    /** Waits until nothing lies in its queues and its spool, at most a minute. @returns whether that came about */
    async drained() {
      for (const deadline = performance.now() + DRAIN_MS; performance.now() < deadline; await pause(50)) {
        const [, queued, stored] = /SMS: .*sent \d+ \((\d+) queued\), store size (-?\d+)/.exec(await status()) ?? [];
        if (Number(queued) === 0 && Number(stored) === 0) return true;
      }
      return false;
    },
    stop,
  };
}
