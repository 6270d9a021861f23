import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';

/** What is used of the global that only the types of browsers declare. */
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

/**
 * Instantiates the WebAssembly module by hand, because Node.js cannot import `.wasm` files; once for each process, as
 * its bindings keep views of the one memory. Import this file only when the engine is needed: it holds some ten megabytes.
 */
const file = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
const bytes = await readFile(join(file, '..', 'schema_engine_bg.wasm'));
const { instance } = await WebAssembly.instantiate(bytes, {
  './schema_engine_bg.js': bindings,
});
// Where the module leaves the reason of a panic; without it, a panic would be an error about this very name.
Object.assign(globalThis, {
  PRISMA_WASM_PANIC_REGISTRY: {
    set_message(reason: string) {
      throw new Error(`Prisma's schema engine failed: ${reason}`);
    },
  },
});
bindings.__wbg_set_wasm(instance.exports);
(instance.exports.__wbindgen_start as () => void)();

export const { SchemaEngine } = bindings;
