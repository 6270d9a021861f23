import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** A lane with work that does nothing for this long has stopped. */
const STANDSTILL_MS = 10_000;
const FINAL = "('delivered', 'read', 'undelivered', 'failed', 'rejected', 'expired', 'canceled')";

/** The key of the demo account that the server created. */
export async function readDemo(dataDir: string): Promise<{ apiKey: string }> {
  return JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')).surfaceA;
}

export interface SendersOptions {
  baseUrl: string;
  apiKey: string;
  at: number;
}

/** Each caller sends one SMS after another, repeating it until it is acknowledged. Half of them are urgent. */
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
    this.#running = Array.from({ length: this.#options.at }, async () => {
      while (!this.#stopping) await this.#send(++this.#count);
    });
  }

  /** Waits for the answers. @param lives throws if no more answers can come */
  async stop(lives: () => void): Promise<void> {
    this.#stopping = true;
    const all = Promise.all(this.#running).then(() => true);
    while (!(await Promise.race([all, pause(250)]))) lives();
    lives();
  }

  async balance(): Promise<number> {
    const { baseUrl, apiKey } = this.#options;
    const answer = await fetch(`${baseUrl}/v1.0/account/balance`, { headers: { authorization: `Bearer ${apiKey}` } });
    return ((await answer.json()) as { balance: number }).balance;
  }

  async #send(no: number): Promise<void> {
    const { baseUrl, apiKey } = this.#options;
    const body = { to: '15005550100', from: 'Storm', channel: 'sms', message: `No. ${no}`, priority: no % 2 ? 3 : 0 };
    for (let tries = 0; tries < 600; tries++) {
      const answer = await fetch(`${baseUrl}/v2/send`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          'idempotency-key': `storm-${no}`,
        },
        body: JSON.stringify(body),
      }).catch(() => null);
      if (answer?.status === 200) {
        const { data } = (await answer.json()) as { data: { message_id: string }[] };
        for (const { message_id } of data) this.acknowledged.add(message_id);
        return;
      }
      await answer?.arrayBuffer();
      await pause(50);
    }
    throw new Error(`message ${no} was not acknowledged in 600 tries`);
  }
}

interface Due {
  due: number;
  final: number;
  open: number;
}

export class DueWatch {
  readonly #pool: pg.Pool;

  constructor(url: string) {
    this.#pool = new pg.Pool({ connectionString: url, max: 1 });
    this.#pool.on('error', () => undefined);
  }

  /** @throws Error if something is due and nothing moves for ten seconds */
  async expectWork(since: string, { forMs, lives }: { forMs: number; lives: () => void }): Promise<void> {
    await this.#watch(since, forMs, lives, () => false);
  }

  /** @throws Error as `expectWork`, or at the timeout */
  async expectAllFinal({ timeoutMs, lives }: { timeoutMs: number; lives: () => void }): Promise<void> {
    const last = await this.#watch('the storms are over', timeoutMs, lives, ({ open }) => open === 0);
    if (last.open > 0) throw new Error(`of ${last.open + last.final} messages ${last.open} are not final`);
  }

  async statusesOf(ids: readonly string[]): Promise<Record<string, number>> {
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

  async #watch(since: string, forMs: number, lives: () => void, enough: (due: Due) => boolean): Promise<Due> {
    const end = performance.now() + forMs;
    let movedAt = performance.now();
    let before: Due | null = null;
    for (;;) {
      lives();
      const now: Due = await this.#look();
      if (now.due === 0 || before?.final !== now.final) movedAt = performance.now();
      before = now;
      if (performance.now() - movedAt > STANDSTILL_MS) {
        throw new Error(`${now.due} messages are due, and none has moved for ten seconds since ${since}`);
      }
      if (enough(now) || performance.now() > end) return now;
      await pause(200);
    }
  }

  async #look(): Promise<Due> {
    const { rows } = await this.#pool.query<Due>(`
      SELECT count(*) FILTER (WHERE status = 'queued' AND lease_until IS NULL
                                AND (not_before IS NULL OR not_before <= now()))::int AS due,
             count(*) FILTER (WHERE status IN ${FINAL})::int AS final,
             count(*) FILTER (WHERE status NOT IN ${FINAL})::int AS open
      FROM messages`);
    return rows[0] as Due;
  }
}
