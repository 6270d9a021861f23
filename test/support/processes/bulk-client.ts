import type { IncomingHttpHeaders } from 'node:http';
import { Worker } from 'node:worker_threads';

export interface BulkRequest {
  /** HTTP method, by default POST for `posts` and GET for `repeated`. */
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface BulkResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** Length of the response body, which itself is discarded. */
  bytes: number;
  /** SHA-256 of the response body in hexadecimal. */
  digest: string;
  milliseconds: number;
}

export interface BulkResult {
  responses: BulkResponse[];
  /** Response times of each repeated request, in milliseconds. */
  latencies: number[][];
}

/** Sends all `posts` concurrently from another thread, and repeats other requests until every post has a response. */
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
