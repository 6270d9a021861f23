import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

/** Archive of the last release, created by `npm run pack:release`. */
const ARCHIVE = fileURLToPath(new URL('./last-release.tar.gz', import.meta.url));
const PRISMA_RUNTIME = join('dist', 'platform', 'generated', 'prisma', 'runtime');

export interface LastRelease {
  folder: string;
  version: string;
  commit: string;
}

/** Unpacks the last release, which uses the npm packages of the current version. */
export async function unpackLastRelease(): Promise<LastRelease> {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-last-release-'));
  const reader = extract();
  reader.on('entry', (header, stream, next) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const path = join(folder, header.name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, Buffer.concat(chunks));
      next();
    });
  });
  await pipeline(createReadStream(ARCHIVE), createGunzip(), reader);
  symlinkSync(join(PROJECT_FOLDER, 'node_modules'), join(folder, 'node_modules'));
  const runtime = join(PROJECT_FOLDER, PRISMA_RUNTIME);
  if (!existsSync(runtime)) throw new Error(`${PRISMA_RUNTIME} is missing: build this version first`);
  symlinkSync(runtime, join(folder, PRISMA_RUNTIME));
  stubPackage('@scalar/fastify-api-reference', folder, 'export default async () => {};');
  stubPackage('env-schema', folder, ENV_SCHEMA);
  return { folder, ...JSON.parse(readFileSync(join(folder, 'release.json'), 'utf8')) };
}

const ENV_SCHEMA = `
import { Ajv } from 'ajv';
export function envSchema({ schema, data, ajv: { customOptions } }) {
  const ajv = customOptions(new Ajv({ allErrors: true, removeAdditional: true, useDefaults: true, coerceTypes: true }));
  const values = { ...data };
  if (ajv.validate({ ...schema, additionalProperties: false }, values)) return values;
  throw Object.assign(new Error(ajv.errorsText()), { errors: ajv.errors });
}`;

/** Replaces a package that the last release imports but the current version no longer uses. */
function stubPackage(name: string, folder: string, source: string): void {
  const packageFolder = join(folder, 'dist', 'node_modules', name);
  mkdirSync(packageFolder, { recursive: true });
  writeFileSync(join(packageFolder, 'package.json'), JSON.stringify({ name, type: 'module', exports: './index.js' }));
  writeFileSync(join(packageFolder, 'index.js'), `${source}\n`);
}
