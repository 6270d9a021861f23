// node scripts/lib/bundle-server.mjs FOLDER
//
// Puts what the server and the command line load, their packages too, into a few files of FOLDER/bundled, in place of
// thousands that Node.js would look up and open one by one at each start. The compiled files stay beside it, for scripts that import one of them.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'vite';

/**
 * Packages that are loaded from node_modules: they look for files beside their own (a thread's script, a native addon, their
 * package.json), or are big and seldom wanted. All others are bundled, for half of a start's time went to looking them up.
 */
const LEFT = [
  // Threads that write the log.
  'pino',
  'pino-pretty',
  // Native addons; the last two are optional, and not installed.
  '@node-rs/argon2',
  'fs-native-extensions',
  'msgpackr-extract',
  'pg-native',
  // Reads its own package.json.
  '@fastify/swagger',
  // For files in a bucket and for AWS as a carrier alone.
  '@aws-sdk/client-s3',
  '@aws-sdk/lib-storage',
  '@aws-sdk/client-pinpoint-sms-voice-v2',
  // For traces alone; what it traces must find the same one.
  '@fastify/otel',
  '@opentelemetry/api',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-node',
  'bullmq-otel',
];

/** What is loaded of the compiled files themselves, which then only name the bundle. */
const ENTRIES = { server: 'server.js', program: 'cli/program.js' };

const folder = resolve(process.argv[2]);

/** A stack trace names the sources, not what was compiled of them. */
const sourceMaps = {
  name: 'source-maps',
  load(id) {
    if (!id.startsWith(folder) || !existsSync(`${id}.map`)) return null;
    return { code: readFileSync(id, 'utf8'), map: JSON.parse(readFileSync(`${id}.map`, 'utf8')) };
  },
};

/** Prisma's runtime is CommonJS beside 5 MB of WebAssembly: it stays where it is. */
const prismaRuntime = {
  name: 'prisma-runtime',
  enforce: 'pre',
  resolveId(source, importer) {
    const [, file] = /^\.\.?\/runtime\/([\w.-]+)$/.exec(source) ?? [];
    if (!file || !importer?.includes('generated')) return null;
    return { id: `../platform/generated/prisma/runtime/${file}`, external: true };
  },
};

await build({
  configFile: false,
  root: folder,
  logLevel: 'warn',
  plugins: [prismaRuntime, sourceMaps],
  ssr: { noExternal: true, external: LEFT },
  build: {
    ssr: true,
    target: 'node20',
    outDir: join(folder, 'bundled'),
    sourcemap: true,
    minify: false,
    rolldownOptions: {
      input: Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, join(folder, path)])),
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
});
for (const [name, path] of Object.entries(ENTRIES)) {
  const up = path.includes('/') ? '..' : '.';
  writeFileSync(join(folder, path), `export * from '${up}/bundled/${name}.js';\n`);
  rmSync(join(folder, `${path}.map`));
  // The compiler, which reads what our scripts import, need not read the bundle.
  writeFileSync(join(folder, path.replace(/js$/, 'd.ts')), 'export {};\n');
}
