import { StatusWriter } from '../../src/messages/status/status-writer.js';
import type { TestApp } from './test-app.js';

/** Writes statuses of messages that a test sends by itself, and brings receipts that came before, as a process that sends does. */
export function statusWriterOf({ deps }: Pick<TestApp, 'deps'>): StatusWriter {
  const writer = new StatusWriter(deps);
  writer.sent.add((events) => deps.receipts.afterSent(events));
  return writer;
}
