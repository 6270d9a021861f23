import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import helmet from '@fastify/helmet';
import files from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';

/** Configuration of Scalar: https://scalar.com/products/api-references/configuration. */
const CONFIGURATION = {
  // The URL is relative, because a proxy may serve everything below a path.
  url: './openapi.json',
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  telemetry: false,
  // With an empty proxy URL, requests go directly to this server.
  proxyUrl: '',
  favicon: 'data:,',
  authentication: { preferredSecurityScheme: 'bearer' },
};

const START = `Scalar.createApiReference('#app', ${JSON.stringify(CONFIGURATION)})`;

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <title>Heliograph: API reference</title>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
  </head>
  <body>
    <div id="app"></div>
    <script src="js/scalar.js"></script>
    <script>${START}</script>
  </body>
</html>
`;

const POLICY = [
  "default-src 'self'",
  `script-src 'self' 'sha256-${createHash('sha256').update(START).digest('base64')}'`,
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const NOT_BUILT = 'The API reference is not built. Run: npm run build\n';

export interface ReferenceOptions {
  /** Folder with `scalar.js`, written by the build. */
  folder: string;
}

/** Serves a reference page that loads nothing from other servers. */
export const reference = plugin(
  async (app: FastifyInstance, { folder }: ReferenceOptions) => {
    // The document is created on request rather than in advance, because it takes a third of a second and is rarely needed.
    let text: string | undefined;
    const getDocument = () => (text ??= JSON.stringify(app.swagger()));
    app.get('/openapi.json', HIDDEN, (_request, reply) => {
      reply.type('application/json; charset=utf-8').send(getDocument());
    });
    await app.register(referencePage, { folder, document: getDocument });
  },
  { name: 'reference', dependencies: ['openapi'] },
);

const HIDDEN = { schema: { hide: true }, exposeHeadRoute: true } as const;

async function referencePage(
  app: FastifyInstance,
  { folder, document }: ReferenceOptions & { document: () => string },
): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: false,
    // A proxy that terminates TLS sets the Strict-Transport-Security header itself.
    strictTransportSecurity: false,
  });
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-cache');
  });
  app.get('/reference', HIDDEN, (_request, reply) => reply.redirect('/reference/', 301));
  const isBuilt = existsSync(join(folder, 'scalar.js'));
  app.get('/reference/', HIDDEN, (_request, reply) => {
    if (!isBuilt) return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT);
    return reply.header('content-security-policy', POLICY).type('text/html; charset=utf-8').send(PAGE);
  });
  app.get('/reference/openapi.json', HIDDEN, (_request, reply) => {
    reply.type('application/json; charset=utf-8').send(document());
  });
  // The same document can be served as YAML, because JSON is valid YAML 1.2.
  app.get('/reference/openapi.yaml', HIDDEN, (_request, reply) => {
    reply.type('application/yaml').send(document());
  });
  if (!isBuilt) return;
  await app.register(files, {
    root: folder,
    prefix: '/reference/js/',
    schemaHide: true,
    decorateReply: false,
    index: false,
    redirect: false,
    cacheControl: false,
  });
}
