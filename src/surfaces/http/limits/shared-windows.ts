import type { FastifyRateLimitStore } from '@fastify/rate-limit';
import type { RedisConnection } from '../../../platform/redis/connections.js';

type IncrementCallback = Parameters<FastifyRateLimitStore['incr']>[1];

/** For this time after a failure, Redis is not used and requests are not counted. */
const PAUSE_MS = 2_000;

/** Counts a request, and starts the window with the first request. Returns the count and the remaining milliseconds. */
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

/** After a failure, counting fails immediately until a probe succeeds, so that no request waits for a hanging Redis. */
export class SharedWindows implements FastifyRateLimitStore {
  readonly #redis: CountingRedis;
  readonly #prefix: string;
  #hasFailed = false;
  #isProbing = false;
  /** By `performance.now()`. */
  #nextProbe = 0;

  /** @param redis connection whose commands fail quickly while Redis is unreachable */
  constructor(redis: RedisConnection, prefix: string) {
    redis.defineCommand('countRequest', { numberOfKeys: 1, lua: COUNT });
    this.#redis = redis as CountingRedis;
    this.#prefix = prefix;
  }

  incr(key: string, callback: IncrementCallback, timeWindow: number): void {
    if (this.#hasFailed) {
      this.#probe();
      callback(new Error('redis failed a moment ago'));
      return;
    }
    this.#redis.countRequest(this.#prefix + key, timeWindow).then(
      ([current, ttl]) => callback(null, { current, ttl }),
      (error: Error) => {
        this.#pause();
        callback(error);
      },
    );
  }

  /** All limits share the same windows, because their keys differ. */
  child(): SharedWindows {
    return this;
  }

  #pause(): void {
    this.#hasFailed = true;
    this.#nextProbe = performance.now() + PAUSE_MS;
  }

  #probe(): void {
    if (this.#isProbing || performance.now() < this.#nextProbe) return;
    this.#isProbing = true;
    const probe = this.#redis.ping().then(
      () => {
        this.#hasFailed = false;
      },
      () => this.#pause(),
    );
    void probe.then(() => {
      this.#isProbing = false;
    });
  }
}
