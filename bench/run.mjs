// npm run bench [-- --rounds 3 --seconds 10 --connections 64,256 --generator node|wrk --redis URL --servers bare,all
//   --processes 2 --server-cores 1 --node 24|PATH]
//
// Measures how many requests per second POST /v1.0/sms/send accepts, compared with (a) a bare route and (b) a route that calls
// prisma.message.create once per request. The servers take turns on the same machine. With --node, each server also runs with a
// second version of Node.js. The option --servers can also name `tcp`, which uses PostgreSQL over TCP, and `pooled`, which uses
// PgBouncer. bench/README.md explains how to read the figures.
import { findOtherNode } from '../scripts/lib/other-node.mjs';
import { watchBacklog } from './lib/backlog.mjs';
import { checkGenerator, sendLoad } from './lib/load/load.mjs';
import { readOptions } from './lib/options.mjs';
import { printReport } from './lib/report.mjs';
import { startServer } from './lib/server.mjs';
import { startStore } from './lib/store.mjs';
import { selectTargets } from './lib/targets.mjs';

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
    node: undefined,
  },
  { rounds: '1', seconds: '1', 'warm-up': '1', connections: '16' },
);

const targets = selectTargets(options, options.node === undefined ? null : findOtherNode(options.node));
const MICROSECONDS = 1e6;
const cores = options['server-cores'];

async function measure(store, generator, { target, round, connections }) {
  const database = `bench_${target.name.replaceAll('-', '_')}_${connections}_${round}`;
  const url = await store.create(database);
  const connection = await target.connect(url);
  try {
    return {
      ...target,
      round,
      connections,
      ...(await measureServer(store, generator, { target, connection, url, database, connections })),
    };
  } finally {
    await connection.close();
    await store.drop(database);
  }
}

async function measureServer(store, generator, { target, connection, url, database, connections }) {
  const { script, settings, node } = target;
  const queue = settings.REDIS_URL ? { QUEUE_PREFIX: database } : {};
  const server = await startServer(
    script,
    { ...settings, ...queue, ...connection.settings },
    { cores, node: node?.path },
  );
  const delivers = settings.ROLE === 'all';
  const readProcessorSeconds = () => [
    server.readProcessorSeconds(),
    store.readProcessorSeconds(),
    connection.readProcessorSeconds(),
  ];
  try {
    const load = {
      generator,
      url: `${server.baseUrl}/v1.0/sms/send`,
      apiKey: store.apiKey,
      connections,
    };
    await sendLoad({ ...load, seconds: Number(options['warm-up']) });
    const backlog = delivers ? await watchBacklog(url) : null;
    const processTimesBefore = server.readProcessTimes();
    const before = readProcessorSeconds();
    const figures = await sendLoad({ ...load, seconds: Number(options.seconds) });
    const delivery = backlog ? await backlog.drain() : null;
    const costs = readProcessorSeconds().map((seconds, index) =>
      seconds === null ? null : ((seconds - before[index]) / figures.accepted) * MICROSECONDS,
    );
    const costsByProcess = Object.entries(server.readProcessTimes()).map(
      ([process, seconds]) =>
        `${process} ${(((seconds - (processTimesBefore[process] ?? 0)) / figures.accepted) * MICROSECONDS).toFixed(0)} µs`,
    );
    await backlog?.close();
    return {
      perSecond: figures.accepted / figures.seconds,
      ...figures,
      delivery,
      cost: { node: costs[0], postgres: costs[1], pooler: costs[2] },
      costsByProcess: costsByProcess.length > 1 ? costsByProcess : [],
    };
  } finally {
    await server.stop();
  }
}

function printProgress({ name, round, connections, perSecond, lost, refused, delivery, costsByProcess }) {
  const deliveryText = delivery
    ? `; ${delivery.delivered} of ${delivery.accepted} delivered, peak backlog ${delivery.peak}, ` +
      `drained ${delivery.drainSeconds.toFixed(2)} s after the load`
    : '';
  const figure = `${perSecond.toFixed(0).padStart(7)} requests/s`;
  const failures = lost + refused > 0 ? `; ${lost} lost or timed out, ${refused} refused` : '';
  console.log(
    `round ${round}  ${String(connections).padStart(4)} connections  ${name.padEnd(10)} ${figure}${failures}${deliveryText}${costsByProcess.length > 0 ? `; processor time per request: ${costsByProcess.join(', ')}` : ''}`,
  );
}

const generator = checkGenerator(options.generator);
const loads = options.connections.split(',').map(Number);
const store = await startStore();
const results = [];
try {
  for (let round = 1; round <= Number(options.rounds); round += 1) {
    for (const connections of loads) {
      for (const target of targets) {
        const result = await measure(store, generator, { target, round, connections });
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
    results: results.filter((result) => result.connections === connections),
  });
}
