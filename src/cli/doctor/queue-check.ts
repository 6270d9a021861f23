import { openRedis, readPrimaryInfo } from '../../platform/redis/connections.js';
import { explain } from '../explain.js';
import { error, type Finding, ok, warning } from './finding.js';

const TIMEOUT_MS = 3_000;

export async function checkQueue(redisUrl: string | undefined): Promise<Finding[]> {
  if (!redisUrl) return [ok('queue.place', 'The queue is in the store.')];
  const options = {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  };
  let reason: unknown;
  const redis = openRedis(redisUrl, options, (problem) => {
    reason = problem;
  });
  try {
    await redis.connect();
    const infos = await readPrimaryInfo(redis);
    return infos
      .map(evaluateRedis)
      .reduce((worst, findings) => (findings.length > worst.length ? findings : worst), []);
  } catch (problem) {
    const text = `Redis (REDIS_URL) cannot be reached: ${explain(reason ?? problem)}.`;
    return [error('queue.reachable', text, 'Messages are accepted, but none is sent until Redis responds.')];
  } finally {
    redis.disconnect();
  }
}

export function evaluateRedis(info: string): Finding[] {
  const readValue = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1];
  const findings = [ok('queue.reachable', `Redis ${readValue('redis_version') ?? ''} responds.`)];
  const policy = readValue('maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction') {
    const text = `Redis has the maxmemory-policy ${policy}, which may drop parts of the queue.`;
    findings.push(
      error('queue.policy', text, 'The server does not start with it. Run: CONFIG SET maxmemory-policy noeviction.'),
    );
  }
  if (readValue('aof_enabled') === '0') {
    const text = 'Redis has no append-only file, so a restart empties the queue.';
    findings.push(
      warning(
        'queue.durability',
        text,
        'No message is lost, because the relay refills the queue. CONFIG SET appendonly yes avoids this.',
      ),
    );
  }
  if (readValue('role') === 'slave') {
    findings.push(error('queue.writable', 'Redis is a replica and accepts no jobs.', 'Set REDIS_URL to the primary.'));
  }
  return findings;
}
