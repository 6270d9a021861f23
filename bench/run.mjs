// npm run bench [-- --rounds 3 --seconds 10 --connections 64,256 --generator node|wrk --redis URL --servers bare,all
//   --processes 2 --server-cores 1]
//
// Accepted requests per second of POST /v1.0/sms/send, and their ratios to what the same machine does, in the same
// minutes, with (a) a bare route and (b) one prisma.message.create per request. bench/README.md says how to read it.
import { watchBacklog } from './lib/backlog.mjs';
import { checkGenerator, sendLoad } from './lib/load.mjs';
import { readOptions } from './lib/options.mjs';
import { printReport } from './lib/report.mjs';
import { startServer } from './lib/server.mjs';
import { startStore } from './lib/store.mjs';

const options = readOptions(
  import.meta.url,
  {
    rounds: '3',
    seconds: '10',
    'warm-up': '4',
    connections: '64,256',
    generator: undefined,
    redis: undefined,
    servers: undefined,
    processes: undefined,
    'server-cores': undefined,
  },
  { rounds: '1', seconds: '1', 'warm-up': '1', connections: '16' },
);

const heliograph = (role, settings = {}) => ({ script: 'dist/main.js', settings: { ROLE: role, ...settings } });
const allTargets = {
  bare: { script: 'bench/servers/bare.mjs', settings: {} },
  create: { script: 'bench/servers/prisma-create.mjs', settings: {} },
  api: heliograph('api'),
  all: heliograph('all'),
  ...(options.processes ? { several: heliograph('all', { PROCESSES: options.processes }) } : {}),
  ...(options.redis ? { 'api-redis': heliograph('api'), 'all-redis': heliograph('all') } : {}),
};

const targets = Object.fromEntries(
  Object.entries(allTargets).filter(([name]) => !options.servers || options.servers.split(',').includes(name)),
);

const MICROSECONDS = 1e6;
const cores = options['server-cores'];

/** One run of one server on a database of its own. */
async function measure(store, generator, { name, round, connections }) {
  const database = `bench_${name.replace('-', '_')}_${connections}_${round}`;
  const url = await store.create(database);
  const { script, settings } = targets[name];
  const redis = name.endsWith('-redis') ? { REDIS_URL: options.redis, QUEUE_PREFIX: database } : {};
  const server = await startServer(script, { ...settings, ...redis, DATABASE_URL: url }, cores);
  const delivers = settings.ROLE === 'all';
  try {
    const load = {
      generator,
      url: `${server.baseUrl}/v1.0/sms/send`,
      apiKey: store.apiKey,
      connections,
    };
    await sendLoad({ ...load, seconds: Number(options['warm-up']) });
    const backlog = delivers ? await watchBacklog(url) : null;
    const eachBefore = server.secondsOfEach();
    const before = [server.processorSeconds(), store.processorSeconds()];
    const figures = await sendLoad({ ...load, seconds: Number(options.seconds) });
    const delivery = backlog ? await backlog.drain() : null;
    const [node, postgres] = [server.processorSeconds(), store.processorSeconds()].map((seconds, index) =>
      seconds === null ? null : ((seconds - before[index]) / figures.accepted) * MICROSECONDS,
    );
    const each = Object.entries(server.secondsOfEach()).map(
      ([process, seconds]) =>
        `${process} ${(((seconds - (eachBefore[process] ?? 0)) / figures.accepted) * MICROSECONDS).toFixed(0)} µs`,
    );
    await backlog?.close();
    return {
      name,
      round,
      connections,
      perSecond: figures.accepted / figures.seconds,
      ...figures,
      delivery,
      cost: { node, postgres },
      each: each.length > 1 ? each : [],
    };
  } finally {
    await server.stop();
    await store.drop(database);
  }
}

function printProgress({ name, round, connections, perSecond, lost, refused, delivery, each }) {
  const lag = delivery
    ? `; ${delivery.delivered} of ${delivery.accepted} delivered, peak backlog ${delivery.peak}, ` +
      `drained ${delivery.drainSeconds.toFixed(2)} s after the load`
    : '';
  const figure = `${perSecond.toFixed(0).padStart(7)} requests/s`;
  const failed = lost + refused > 0 ? `; ${lost} lost or timed out, ${refused} refused` : '';
  console.log(
    `round ${round}  ${String(connections).padStart(4)} connections  ${name.padEnd(10)} ${figure}${failed}${lag}${each.length > 0 ? `; processor: ${each.join(', ')}` : ''}`,
  );
}

const generator = checkGenerator(options.generator);
const loads = options.connections.split(',').map(Number);
const store = await startStore();
const results = [];
try {
  for (let round = 1; round <= Number(options.rounds); round += 1) {
    for (const connections of loads) {
      for (const name of Object.keys(targets)) {
        const result = await measure(store, generator, { name, round, connections });
        results.push(result);
        printProgress(result);
      }
    }
  }
} finally {
  await store.close();
}

for (const connections of loads) {
  printReport({
    generator,
    connections,
    options,
    results: results.filter((each) => each.connections === connections),
  });
}
