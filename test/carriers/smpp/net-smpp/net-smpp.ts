import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import { NET_SMPP_SUITE } from '../../../support/run/provided.js';
import { waitFor } from '../../../support/wait-for.js';

const SCRIPT = fileURLToPath(new URL('net-smpp-smsc.pl', import.meta.url));

/** Declares tests against an independent SMSC, which are skipped if Perl's Net::SMPP is not installed. */
export function describeNetSmpp(name: string, suite: () => void): void {
  const installed = spawnSync('perl', ['-MNet::SMPP', '-e', '1'], { stdio: 'ignore' }).status === 0;
  describe.skipIf(!installed)(`${name} ${NET_SMPP_SUITE}`, suite);
}

/** An SMSC in a separate process, based on Debian's libnet-smpp-perl. */
export class NetSmpp {
  readonly lines: string[] = [];
  port = 0;
  #process: ChildProcess | null = null;

  static async start(): Promise<NetSmpp> {
    const smsc = new NetSmpp();
    const child = spawn('perl', [SCRIPT], { stdio: ['ignore', 'pipe', 'inherit'] });
    smsc.#process = child;
    createInterface({ input: child.stdout }).on('line', (line) => smsc.lines.push(line));
    const line = await waitFor('the SMSC to listen', () =>
      smsc.lines.find((candidate) => candidate.startsWith('listening ')),
    );
    smsc.port = Number(line.slice('listening '.length));
    return smsc;
  }

  submits(): Record<string, string>[] {
    return this.lines
      .filter((line) => line.startsWith('submit '))
      .map((line) => Object.fromEntries(line.split(' ').map((field) => field.split('=') as [string, string])));
  }

  async stop(): Promise<void> {
    if (!this.#process || this.#process.exitCode !== null) return;
    this.#process.kill('SIGKILL');
    await once(this.#process, 'exit');
  }
}
