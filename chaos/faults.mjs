import { accountFaults } from './faults/accounts.mjs';
import { otherFaults } from './faults/others.mjs';
import { processFaults } from './faults/processes.mjs';
import { redisFaults } from './faults/redis.mjs';
import { replicaFaults } from './faults/replica.mjs';
import { storeFaults } from './faults/store.mjs';

/**
 * Faults by name. `run` causes the fault and ends it. `mayDouble`: a carrier's response can get lost, so a message may be submitted
 * twice. Any other duplicate is a finding, unless the carrier dropped its own response. `what` is the part that fails: two faults of
 * the same part never overlap. Faults of `redis` need the queue in Redis, those with `worlds` one of these worlds (see worlds.mjs).
 * @typedef {Record<string, {what: string, worlds?: string[], mayDouble?: boolean, run: (world: any) => Promise<void>}>} Faults
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
