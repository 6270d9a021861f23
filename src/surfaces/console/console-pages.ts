import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import files from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { unknownEndpoint } from '../http/errors.js';

export interface ConsoleOptions {
  /** Folder that contains `index.html` and a folder `assets/`, in which file names contain content hashes. */
  folder: string;
}

/** Placeholder that is replaced with a new nonce in each response. */
const NONCE = '{nonce}';
const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

const NOT_BUILT = 'The console is not built. Run: npm run build\n';

/** Every path below `/console` gets the same page, whose script chooses the view by path. */
export async function consolePages(app: FastifyInstance, { folder }: ConsoleOptions): Promise<void> {
  const options = { schema: { hide: true }, exposeHeadRoute: true } as const;
  app.get('/', options, (request, reply) => {
    if (!wantsPage(request)) throw unknownEndpoint(request);
    return reply.header('vary', 'accept').redirect('/console/');
  });

  const index = join(folder, 'index.html');
  if (!existsSync(index)) {
    const refuse = (_request: FastifyRequest, reply: FastifyReply) =>
      reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT);
    app.get('/console', options, refuse);
    app.get('/console/*', options, refuse);
    return;
  }

  const page = readFileSync(index, 'utf8');
  const sendPage = (_request: FastifyRequest, reply: FastifyReply) => {
    const nonce = randomBytes(16).toString('base64url');
    return (
      reply
        .header('content-security-policy', buildContentPolicy(nonce))
        // The same-origin check needs the Origin header, which browsers omit if referrers are turned off.
        .header('referrer-policy', 'same-origin')
        .header('cross-origin-resource-policy', 'same-origin')
        .header('x-robots-tag', 'noindex')
        .type('text/html; charset=utf-8')
        .send(page.replaceAll(NONCE, nonce))
    );
  };
  app.get('/console', options, sendPage);
  app.get('/console/*', options, sendPage);
  await app.register(files, {
    root: join(folder, 'assets'),
    prefix: '/console/assets/',
    schemaHide: true,
    decorateReply: false,
    index: false,
    redirect: false,
    preCompressed: true,
    immutable: true,
    maxAge: YEAR_MS,
  });
}

function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') ?? false;
}

/** Allows only the page's own files and inline script, and connections to this server. */
function buildContentPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "media-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
