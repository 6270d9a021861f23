import { Readable } from 'node:stream';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { sendFile } from '../../../src/surfaces/http/files/file-answer.js';

async function getDisposition(mimeType: string, filename: string | null): Promise<string> {
  const app = Fastify();
  const file = { mimeType, filename, size: 1, sha256: 'x', open: async () => Readable.from([Buffer.from('x')]) };
  app.get('/', (request, reply) => sendFile(request, reply, file));
  const { headers } = await app.inject('/');
  expect(headers['x-content-type-options']).toBe('nosniff');
  await app.close();
  return String(headers['content-disposition']).split(';')[0] as string;
}

it.each([
  ['image/png', 'picture.png', 'inline'],
  ['image/png', 'PICTURE.PNG', 'inline'],
  ['image/jpeg', 'photo.jpeg', 'inline'],
  ['image/png', null, 'inline'],
  ['image/png', 'picture', 'inline'],
  // A file can be both a valid image and a valid HTML page.
  ['image/png', 'png.html', 'attachment'],
  ['image/png', 'picture.png.svg', 'attachment'],
  ['image/png', 'picture.png.', 'attachment'],
  ['video/mp4', 'film.hta', 'attachment'],
  ['text/html', 'page.png', 'attachment'],
  ['constructor', 'a.png', 'attachment'],
])('a file of type %s named %s is served as %s', async (mimeType, filename, expected) => {
  expect(await getDisposition(mimeType, filename)).toBe(expected);
});
