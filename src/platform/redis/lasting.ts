import { Cluster, type ClusterNode, type ClusterOptions, Redis, type RedisOptions, SentinelConnector } from 'ioredis';

/** Returns the delay in milliseconds; any result that is not a number stops the retries. */
type RetryStrategy = ((times: number) => unknown) | null | undefined;

type LastingClusterOptions = Omit<ClusterOptions, 'redisOptions'> & {
  redisOptions?: NonNullable<ClusterOptions['redisOptions']> & { replyMapping?: 'legacy' };
};

const closed = new WeakSet<Redis | Cluster>();
const attempts = new WeakMap<Redis | Cluster, number>();

/**
 * A Redis connection that reconnects until it is closed on purpose. In ioredis 6.0, a failover message during the search for
 * the primary, for example, would end a connection permanently. Without `failoverDetector`, blocked workers would not notice a
 * silently lost primary.
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

  /** BullMQ duplicates the connection for its blocking workers. */
  override duplicate(override: RedisOptions = {}): ReturnType<Redis['duplicate']> {
    return new LastingRedis({ ...this.options, ...override } as { replyMapping?: 'legacy' }) as never;
  }

  /**
   * Suppresses the event `end` before a reconnect, because BullMQ (6.7) abandons a queue whose connection ends before becoming
   * ready.
   */
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event === 'ready') attempts.delete(this);
    if (event === 'end' && scheduleReconnect(this, this.options.retryStrategy)) return false;
    return super.emit(event, ...args);
  }
}

/**
 * Also retries a cluster connection in the status `close`, because ioredis does not if a node's connection ends during name
 * resolution.
 */
export class LastingCluster extends Cluster {
  readonly #startupNodes: ClusterNode[];

  constructor(startupNodes: ClusterNode[], options: LastingClusterOptions) {
    super(startupNodes, options);
    this.#startupNodes = startupNodes;
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

  override duplicate(nodes: ClusterNode[] = [], override: ClusterOptions = {}): ReturnType<Cluster['duplicate']> {
    const redisOptions = { ...this.options.redisOptions, ...override.redisOptions };
    const options = { ...this.options, ...override, redisOptions } as LastingClusterOptions;
    return new LastingCluster(nodes.length > 0 ? nodes : this.#startupNodes, options);
  }

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event === 'ready') attempts.delete(this);
    const isReconnecting =
      ['end', 'close'].includes(String(event)) && scheduleReconnect(this, this.options.clusterRetryStrategy);
    return isReconnecting && event === 'end' ? false : super.emit(event, ...args);
  }
}

/** Reconnects after a delay, so that ioredis can reconnect first. */
function scheduleReconnect(redis: Redis | Cluster, strategy: RetryStrategy): boolean {
  const times = (attempts.get(redis) ?? 0) + 1;
  const delayMs = closed.has(redis) ? null : strategy?.(times);
  if (typeof delayMs !== 'number') return false;
  attempts.set(redis, times);
  setTimeout(() => {
    if (closed.has(redis) || !['end', 'close'].includes(redis.status)) return;
    redis.connect().catch(() => undefined);
  }, delayMs);
  return true;
}

/** Removes the previous failover listener, which would close the new connection and fail its commands (ioredis 6.0). */
export class SwitchingConnector extends SentinelConnector {
  override connect(...args: Parameters<SentinelConnector['connect']>): ReturnType<SentinelConnector['connect']> {
    // biome-ignore lint/complexity/useLiteralKeys: the only type-checked way to access a private field.
    this['failoverDetector']?.cleanup();
    return super.connect(...args);
  }
}
