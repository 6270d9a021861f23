import type { IncomingHttpHeaders } from 'node:http';
import { Worker } from 'node:worker_threads';

export interface BulkRequest {
  /** Default: GET, and POST for `posts`. */
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface BulkResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** Length of the body, which is not kept. */
  bytes: number;
  /** SHA-256 of the body in hexadecimal. */
  digest: string;
  milliseconds: number;
}

export interface BulkResult {
  responses: BulkResponse[];
  /** In milliseconds, for each of the repeated requests. */
  latencies: number[][];
}

/** Sends all posts at once from another thread, and repeats the other requests until every post has a response. */
export async function runBulkClient(
  port: number,
  posts: BulkRequest[],
  repeated: BulkRequest[] = [],
): Promise<BulkResult> {
  const worker = new Worker(new URL('./bulk-client.mjs', import.meta.url), { workerData: { port, posts, repeated } });
  try {
    return await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
  } finally {
    await worker.terminate();
  }
}
