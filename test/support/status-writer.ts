import { StatusWriter } from '../../src/messages/status/status-writer.js';
import type { TestApp } from './test-app.js';

/** Creates a status writer for messages that a test sends without a worker. */
export function createStatusWriter({ deps }: Pick<TestApp, 'deps'>): StatusWriter {
  const writer = new StatusWriter(deps);
  writer.sent.add((events) => deps.receipts.afterSent(events));
  return writer;
}
