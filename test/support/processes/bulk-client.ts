import type { IncomingHttpHeaders } from 'node:http';
import { Worker } from 'node:worker_threads';

/** A request of the client. */
export interface BulkRequest {
  /** GET unless told; of `posts`, POST. */
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface BulkAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Of the body, which is not kept. */
  bytes: number;
  /** SHA-256 of the body in hexadecimal. */
  digest: string;
  milliseconds: number;
}

export interface BulkResult {
  /** In the order of the posts. */
  answers: BulkAnswer[];
  /** Milliseconds of each answer to what was asked beside, in the order of asking. */
  latencies: number[][];
}

/**
 * Posts everything at once from a thread of its own, and asks each of `beside` again and again until all is answered.
 * @param port of the server on this machine
 */
export async function bulkClient(port: number, posts: BulkRequest[], beside: BulkRequest[] = []): Promise<BulkResult> {
  const worker = new Worker(new URL('./bulk-client.mjs', import.meta.url), { workerData: { port, posts, beside } });
  try {
    return await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
  } finally {
    await worker.terminate();
  }
}
