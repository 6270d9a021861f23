import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_FOLDER } from './processes/server-process.js';

/** Reads the OpenAPI document that the build wrote, for tests without an application. */
export function readBuiltOpenApi<Document = unknown>(): Document {
  return JSON.parse(readFileSync(join(PROJECT_FOLDER, 'dist', 'openapi.json'), 'utf8'));
}
