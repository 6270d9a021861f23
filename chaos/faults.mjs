import { accountFaults } from './faults/accounts.mjs';
import { otherFaults } from './faults/others.mjs';
import { processFaults } from './faults/processes.mjs';
import { redisFaults } from './faults/redis.mjs';
import { replicaFaults } from './faults/replica.mjs';
import { storeFaults } from './faults/store.mjs';

/**
 * Faults by name. With `mayDouble`, a message may be submitted twice, because a carrier's response can get lost. Two faults of
 * the same `part` never overlap. Faults of `redis` need the queue in Redis. `worlds` contains names from worlds.mjs.
 * @typedef {Record<string, {part: string, worlds?: string[], mayDouble?: boolean, run: (world: any) => Promise<void>}>} Faults
 */

/** @type {Faults} */
export const FAULTS = {
  ...accountFaults,
  ...processFaults,
  ...storeFaults,
  ...replicaFaults,
  ...redisFaults,
  ...otherFaults,
};
