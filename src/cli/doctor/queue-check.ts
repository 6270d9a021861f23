import { infoOfPrimaries, openRedis } from '../../platform/redis/connections.js';
import { explain } from '../explain.js';
import { error, type Finding, ok, warning } from './finding.js';

const PATIENCE_MS = 3_000;

/** @param redisUrl undefined: the queue lies in the store */
export async function checkQueue(redisUrl: string | undefined): Promise<Finding[]> {
  if (!redisUrl) return [ok('queue.place', 'The queue lies in the store.')];
  const options = {
    lazyConnect: true,
    connectTimeout: PATIENCE_MS,
    commandTimeout: PATIENCE_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  };
  let reason: unknown;
  const redis = openRedis(redisUrl, options, (problem) => {
    reason = problem;
  });
  try {
    await redis.connect();
    const infos = await infoOfPrimaries(redis);
    // Of a cluster, what is wrong with any of its nodes.
    return infos.map(findingsOfRedis).reduce((worst, each) => (each.length > worst.length ? each : worst), []);
  } catch (problem) {
    const text = `Redis (REDIS_URL) cannot be reached: ${explain(reason ?? problem)}.`;
    return [error('queue.reachable', text, 'Messages are accepted, and none is sent until it answers.')];
  } finally {
    redis.disconnect();
  }
}

/** What the answer to INFO means for the queue. */
export function findingsOfRedis(info: string): Finding[] {
  const value = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1];
  const findings = [ok('queue.reachable', `Redis ${value('redis_version') ?? ''} answers.`)];
  const policy = value('maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction') {
    const text = `Redis has the maxmemory-policy ${policy}, by which it drops parts of the queue.`;
    findings.push(error('queue.policy', text, 'The server does not start: CONFIG SET maxmemory-policy noeviction.'));
  }
  if (value('aof_enabled') === '0') {
    const text = 'Redis keeps no append-only file: a restart empties the queue.';
    findings.push(
      warning(
        'queue.durability',
        text,
        'Nothing is lost, for the relay fills it again; CONFIG SET appendonly yes spares it that.',
      ),
    );
  }
  if (value('role') === 'slave') {
    findings.push(error('queue.writable', 'Redis is a replica and takes no jobs.', 'Let REDIS_URL name the primary.'));
  }
  return findings;
}
