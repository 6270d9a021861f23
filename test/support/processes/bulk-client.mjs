/* A separate thread, so that reading large answers does not block the event loop of the server under test. */
import { createHash } from 'node:crypto';
import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const { port, posts, beside } = workerData;
const agent = new Agent({ keepAlive: true });

function ask({ method = 'GET', path, headers = {}, body }) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent }, (answer) => {
      const hash = createHash('sha256');
      let bytes = 0;
      answer.on('data', (chunk) => {
        bytes += chunk.length;
        hash.update(chunk);
      });
      answer.on('end', () => {
        const { statusCode: status, headers } = answer;
        resolve({ status, headers, bytes, digest: hash.digest('hex'), milliseconds: performance.now() - started });
      });
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

let open = posts.length;
const latencies = beside.map(async (each) => {
  const measured = [];
  do measured.push((await ask(each)).milliseconds);
  while (open > 0);
  return measured;
});
const answers = await Promise.all(
  posts.map(async (post) => {
    try {
      return await ask({ method: 'POST', ...post });
    } finally {
      open -= 1;
    }
  }),
);
parentPort.postMessage({ answers, latencies: await Promise.all(latencies) });
agent.destroy();
