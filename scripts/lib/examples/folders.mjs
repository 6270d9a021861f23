import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../dist.mjs';
import { startServer } from './server.mjs';

/** Creates the folders of the pages. The first start of a store takes seconds, so it is done once and copied. */
export class ExampleFolders {
  #parent = mkdtempSync(join(tmpdir(), 'heliograph-examples-'));
  /** @type {Promise<string> | undefined} */
  #firstStart;
  #count = 0;

  constructor() {
    // If root runs the examples, PostgreSQL runs as another user, who must be able to enter.
    chmodSync(this.#parent, 0o755);
  }

  /**
   * Creates a folder for commands, with `heliograph` and the data of a store, and one for the runner's own files.
   * @param {Record<string, string> | null} settings of the server; null: no server and no data
   */
  async create(settings) {
    this.#count += 1;
    const parent = join(this.#parent, String(this.#count));
    const folders = { work: join(parent, 'heliograph'), own: join(parent, 'own') };
    for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
    const programs = join(folders.work, 'node_modules', '.bin');
    mkdirSync(programs, { recursive: true });
    symlinkSync(join(ROOT, 'dist', 'cli', 'main.js'), join(programs, 'heliograph'));
    if (settings && !startsDifferently(settings)) {
      this.#firstStart ??= this.#startFirst();
      // fs.cp would not keep the owners.
      execFileSync('cp', ['-Rp', await this.#firstStart, folders.work]);
    }
    return { ...folders, remove: () => rmSync(parent, { recursive: true, force: true }) };
  }

  /** Returns the data folder. */
  async #startFirst() {
    const folder = join(this.#parent, 'first');
    mkdirSync(folder);
    const server = await startServer(folder, {});
    await server.stop();
    return join(folder, '.data');
  }

  remove() {
    rmSync(this.#parent, { recursive: true, force: true });
  }
}

/** Settings that a first start depends on. */
const startsDifferently = (settings) => Object.keys(settings).some((name) => /^(SEED_DEMO|DATA|NEW_)/.test(name));

/** Returns what the commands of a page left behind. @param {string} folder @param {string[]} savedFiles */
export function listLeftFiles(folder, savedFiles) {
  const expected = ['.data', 'node_modules', ...savedFiles.map((file) => file.split('/')[0])];
  return readdirSync(folder).filter((name) => !expected.includes(name));
}
