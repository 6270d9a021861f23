import { gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Below this many bytes a compressed copy saves no packet. */
const WORTH_COMPRESSING = 1_400;

/** Puts a compressed copy beside each script and style sheet, which the server hands out instead. */
const compressed: Plugin = {
  name: 'compressed',
  generateBundle(_options, bundle) {
    for (const [fileName, file] of Object.entries(bundle)) {
      const source = file.type === 'chunk' ? file.code : file.source;
      if (!/\.(?:js|css|svg)$/.test(fileName) || source.length < WORTH_COMPRESSING) continue;
      this.emitFile({ type: 'asset', fileName: `${fileName}.gz`, source: gzipSync(source, { level: 9 }) });
    }
  },
};

/** `scripts/build.mjs` names the folder of the output. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), compressed],
  // The server writes the nonce of each answer in its place.
  html: { cspNonce: '{nonce}' },
  build: {
    target: 'es2022',
    // An inlined file would be a data: address, which the page may not load.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
  },
  server: { proxy: { '^/(admin|api|v1.0|v2|openapi.json)': 'http://127.0.0.1:3000' } },
});
