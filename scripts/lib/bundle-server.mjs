// node scripts/lib/bundle-server.mjs FOLDER
//
// Puts what the server and the command line load into a few files of FOLDER/bundled, in place of a thousand that Node.js
// would look up and open one by one at each start. The compiled files stay beside it, for scripts that import one of them.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'vite';

/** Packages of many small files; all others are loaded from node_modules. */
const INLINED = ['@sinclair/typebox', 'libphonenumber-js'];

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
  ssr: { noExternal: INLINED },
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
}
