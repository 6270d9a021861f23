/* Runs in a separate thread, so that reading large responses does not block the event loop of the server under test. */
import { createHash } from 'node:crypto';
import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const { port, posts, repeated } = workerData;
const agent = new Agent({ keepAlive: true });

function send({ method = 'GET', path, headers = {}, body }) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const clientRequest = request({ host: '127.0.0.1', port, method, path, headers, agent }, (response) => {
      const hash = createHash('sha256');
      let bytes = 0;
      response.on('data', (chunk) => {
        bytes += chunk.length;
        hash.update(chunk);
      });
      response.on('end', () => {
        const { statusCode: status, headers } = response;
        resolve({ status, headers, bytes, digest: hash.digest('hex'), milliseconds: performance.now() - started });
      });
      response.on('error', reject);
    });
    clientRequest.on('error', reject);
    clientRequest.end(body);
  });
}

let pending = posts.length;
const latencies = repeated.map(async (options) => {
  const measured = [];
  do measured.push((await send(options)).milliseconds);
  while (pending > 0);
  return measured;
});
const responses = await Promise.all(
  posts.map(async (post) => {
    try {
      return await send({ method: 'POST', ...post });
    } finally {
      pending -= 1;
    }
  }),
);
parentPort.postMessage({ responses, latencies: await Promise.all(latencies) });
agent.destroy();
