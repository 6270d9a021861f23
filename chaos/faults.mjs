import { accountFaults } from './faults/accounts.mjs';
import { otherFaults } from './faults/others.mjs';
import { processFaults } from './faults/processes.mjs';
import { redisFaults } from './faults/redis.mjs';
import { replicaFaults } from './faults/replica.mjs';
import { storeFaults } from './faults/store.mjs';

/**
 * Faults by name. `mayDouble`: a message may be submitted twice, because a carrier's response can get lost. `part`: what
 * fails; two faults of the same part never overlap. Faults of `redis` need the queue in Redis. `worlds`: names in worlds.mjs.
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
