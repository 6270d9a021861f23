import { setTimeout as pause } from 'node:timers/promises';
import { check } from './check.mjs';
import { Client, findLongestGap } from './client.mjs';
import { readStore, waitUntilSettled } from './evidence.mjs';
import { OTHER_ACCOUNTS } from './faults/accounts.mjs';
import { FAULTS } from './faults.mjs';
import { Numbers } from './plan.mjs';
import { seededRandom } from './random.mjs';
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
const PAUSE_MS = 1_500;
const FLEET_SIZE = 4;

/**
 * Sets up a world, sends messages, causes faults, and checks the result. Faults come one after another, and sometimes two
 * together.
 * @param {{seed: number, backend: 'postgres' | 'redis', world: string, isSecured: boolean, namedFaults: string[] | null, faultCount: number, folder: string, processes: string, recipients: number, perSecond: number}} options
 *   `namedFaults`: the faults in order, or null for all faults that only this world has and `faultCount` random others;
 *   `processes`: PROCESSES of each server; `recipients` and `perSecond`: maximum recipients and messages per second for sends
 *   of Surface A
 * @param {AbortSignal} signal closes the world and rejects the promise
 */
export async function runOnce(options, signal) {
  const closers = [];
  const aborted = new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  try {
    return await Promise.race([aborted, run(options, closers)]);
  } finally {
    for (const close of closers.splice(0)) await close();
  }
}

/** Adds functions to `closers` that close the parts of the world, starting with the part that was opened last. */
async function run(options, closers) {
  const { seed, backend, isSecured, namedFaults, faultCount, folder, processes, recipients, perSecond } = options;
  const worldName = options.world;
  const openPart = async (part) => {
    try {
      await part.open();
    } catch (error) {
      // A part that fails to open is closed, because it may already have opened resources.
      await part.close().catch(() => undefined);
      throw error;
    }
    closers.unshift(() => part.close());
    return part;
  };
  const random = seededRandom(seed);
  const possibleFaults = listPossibleFaults(worldName, backend, folder);
  if (namedFaults?.includes('store-full') && !possibleFaults.includes('store-full')) {
    throw new Error('store-full mounts a small disk in memory, which only root on Linux may do');
  }
  const worldFaults = possibleFaults.filter((name) => FAULTS[name].worlds);
  const generalFaults = possibleFaults.filter((name) => !FAULTS[name].worlds);
  const chosen = namedFaults?.filter((name) => possibleFaults.includes(name)) ?? [
    ...worldFaults,
    ...random.sample(generalFaults, faultCount),
  ];
  // Senders and faults have separate random numbers, so that the speed of the senders does not change the choice of faults.
  const newRandom = () => seededRandom(random.below(2 ** 31));
  const findings = [];
  const connections = FLEET_SIZE * (Number(processes) + 1) * 15 + 40;
  const { store: openStore, maxAgeMs } = WORLDS[worldName];
  const storeOptions = { smallDisk: chosen.includes('store-full'), connections };
  const store = await openPart(openStore?.(folder, storeOptions) ?? new Store(folder, storeOptions));
  const context = { folder, store, backend, isSecured, openPart };
  const { bouncer = null, redis, settings: connectionSettings } = await WORLDS[worldName].open(context);
  const smsc = await openPart(new Smsc(newRandom()));
  const meta = await openPart(new Meta(newRandom()));
  const sink = await openPart(new Sink(newRandom()));
  const settings = {
    DATABASE_POOL_SIZE: '15',
    PROCESSES: processes,
    DATA_DIR: folder,
    SEED_DEMO: 'false',
    RATE_LIMIT_PER_SECOND: '0',
    LOG_LEVEL: 'warn',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    CARRIER_PRIVATE_HOSTS: '127.0.0.1',
    ...connectionSettings,
  };
  const fleet = await openPart(new Fleet({ settings, folder }));
  const { account, apiKey, link, channelHeaders } = await setUp({ storeUrl: store.url, smsc, meta, folder });
  meta.reportTo(() => fleet.urls().map((url) => `${url}/callbacks/whatsapp-cloud/meta`));
  const client = new Client(() => fleet.urls(), newRandom());
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
  await registerWebhooks(world);

  const senders = new Senders({ ...world, random: newRandom(), numbers: new Numbers() }, recipients, perSecond);
  senders.start();
  const readers = new Readers({ ...world, link, random: seededRandom(seed) }, senders.journal, maxAgeMs ?? 0);
  await readers.start();
  await pause(WARM_UP_MS);
  const faults = await causeFaults({ ...world, random: newRandom() }, chosen, random);
  await pause(PAUSE_MS);
  await senders.stop();
  if (!(await waitUntilSettled(world))) findings.push('stuck: nothing finished for three minutes');
  if (maxAgeMs !== undefined && !(await readers.waitForReplicaReads()))
    findings.push('replica: all parts work again, but nothing is read from it');
  await readers.stop();
  const isOfSenders = ({ to }) => !to.startsWith(OTHER_ACCOUNTS);
  const evidence = {
    journal: senders.journal,
    reads: readers.reads,
    maxAgeMs: maxAgeMs ?? 0,
    campaigns: senders.campaigns,
    store: await readStore(world),
    submissions: [...smsc.submissions, ...meta.submissions].filter(isOfSenders),
    receipts: [...smsc.receipts, ...meta.receipts].filter(isOfSenders),
    events: sink.events,
    inboundIds: meta.inboundIds,
    faults,
  };
  if (isSecured) findings.push(...(await redis.listDeniedCommands()));
  findings.push(...fleet.unexpectedExits.map((exit) => `ended: ${exit}`), ...check(evidence));
  if (sink.forged > 0) findings.push(`webhook: ${sink.forged} deliveries had an invalid signature`);
  return {
    findings,
    messages: evidence.store.messages.length,
    reads: readers.reads.length,
    faults: chosen,
    faultTimes: faults,
  };
}

/** Lists the faults that this machine, this world and this queue backend allow. */
function listPossibleFaults(worldName, backend, folder) {
  const hasDisk = canMount(folder);
  return Object.keys(FAULTS).filter((name) => {
    const { part, worlds = [worldName] } = FAULTS[name];
    if (part === 'redis' && backend !== 'redis') return false;
    const isExcluded = FAULTS[name].worlds === undefined && WORLDS[worldName].excludedParts?.includes(part);
    return worlds.includes(worldName) && !isExcluded && (hasDisk || name !== 'store-full');
  });
}

async function registerWebhooks({ client, apiKey, channelHeaders, sink }) {
  const post = async (path, headers, body) => {
    const { status, data } = await client.request('POST', path, { headers, body, repeats: true });
    if (status !== 200) throw new Error(`POST ${path} returned ${status}: ${JSON.stringify(data)}`);
    return data.data;
  };
  const bearer = { authorization: `Bearer ${apiKey}` };
  // The client repeats this request until the processes have detected the new carrier, which takes some seconds.
  await post('/api/v1/templates/sync', channelHeaders);
  const hook = { url: sink.url, events: ['message.status'] };
  sink.secrets.push((await post('/v2/webhooks', bearer, hook)).secret);
  sink.secrets.push((await post('/api/v1/webhooks', channelHeaders, hook)).secret);
}

/**
 * Returns the faults with the times at which they started and ended.
 * @returns {Promise<{name: string, from: number, to: number, mayDouble: boolean}[]>}
 */
async function causeFaults(world, names, random) {
  const results = [];
  const causeFault = async (name) => {
    const { run, mayDouble = false } = FAULTS[name];
    const fault = { name, from: Date.now(), to: Number.POSITIVE_INFINITY, mayDouble };
    results.push(fault);
    await run(world);
    fault.to = Date.now();
    fault.unansweredMs = world.client.findLongestOutage(fault.from, fault.to);
    const submitTimes = [...world.smsc.submissions, ...world.meta.submissions].map(({ at }) => at);
    fault.unsentMs = findLongestGap(submitTimes, fault.from, fault.to);
  };
  const remaining = [...names];
  while (remaining.length > 0) {
    const concurrent = remaining.splice(0, 1);
    const isOtherPart = remaining.length > 0 && FAULTS[remaining[0]].part !== FAULTS[concurrent[0]].part;
    if (isOtherPart && random.chance(0.3)) concurrent.push(remaining.shift());
    await Promise.all(concurrent.map(causeFault));
    await pause(PAUSE_MS);
  }
  return results;
}
