import { setTimeout as pause } from 'node:timers/promises';
import { check } from './check.mjs';
import { Client, longestBetween } from './client.mjs';
import { readStore, settle } from './evidence.mjs';
import { OTHER_ACCOUNTS } from './faults/accounts.mjs';
import { FAULTS } from './faults.mjs';
import { Numbers } from './plan.mjs';
import { choices as choicesOf } from './random.mjs';
import { Readers } from './readers.mjs';
import { Senders } from './senders.mjs';
import { Fleet } from './world/fleet.mjs';
import { Meta } from './world/meta.mjs';
import { setUp } from './world/set-up.mjs';
import { Sink } from './world/sink.mjs';
import { canMount } from './world/small-disk.mjs';
import { Smsc } from './world/smsc.mjs';
import { Store } from './world/store.mjs';
import { WORLDS } from './worlds.mjs';

const WARM_UP_MS = 2_000;
const BETWEEN_MS = 1_500;

/** Number of servers. */
const FLEET = 4;

/**
 * Performs one run: sets up a world, sends, causes faults one after another and sometimes two at once, and checks the result.
 * @param {{seed: number, backend: 'postgres' | 'redis', world: string, isSecured: boolean, named: string[] | null, count: number, folder: string, processes: string, recipients: number, perSecond: number}} options
 *   `named`: these faults in this order; null: `count` random faults, and all faults of the world if it is not `plain`; `processes`: PROCESSES
 *   of each server; `recipients`: maximum recipients of a send of Surface A; `perSecond`: maximum messages per second of such sends
 * @param {AbortSignal} interrupted aborts the run: its world is closed, and the promise rejects with the reason
 */
export async function runOnce(options, interrupted) {
  const closers = [];
  const stopped = new Promise((_resolve, reject) => {
    interrupted.addEventListener('abort', () => reject(interrupted.reason), { once: true });
  });
  try {
    return await Promise.race([stopped, run(options, closers)]);
  } finally {
    for (const close of closers.splice(0)) await close();
  }
}

/** @param {(() => Promise<void>)[]} closers filled with what closes the opened parts, the latest first */
async function run(options, closers) {
  const { seed, backend, world: kind, isSecured, named, count, folder, processes, recipients, perSecond } = options;
  const opened = async (part) => {
    try {
      await part.open();
    } catch (error) {
      // Closes what was opened before the failure.
      await part.close().catch(() => undefined);
      throw error;
    }
    closers.unshift(() => part.close());
    return part;
  };
  const choices = choicesOf(seed);
  const possible = possibleFaults(kind, backend, folder);
  if (named?.includes('store-full') && !possible.includes('store-full')) {
    throw new Error('store-full mounts a small disk in memory, which only root of Linux may');
  }
  const worldFaults = possible.filter((name) => FAULTS[name].worlds);
  const generalFaults = possible.filter((name) => !FAULTS[name].worlds);
  const chosen = named?.filter((name) => possible.includes(name)) ?? [
    ...worldFaults,
    ...choices.some(generalFaults, count),
  ];
  // Senders and faults have their own random numbers, so that the speed of one does not change the choices of the other.
  const ownChoices = () => choicesOf(choices.below(2 ** 31));
  const findings = [];
  const connections = FLEET * (Number(processes) + 1) * 15 + 40;
  const { store: openStore, maxAgeMs } = WORLDS[kind];
  const storeOptions = { smallDisk: chosen.includes('store-full'), connections };
  const store = await opened(openStore?.(folder, storeOptions) ?? new Store(folder, storeOptions));
  const here = { folder, store, backend, isSecured, opened };
  const { bouncer = null, redis, settings: ways } = await WORLDS[kind].open(here);
  const smsc = await opened(new Smsc(ownChoices()));
  const meta = await opened(new Meta(ownChoices()));
  const sink = await opened(new Sink(ownChoices()));
  const settings = {
    DATABASE_POOL_SIZE: '15',
    PROCESSES: processes,
    DATA_DIR: folder,
    SEED_DEMO: 'false',
    RATE_LIMIT_PER_SECOND: '0',
    LOG_LEVEL: 'warn',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    CARRIER_PRIVATE_HOSTS: '127.0.0.1',
    ...ways,
  };
  const fleet = await opened(new Fleet({ settings, folder }));
  const { account, apiKey, link, channelHeaders } = await setUp({ storeUrl: store.url, smsc, meta, folder });
  meta.reportTo(() => fleet.urls().map((url) => `${url}/callbacks/whatsapp-cloud/meta`));
  const client = new Client(() => fleet.urls(), ownChoices());
  const world = {
    store,
    redis,
    bouncer,
    smsc,
    meta,
    sink,
    fleet,
    folder,
    account,
    apiKey,
    channelHeaders,
    client,
    findings,
  };
  await followEverything(world);

  const senders = new Senders({ ...world, choices: ownChoices(), numbers: new Numbers() }, recipients, perSecond);
  senders.start();
  const readers = new Readers({ ...world, link, choices: choicesOf(seed) }, senders.journal, maxAgeMs ?? 0);
  await readers.start();
  await pause(WARM_UP_MS);
  const faults = await makeFaults({ ...world, choices: ownChoices() }, chosen, choices);
  await pause(BETWEEN_MS);
  await senders.stop();
  if (!(await settle(world))) findings.push('stuck: not everything had ended after three minutes');
  if (maxAgeMs !== undefined && !(await readers.readTheReplica()))
    findings.push('replica: all is whole again, and nothing was read from it for some seconds');
  await readers.stop();
  const isOwn = ({ to }) => !to.startsWith(OTHER_ACCOUNTS);
  const evidence = {
    journal: senders.journal,
    reads: readers.reads,
    maxAgeMs: maxAgeMs ?? 0,
    campaigns: senders.campaigns,
    store: await readStore(world),
    taken: [...smsc.taken, ...meta.taken].filter(isOwn),
    reported: [...smsc.reported, ...meta.reported].filter(isOwn),
    told: sink.told,
    wrote: meta.wrote,
    faults,
  };
  if (isSecured) findings.push(...(await redis.refused()));
  findings.push(...fleet.ended.map((each) => `ended: ${each}`), ...check(evidence));
  if (sink.forged > 0) findings.push(`webhook: ${sink.forged} deliveries were not signed by a webhook's secret`);
  return {
    findings,
    messages: evidence.store.messages.length,
    reads: readers.reads.length,
    faults: chosen,
    made: faults,
  };
}

/** Faults that are possible on this machine, in this world and with this queue backend. */
function possibleFaults(kind, backend, folder) {
  const hasDisk = canMount(folder);
  return Object.keys(FAULTS).filter((name) => {
    const { what, worlds = [kind] } = FAULTS[name];
    if (what === 'redis' && backend !== 'redis') return false;
    const isOthers = FAULTS[name].worlds === undefined && WORLDS[kind].without?.includes(what);
    return worlds.includes(kind) && !isOthers && (hasDisk || name !== 'store-full');
  });
}

async function followEverything({ client, apiKey, channelHeaders, sink }) {
  const ask = async (path, headers, body) => {
    const { status, data } = await client.ask('POST', path, { headers, body, repeats: true });
    if (status !== 200) throw new Error(`POST ${path} was answered with ${status}: ${JSON.stringify(data)}`);
    return data.data;
  };
  // Processes detect a new carrier after some seconds.
  const bearer = { authorization: `Bearer ${apiKey}` };
  await ask('/api/v1/templates/sync', channelHeaders);
  const hook = { url: sink.url, events: ['message.status'] };
  sink.secrets.push((await ask('/v2/webhooks', bearer, hook)).secret);
  sink.secrets.push((await ask('/api/v1/webhooks', channelHeaders, hook)).secret);
}

/** @returns {Promise<{name: string, from: number, to: number, mayDouble: boolean}[]>} the faults with their times */
async function makeFaults(world, names, choices) {
  const results = [];
  const make = async (name) => {
    const { run, mayDouble = false } = FAULTS[name];
    const fault = { name, from: Date.now(), to: Number.POSITIVE_INFINITY, mayDouble };
    results.push(fault);
    await run(world);
    fault.to = Date.now();
    fault.unansweredMs = world.client.longestWithout(fault.from, fault.to);
    const submitTimes = [...world.smsc.taken, ...world.meta.taken].map(({ at }) => at);
    fault.unsentMs = longestBetween(submitTimes, fault.from, fault.to);
  };
  const left = [...names];
  while (left.length > 0) {
    const together = left.splice(0, 1);
    const isOther = left.length > 0 && FAULTS[left[0]].what !== FAULTS[together[0]].what;
    if (isOther && choices.happens(0.3)) together.push(left.shift());
    await Promise.all(together.map(make));
    await pause(BETWEEN_MS);
  }
  return results;
}
