import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readDemoBaseUrl, toDemoBaseUrl, updateDemoBaseUrl } from '../../../src/features/demo/keys-file.js';

describe('updateDemoBaseUrl', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'heliograph-demo-'));
    return () => rmSync(folder, { recursive: true });
  });

  it('updating demo.json changes only the base URL, keeps the file private, and leaves no temporary file', async () => {
    const file = join(folder, 'demo.json');
    const signInUrl = 'http://127.0.0.1:0/console/sign-in#token=t';
    const keys = { baseUrl: 'http://127.0.0.1:0', surfaceA: { apiKey: 'a' }, note: 'mine', console: { signInUrl } };
    await writeFile(file, JSON.stringify(keys), { mode: 0o600 });
    expect(await updateDemoBaseUrl(folder, 'http://127.0.0.1:4000')).toBe(true);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      ...keys,
      baseUrl: 'http://127.0.0.1:4000',
      console: { signInUrl: 'http://127.0.0.1:4000/console/sign-in#token=t' },
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['demo.json']);
    const { ino } = await stat(file);
    expect(await updateDemoBaseUrl(folder, 'http://127.0.0.1:4000')).toBe(false);
    expect((await stat(file)).ino).toBe(ino);
  });

  it("updating demo.json points the sign-in link to the console's base URL", async () => {
    const file = join(folder, 'demo.json');
    const baseUrl = 'http://127.0.0.1:4000';
    const signInUrl = `${baseUrl}/console/sign-in#token=t`;
    await writeFile(file, JSON.stringify({ baseUrl, console: { signInUrl } }));
    expect(await updateDemoBaseUrl(folder, baseUrl, 'https://console.example.com')).toBe(true);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      baseUrl,
      console: { signInUrl: 'https://console.example.com/console/sign-in#token=t' },
    });
    expect(await updateDemoBaseUrl(folder, baseUrl, 'https://console.example.com')).toBe(false);
  });

  it('updating demo.json keeps a file without a console link unchanged', async () => {
    const file = join(folder, 'demo.json');
    await writeFile(file, JSON.stringify({ baseUrl: 'http://127.0.0.1:0' }));
    expect(await updateDemoBaseUrl(folder, 'http://127.0.0.1:4000')).toBe(true);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ baseUrl: 'http://127.0.0.1:4000' });
  });

  it('updating demo.json does not create a missing file', async () => {
    expect(await updateDemoBaseUrl(folder, 'http://127.0.0.1:4000')).toBe(false);
    expect(await readdir(folder)).toEqual([]);
  });

  it('the stored base URL can be read again, and is undefined without a usable file', async () => {
    expect(await readDemoBaseUrl(folder)).toBeUndefined();
    await writeFile(join(folder, 'demo.json'), '{');
    expect(await readDemoBaseUrl(folder)).toBeUndefined();
    await writeFile(join(folder, 'demo.json'), JSON.stringify({ baseUrl: 'http://127.0.0.1:4000' }));
    expect(await readDemoBaseUrl(folder)).toBe('http://127.0.0.1:4000');
  });
});

describe('toDemoBaseUrl', () => {
  it.each([
    ['127.0.0.1', 3000, 'http://127.0.0.1:3000'],
    ['0.0.0.0', 8080, 'http://127.0.0.1:8080'],
    ['::', 3000, 'http://[::1]:3000'],
    ['::1', 3000, 'http://[::1]:3000'],
    ['messages.example', 80, 'http://messages.example:80'],
  ])('the host %s and the port %i result in the base URL %s', (host, port, url) => {
    expect(toDemoBaseUrl(host, port)).toBe(url);
  });
});
