import type { Socket } from 'node:net';
import { join } from 'node:path';
import cors from '@fastify/cors';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { type FastifyInstance, fastify } from 'fastify';
import { findVisibleAccount, findVisibleChannel } from '../../accounts/operators/roles/visible-accounts.js';
import { ContactLinkingAcceptor } from '../../features/conversations/sending/contact-linking-acceptor.js';
import { CachedWhatsappDirectory } from '../../features/conversations/sending/whatsapp-directory.js';
import { CallbackEndpoints } from '../../features/webhooks/callbacks/endpoints.js';
import { WebhookClient } from '../../features/webhooks/client.js';
import type { ErrorCode } from '../../platform/errors/app-error.js';
import { ALL } from '../../platform/live/live-feed.js';
import { FailureLog } from '../../platform/log/failure-log.js';
import { PACKAGE_FOLDER } from '../../platform/package-folder.js';
import { isStoreUnreachable } from '../../platform/store/failures.js';
import { renderV1, renderV2 } from '../../surfaces/a/errors.js';
import { surfaceA } from '../../surfaces/a/surface-a.js';
import { admin } from '../../surfaces/admin/admin.js';
import { renderAdmin } from '../../surfaces/admin/errors.js';
import { renderSurfaceB } from '../../surfaces/b/errors.js';
import { surfaceB } from '../../surfaces/b/surface-b.js';
import { carrierCallbacks } from '../../surfaces/callbacks/carrier-callbacks.js';
import { consolePages } from '../../surfaces/console/console-pages.js';
import { renderGraph } from '../../surfaces/graph/errors.js';
import { surfaceGraph } from '../../surfaces/graph/surface-graph.js';
import { withGraphVersion } from '../../surfaces/graph/versions.js';
import { renderHook, signInHooks } from '../../surfaces/hooks/sign-in-hooks.js';
import { answerHeaders } from '../../surfaces/http/connection/answer-headers.js';
import { corsOptions } from '../../surfaces/http/connection/cors-options.js';
import { gracefulClose } from '../../surfaces/http/connection/graceful-close.js';
import { findHostProblem } from '../../surfaces/http/connection/host.js';
import { refusedHeaders } from '../../surfaces/http/connection/refused-headers.js';
import { requestIds } from '../../surfaces/http/connection/request-id.js';
import { requestLog } from '../../surfaces/http/connection/request-log.js';
import { requestMetrics } from '../../surfaces/http/connection/request-metrics.js';
import { limitHandedOver } from '../../surfaces/http/connection/shared-port.js';
import { SocketErrors } from '../../surfaces/http/connection/socket-errors.js';
import { createResponseClass, UnreadBodies, unreadBodies } from '../../surfaces/http/connection/unread-bodies.js';
import {
  type ErrorRenderer,
  refuseUnknownEndpoint,
  renderPlain,
  sendError,
  useErrorShape,
} from '../../surfaces/http/errors.js';
import { health, type Siblings } from '../../surfaces/http/health.js';
import { jsonBody } from '../../surfaces/http/input/json-body.js';
import { schemaCompilers } from '../../surfaces/http/input/schema-compilers.js';
import { strictQueries } from '../../surfaces/http/input/strict-queries.js';
import { checkUrl } from '../../surfaces/http/input/text-rules.js';
import { LocalWindows } from '../../surfaces/http/limits/local-windows.js';
import { SharedWindows } from '../../surfaces/http/limits/shared-windows.js';
import { openApi } from '../../surfaces/http/openapi/openapi.js';
import { reference } from '../../surfaces/http/openapi/reference.js';
import { serveOnlyLinks, shortLinks } from '../../surfaces/links/short-links.js';
import { renderTwilio, renderVerify } from '../../surfaces/twilio/errors.js';
import { surfaceTwilio } from '../../surfaces/twilio/surface-twilio.js';
import type { Config } from '../settings/config.js';
import type { Deps } from '../startup/deps.js';

const REQUEST_TIMEOUT_MS = 5_000;
const HEADERS_TIMEOUT_MS = 3_000;
/** Node.js checks for slow requests every 30 s by default, which would leave them open too long. */
const CONNECTIONS_CHECKING_INTERVAL_MS = 500;
/** This timeout is longer than the usual 60 s of proxies, so that a proxy never reuses a closing connection. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
const MAX_PARAM_LENGTH = 256;

const ERROR_FORMATS: readonly [prefix: RegExp, render: ErrorRenderer][] = [
  [/^\/v1\.0(?:\/|\?|$)/, renderV1],
  [/^\/v2\/Services(?:\/|\?|$)/, renderVerify],
  [/^\/v2(?:\/|\?|$)/, renderV2],
  [/^\/(?:api|simulator)\/v1(?:\/|\?|$)/, renderSurfaceB],
  [/^\/graph(?:\/|\?|$)/, renderGraph],
  [/^\/2010-04-01(?:\/|\?|$)/, renderTwilio],
  [/^\/hooks\/sign-in(?:\/|\?|$)/, renderHook],
  [/^\/admin\/v1(?:\/|\?|$)/, renderAdmin],
];

const PATHS_WITH_CHANGES = /^\/(?:v2|api\/v1)\//;

/** Builds the HTTP server. A process with the role `worker` serves only health checks. */
export async function buildApp(
  config: Config,
  deps: Deps,
  siblings: () => Siblings | null = () => null,
): Promise<FastifyInstance> {
  const { log } = deps;
  const { requests } = deps;
  const errorOptions = {
    log,
    outages: new FailureLog({ log, level: 'warn' }),
    isStoreAway: isStoreUnreachable,
    onRefused: (code: ErrorCode) => requests.recordRefusal(code),
  };
  const createId = requestIds();
  const bodies = new UnreadBodies();
  const socketErrors = new SocketErrors(createId, findErrorFormat, bodies);
  const app = fastify({
    // Fastify's own logger would create an object and two listeners for every request.
    logger: false,
    genReqId: createId,
    requestIdHeader: false,
    trustProxy: toTrustOption(config.trustProxy),
    bodyLimit: config.bodyLimitBytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    http: {
      ServerResponse: createResponseClass(bodies),
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECKING_INTERVAL_MS,
      // A hook checks the Host header, because Node.js would not respond in the surface's error format.
      requireHostHeader: false,
    },
    // HEAD requests get a 404 like any other undefined method, except for health checks.
    exposeHeadRoutes: false,
    rewriteUrl: ({ url = '/' }) => withGraphVersion(url),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // During shutdown, new requests on open connections are still served, with `Connection: close`.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      socketErrors.recordExchange(request, reply);
      reply.header('x-request-id', request.id);
      return sendError(error, request, reply, findErrorFormat(request.url), errorOptions);
    },
    clientErrorHandler: (error, socket) => socketErrors.answer(error, socket),
  }).withTypeProvider<TypeBoxTypeProvider>();

  if (siblings()) limitHandedOver(app.server, config.maxConnections);
  else app.server.maxConnections = config.maxConnections;
  app.server.on('checkExpectation', (request, response) => socketErrors.refuseExpectation(request, response));
  app.server.on('connect', (request, socket) => socketErrors.refuseConnect(request, socket as Socket));
  await app.register(schemaCompilers);
  await app.register(strictQueries);
  app.decorateRequest('traceparent', null);
  await deps.tracing?.traceRequests(app);
  app.addHook('onRequest', (request, reply, done) => {
    socketErrors.recordExchange(request, reply);
    done();
  });
  await app.register(requestLog, { log });
  if (config.metricsPort !== undefined) await app.register(requestMetrics, { requests });
  await app.register(answerHeaders, { isAlwaysHttps: config.consoleUrl?.startsWith('https:') ?? false });
  await app.register(gracefulClose);
  await app.register(unreadBodies, { bodies });
  if (config.corsOrigin !== undefined) {
    await app.register(
      cors,
      corsOptions(config.corsOrigin, (url) => PATHS_WITH_CHANGES.test(url)),
    );
  }
  await app.register(refusedHeaders);
  app.addHook('onRequest', serveOnlyLinks(deps.links.domains));
  app.addHook('onRequest', refuseUnknownEndpoint);
  app.addHook('onRequest', (request, _reply, done) => {
    const { url, params, raw } = request;
    const problem = findHostProblem(raw) ?? (url.includes('%') ? checkUrl(url, params) : null);
    done(problem ?? undefined);
  });
  await app.register(jsonBody);
  useErrorShape(app, renderPlain, errorOptions);

  await app.register(openApi);
  await app.register(health, {
    pingStore: () => deps.pool.query('SELECT 1'),
    queueState: () => deps.hints.checkState(),
    isEnding: () => app.isDraining,
    siblings,
  });
  if (config.role === 'worker') return app;

  const surfaceOptions = {
    ...errorOptions,
    windows: deps.redis ? new SharedWindows(deps.redis, `${config.queuePrefix}:rate-limit:`) : new LocalWindows(),
    rateLimitPerSecond: config.rateLimitPerSecond,
  };
  const { pool, prisma, clock, acceptor, lockedAccounts } = deps;
  const { publicUrl } = config;
  const commonOptions = { log, pool, prisma, clock, lockedAccounts, publicUrl };
  const phoneValidation = config.phoneValidation;
  const { webhookAllowPrivate } = config;
  const webhookClient = new WebhookClient({ allowPrivate: webhookAllowPrivate });
  app.addHook('onClose', () => webhookClient.close());
  const fetchEndpoint = (url: string) => webhookClient.get(url);
  const wakeDeliverer = () => deps.deliverer?.wake();
  const notifyConsole = (accountId: string | null) => deps.live.markStale(accountId ?? ALL, [ALL]);
  const appOptions = {
    ...surfaceOptions,
    authenticator: deps.authenticator,
    endpoints: {
      ...commonOptions,
      ...deps.media,
      carriers: deps.carriers,
      turns: deps.turns,
      acceptor,
      sends: new ContactLinkingAcceptor(acceptor, { pool, prisma, log }),
      phoneValidation,
      directory: new CachedWhatsappDirectory(
        { prisma, pool, carriers: deps.carriers, now: () => clock.now().getTime() },
        { strictFrom: config.whatsappStrictFrom },
      ),
      smsMaxChars: config.smsMaxChars,
      smsCarrierName: () => deps.carriers.getSmsCarrierName(),
      wakeDeliverer,
      webhookAllowPrivate,
      askEndpoint: fetchEndpoint,
      callbacks: new CallbackEndpoints({ pool, clock, lockedAccounts, webhookAllowPrivate }),
      verifications: deps.verifications,
    },
  };
  await app.register(surfaceA, appOptions);
  const channelOptions = {
    ...surfaceOptions,
    authenticator: deps.channelAuthenticator,
    usage: deps.usage,
    clock,
    wakeDeliverer,
    onChange: notifyConsole,
    endpoints: {
      ...commonOptions,
      reads: deps.reads,
      acceptor,
      carriers: deps.carriers,
      results: deps.results,
      wakeDeliverer,
      phoneValidation,
      smsMaxChars: config.smsMaxChars,
      sendWaitMs: config.sendWaitMs,
      shutdownTimeoutMs: config.shutdownTimeoutMs,
      webhookAllowPrivate,
      askEndpoint: fetchEndpoint,
      ...deps.media,
    },
  };
  await app.register(surfaceB, channelOptions);
  const { sessions } = deps;
  await app.register(admin, {
    ...errorOptions,
    auth: {
      prisma,
      lockedAccounts,
      sessions,
      clock,
      findAccount: (accountId) => findVisibleAccount({ prisma }, accountId),
      findChannel: (accountId, channelId, includeDeleted) =>
        findVisibleChannel({ prisma }, accountId, channelId, includeDeleted),
    },
    onChange: notifyConsole,
    endpoints: {
      ...commonOptions,
      reads: deps.reads,
      resolveTxt: deps.resolveTxt,
      linkDomains: deps.links.domains,
      sessions,
      failedSignIns: deps.failedSignIns,
      oidc: deps.oidc,
      newAccountCountries: config.newAccountCountries,
      consoleUrl: config.consoleUrl,
      carrierSecrets: { names: config.carrierSecretsEnv, folder: config.carrierSecretsFolder ?? null },
      liveListener: deps.liveListener,
      streamLimits: { account: config.consoleStreamsPerAccount, process: config.consoleStreamsPerProcess },
      acceptor,
      carriers: deps.carriers,
      results: deps.results,
      phoneValidation,
      smsMaxChars: config.smsMaxChars,
      sendWaitMs: config.sendWaitMs,
      wakeDeliverer,
      webhookAllowPrivate,
      askEndpoint: fetchEndpoint,
      ...deps.media,
    },
  });
  await app.register(surfaceGraph, channelOptions);
  await app.register(surfaceTwilio, appOptions);
  await app.register(signInHooks, appOptions);
  const { carriers, callbacks } = deps;
  await app.register(carrierCallbacks, { log, carriers, callbacks });
  await app.register(shortLinks, { ...surfaceOptions, ...deps.links });
  await app.register(reference, { folder: join(PACKAGE_FOLDER, 'dist', 'reference') });
  await app.register(consolePages, { folder: join(PACKAGE_FOLDER, 'dist', 'console') });
  return app;
}

function findErrorFormat(url: string): ErrorRenderer {
  return ERROR_FORMATS.find(([prefix]) => prefix.test(url))?.[1] ?? renderPlain;
}

/** Turns a number of trusted proxies into a function, because Fastify ignores a plain number. */
function toTrustOption(setting: false | number | string) {
  return typeof setting === 'number' ? (_address: string, hop: number) => hop < setting : setting;
}
