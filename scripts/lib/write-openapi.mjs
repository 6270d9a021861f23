// node scripts/lib/write-openapi.mjs DIST
//
// Writes the API's OpenAPI document to DIST/openapi.json, as the built server in DIST serves it at /openapi.json. The script
// needs no database, because endpoints are registered but never called.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const dist = resolve(process.argv[2]);
const load = (path) => import(pathToFileURL(join(dist, path)).href);
const { buildApp } = await load('process/serving/app.js');
const { loadConfig } = await load('process/settings/config.js');

/** Replaces any dependency, because registering an endpoint only stores its dependencies. */
const anything = new Proxy(() => {}, {
  get: (_target, key) => (typeof key === 'symbol' || key === 'then' ? undefined : anything),
  apply: () => anything,
});
// Only these dependencies are read when endpoints are registered. The document does not contain the endpoints that carriers
// call.
const usedDeps = { redis: null, tracing: null, carriers: { types: [] }, media: {} };
const deps = new Proxy(usedDeps, { get: (target, key) => (key in target ? target[key] : anything) });

const app = await buildApp(loadConfig({}), deps);
await app.ready();
writeFileSync(join(dist, 'openapi.json'), `${JSON.stringify(app.swagger(), null, 2)}\n`);
await app.close();
