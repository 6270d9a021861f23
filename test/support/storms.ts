import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** Longest permitted time without another final message while messages are due. */
const STANDSTILL_MS = 10_000;
const FINAL = "('delivered', 'read', 'undelivered', 'failed', 'rejected', 'expired', 'canceled')";

/** Reads the API key of the demo account that the server created. */
export async function readDemo(dataDir: string): Promise<{ apiKey: string }> {
  return JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')).surfaceA;
}

export interface SendersOptions {
  baseUrl: string;
  apiKey: string;
  concurrency: number;
}

/** Concurrent callers that send SMS, half of them urgent, and repeat each SMS until it is acknowledged. */
export class Senders {
  readonly acknowledged = new Set<string>();
  readonly #options: SendersOptions;
  #running: Promise<void>[] = [];
  #stopping = false;
  #count = 0;

  constructor(options: SendersOptions) {
    this.#options = options;
  }

  start(): void {
    this.#stopping = false;
    this.#running = Array.from({ length: this.#options.concurrency }, async () => {
      while (!this.#stopping) await this.#send(++this.#count);
    });
  }

  /** Waits for outstanding responses, unless `assertAlive` throws because none can arrive. */
  async stop(assertAlive: () => void): Promise<void> {
    this.#stopping = true;
    const allSent = Promise.all(this.#running).then(() => true);
    while (!(await Promise.race([allSent, pause(250)]))) assertAlive();
    assertAlive();
  }

  async balance(): Promise<number> {
    const { baseUrl, apiKey } = this.#options;
    const response = await fetch(`${baseUrl}/v1.0/account/balance`, { headers: { authorization: `Bearer ${apiKey}` } });
    return ((await response.json()) as { balance: number }).balance;
  }

  async #send(number: number): Promise<void> {
    const { baseUrl, apiKey } = this.#options;
    const body = {
      to: '15005550100',
      from: 'Storm',
      channel: 'sms',
      message: `No. ${number}`,
      priority: number % 2 ? 3 : 0,
    };
    for (let tries = 0; tries < 600; tries++) {
      const response = await fetch(`${baseUrl}/v2/send`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          'idempotency-key': `storm-${number}`,
        },
        body: JSON.stringify(body),
      }).catch(() => null);
      if (response?.status === 200) {
        const { data } = (await response.json()) as { data: { message_id: string }[] };
        for (const { message_id } of data) this.acknowledged.add(message_id);
        return;
      }
      await response?.arrayBuffer();
      await pause(50);
    }
    throw new Error(`message ${number} was not acknowledged in 600 tries`);
  }
}

interface QueueCounts {
  due: number;
  final: number;
  open: number;
}

export class QueueWatch {
  readonly #pool: pg.Pool;

  constructor(url: string) {
    this.#pool = new pg.Pool({ connectionString: url, max: 1 });
    this.#pool.on('error', () => undefined);
  }

  /** @throws Error if messages are due but none becomes final for ten seconds */
  async expectProgress(
    since: string,
    { forMs, assertAlive }: { forMs: number; assertAlive: () => void },
  ): Promise<void> {
    await this.#watch(since, forMs, assertAlive, () => false);
  }

  /** @throws Error at the timeout, or for the same reason as `expectProgress` */
  async expectAllFinal({ timeoutMs, assertAlive }: { timeoutMs: number; assertAlive: () => void }): Promise<void> {
    const last = await this.#watch('the storms are over', timeoutMs, assertAlive, ({ open }) => open === 0);
    if (last.open > 0) throw new Error(`of ${last.open + last.final} messages ${last.open} are not final`);
  }

  async countStatuses(ids: readonly string[]): Promise<Record<string, number>> {
    const { rows } = await this.#pool.query<{ status: string; count: number }>(
      'SELECT status, count(*)::int AS count FROM messages WHERE id = ANY($1::uuid[]) GROUP BY status',
      [ids],
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  }

  async countAll(): Promise<number> {
    const { rows } = await this.#pool.query<{ count: number }>('SELECT count(*)::int AS count FROM messages');
    return rows[0]?.count ?? 0;
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #watch(
    since: string,
    forMs: number,
    assertAlive: () => void,
    isDone: (counts: QueueCounts) => boolean,
  ): Promise<QueueCounts> {
    const end = performance.now() + forMs;
    let movedAt = performance.now();
    let previous: QueueCounts | null = null;
    for (;;) {
      assertAlive();
      const current: QueueCounts = await this.#readCounts();
      if (current.due === 0 || previous?.final !== current.final) movedAt = performance.now();
      previous = current;
      if (performance.now() - movedAt > STANDSTILL_MS) {
        throw new Error(`${current.due} messages are due, and none has moved for ten seconds since ${since}`);
      }
      if (isDone(current) || performance.now() > end) return current;
      await pause(200);
    }
  }

  async #readCounts(): Promise<QueueCounts> {
    const { rows } = await this.#pool.query<QueueCounts>(`
      SELECT count(*) FILTER (WHERE status = 'queued' AND lease_until IS NULL
                                AND (not_before IS NULL OR not_before <= now()))::int AS due,
             count(*) FILTER (WHERE status IN ${FINAL})::int AS final,
             count(*) FILTER (WHERE status NOT IN ${FINAL})::int AS open
      FROM messages`);
    return rows[0] as QueueCounts;
  }
}
