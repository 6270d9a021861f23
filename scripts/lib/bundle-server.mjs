// node scripts/lib/bundle-server.mjs FOLDER
//
// Bundles all files that the server and the command line load, including packages, into a few files in FOLDER/bundled. Without
// a bundle, Node.js would look up and open thousands of files at each start. The compiled files stay, because scripts import
// some of them.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'vite';

/**
 * Packages are not bundled if they look for files next to their own (a worker script, a native addon, package.json), or are
 * large and rarely used. Bundling all other packages halves the start time.
 */
const EXTERNAL_PACKAGES = [
  // Log worker threads.
  'pino',
  'pino-pretty',
  // These contain native addons.
  '@node-rs/argon2',
  'fs-native-extensions',
  'msgpackr-extract',
  'pg-native',
  // Reads its own package.json.
  '@fastify/swagger',
  // The AWS packages are used only for files in a bucket and for AWS as a carrier.
  '@aws-sdk/client-s3',
  '@aws-sdk/lib-storage',
  '@aws-sdk/client-pinpoint-sms-voice-v2',
  // Packages for tracing are rarely used, and must share instances with the packages that they trace.
  '@fastify/otel',
  '@opentelemetry/api',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-node',
  'bullmq-otel',
];

/** Entry points, whose compiled files are replaced by files that load the bundle. */
const ENTRIES = { server: 'server.js', program: 'cli/program.js' };

const folder = resolve(process.argv[2]);

/** Reads the compiler's source maps, so that stack traces show the TypeScript sources. */
const sourceMaps = {
  name: 'source-maps',
  load(id) {
    if (!id.startsWith(folder) || !existsSync(`${id}.map`)) return null;
    return { code: readFileSync(id, 'utf8'), map: JSON.parse(readFileSync(`${id}.map`, 'utf8')) };
  },
};

/** Leaves Prisma's runtime out of the bundle, because it is CommonJS with 5 MB of WebAssembly. */
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
  ssr: { noExternal: true, external: EXTERNAL_PACKAGES },
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
  const prefix = path.includes('/') ? '..' : '.';
  writeFileSync(join(folder, path), `export * from '${prefix}/bundled/${name}.js';\n`);
  rmSync(join(folder, `${path}.map`));
  // Without an empty type declaration, the compiler would read the whole bundle when it checks scripts that import an entry
  // point.
  writeFileSync(join(folder, path.replace(/js$/, 'd.ts')), 'export {};\n');
}
