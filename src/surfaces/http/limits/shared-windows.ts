import type { FastifyRateLimitStore } from '@fastify/rate-limit';
import type { RedisConnection } from '../../../platform/redis/connections.js';

type Answer = Parameters<FastifyRateLimitStore['incr']>[1];

/** How long Redis is left alone after it failed, in milliseconds; until then requests pass uncounted. */
const REST_MS = 2_000;

/** Counts a request; the first one of a window begins it. Returns the count and the window's rest in milliseconds. */
const COUNT = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  return {count, tonumber(ARGV[1])}
end
return {count, redis.call('PTTL', KEYS[1])}
`;

type CountingRedis = RedisConnection & {
  countRequest(key: string, windowMs: number): Promise<[count: number, ttlMs: number]>;
};

/**
 * Counts requests in fixed windows in Redis, for several processes together. After a failure it answers with an error
 * at once, without asking Redis, until a probe in the background succeeds: no request waits for a Redis that hangs.
 */
export class SharedWindows implements FastifyRateLimitStore {
  readonly #redis: CountingRedis;
  readonly #prefix: string;
  #failed = false;
  #probing = false;
  /** By `performance.now()`. */
  #nextProbe = 0;

  /**
   * @param redis its commands must fail soon while Redis is away
   * @param prefix of the keys
   */
  constructor(redis: RedisConnection, prefix: string) {
    redis.defineCommand('countRequest', { numberOfKeys: 1, lua: COUNT });
    this.#redis = redis as CountingRedis;
    this.#prefix = prefix;
  }

  incr(key: string, callback: Answer, timeWindow: number): void {
    if (this.#failed) {
      this.#probe();
      callback(new Error('redis failed a moment ago'));
      return;
    }
    this.#redis.countRequest(this.#prefix + key, timeWindow).then(
      ([current, ttl]) => callback(null, { current, ttl }),
      (error: Error) => {
        this.#rest();
        callback(error);
      },
    );
  }

  /** Keys tell what they count, so every limit shares the store, and what it knows about Redis. */
  child(): SharedWindows {
    return this;
  }

  #rest(): void {
    this.#failed = true;
    this.#nextProbe = performance.now() + REST_MS;
  }

  #probe(): void {
    if (this.#probing || performance.now() < this.#nextProbe) return;
    this.#probing = true;
    const probed = this.#redis.ping().then(
      () => {
        this.#failed = false;
      },
      () => this.#rest(),
    );
    void probed.then(() => {
      this.#probing = false;
    });
  }
}
