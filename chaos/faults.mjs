import { ofAccounts } from './faults/accounts.mjs';
import { ofOthers } from './faults/others.mjs';
import { ofProcesses } from './faults/processes.mjs';
import { ofRedis } from './faults/redis.mjs';
import { ofReplica } from './faults/replica.mjs';
import { ofStore } from './faults/store.mjs';

/**
 * Faults by name. `run` makes one and takes it away again. `mayDouble` says that an answer of a carrier can be lost by it, so
 * that a message may be sent once more; whatever is doubled without such a fault, or a carrier that lost its own answer, is a
 * finding. `what` fails: no two faults of the same are made at once. Those of `redis` need the queue there, those with `worlds`
 * one of them (see worlds.mjs).
 * @typedef {Record<string, {what: string, worlds?: string[], mayDouble?: boolean, run: (world: any) => Promise<void>}>} Faults
 */

/** @type {Faults} */
export const FAULTS = { ...ofAccounts, ...ofProcesses, ...ofStore, ...ofReplica, ...ofRedis, ...ofOthers };
