import { Cluster, type ClusterNode, type ClusterOptions, Redis, type RedisOptions, SentinelConnector } from 'ioredis';

/** After how many milliseconds it is tried for so manieth time; anything but a number: no more. */
type RetryStrategy = ((times: number) => unknown) | null | undefined;

type OptionsOfCluster = Omit<ClusterOptions, 'redisOptions'> & {
  redisOptions?: NonNullable<ClusterOptions['redisOptions']> & { replyMapping?: 'legacy' };
};

/** Connections that were told to close, and not to connect since. */
const closed = new WeakSet<Redis | Cluster>();
/** How often each was connected to anew since it stood. */
const tries = new WeakMap<Redis | Cluster, number>();

/**
 * A connection to one Redis that ends for good only when it is told to. That of ioredis (6.0) has several ways into its last
 * status, `end`, and retries from none: Sentinels that tell of a failover while it asks where the primary is, a Sentinel that
 * tells no usable address, a `disconnect()` before a `connect()` whose mark stays until the next loss. What is asked of it
 * then fails until the process is restarted, so it is connected anew whatever brought it there. To leave `failoverDetector`
 * out would close one of these ways, and leave a primary that is gone without a word unnoticed for as long as a worker may block.
 */
export class LastingRedis extends Redis {
  override connect(...args: Parameters<Redis['connect']>): Promise<void> {
    closed.delete(this);
    return super.connect(...args);
  }

  override disconnect(reconnect = false): void {
    if (!reconnect) closed.add(this);
    super.disconnect(reconnect);
  }

  override quit(...args: Parameters<Redis['quit']>): ReturnType<Redis['quit']> {
    closed.add(this);
    return super.quit(...args);
  }

  /** BullMQ makes those that its workers block on of ours by this. */
  override duplicate(override: RedisOptions = {}): ReturnType<Redis['duplicate']> {
    return new LastingRedis({ ...this.options, ...override } as { replyMapping?: 'legacy' }) as never;
  }

  /** Tells of no end but the last: BullMQ (6.7) gives a queue up for good whose connection ends before it stood. */
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event === 'ready') tries.delete(this);
    if (event === 'end' && connectsAnew(this, this.options.retryStrategy)) return false;
    return super.emit(event, ...args);
  }
}

/**
 * The same to a cluster. There it is besides that a node which ends late, while the names of the others are looked up, leaves
 * it `close` with nobody who retries.
 */
export class LastingCluster extends Cluster {
  readonly #places: ClusterNode[];

  constructor(places: ClusterNode[], options: OptionsOfCluster) {
    super(places, options);
    this.#places = places;
  }

  override connect(): Promise<void> {
    closed.delete(this);
    return super.connect();
  }

  override disconnect(reconnect = false): void {
    if (!reconnect) closed.add(this);
    super.disconnect(reconnect);
  }

  override quit(...args: Parameters<Cluster['quit']>): ReturnType<Cluster['quit']> {
    closed.add(this);
    return super.quit(...args);
  }

  override duplicate(places: ClusterNode[] = [], override: ClusterOptions = {}): ReturnType<Cluster['duplicate']> {
    const redisOptions = { ...this.options.redisOptions, ...override.redisOptions };
    const options = { ...this.options, ...override, redisOptions } as OptionsOfCluster;
    return new LastingCluster(places.length > 0 ? places : this.#places, options);
  }

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event === 'ready') tries.delete(this);
    const isAnew = ['end', 'close'].includes(String(event)) && connectsAnew(this, this.options.clusterRetryStrategy);
    return isAnew && event === 'end' ? false : super.emit(event, ...args);
  }
}

/** Has one that nobody closed connected anew after a moment, by when ioredis has taken up what it takes up by itself. */
function connectsAnew(redis: Redis | Cluster, strategy: RetryStrategy): boolean {
  const times = (tries.get(redis) ?? 0) + 1;
  const delayMs = closed.has(redis) ? null : strategy?.(times);
  if (typeof delayMs !== 'number') return false;
  tries.set(redis, times);
  setTimeout(() => {
    if (closed.has(redis) || !['end', 'close'].includes(redis.status)) return;
    redis.connect().catch(() => undefined);
  }, delayMs);
  return true;
}

/**
 * Asks Sentinels. What heard of failovers for the connection before hears no longer once another is made: it would end that
 * one (ioredis 6.0), and with it whatever waits to be sent. The next one is told where the primary is now, and whether it is
 * one.
 */
export class SwitchingConnector extends SentinelConnector {
  override connect(...args: Parameters<SentinelConnector['connect']>): ReturnType<SentinelConnector['connect']> {
    // biome-ignore lint/complexity/useLiteralKeys: the one way to a private field that the types still look at.
    this['failoverDetector']?.cleanup();
    return super.connect(...args);
  }
}
