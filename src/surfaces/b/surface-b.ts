import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../process/deps.js';
import { useErrorShape } from '../http/errors.js';
import { rateLimits } from '../http/limits/rate-limits.js';
import { absentBodyIsEmpty } from './absent-body.js';
import { channelAuth } from './auth.js';
import { renderSurfaceB } from './errors.js';
import { describeOperations } from './operations.js';
import { accountRoutes } from './routes/account.js';
import { automationRoutes } from './routes/automations.js';
import { campaignRoutes } from './routes/campaigns.js';
import { contactRoutes } from './routes/contacts.js';
import { conversationRoutes } from './routes/conversations.js';
import { groupRoutes } from './routes/groups.js';
import { messageRoutes } from './routes/messages.js';
import { simulatorRoutes } from './routes/simulator.js';
import { templateRoutes } from './routes/templates.js';
import { webhookRoutes } from './routes/webhooks.js';
import type { SurfaceBRoutes } from './shared.js';
import { countUsage } from './usage.js';

/** Below `/api/v1`: a plugin for each resource, in the order of the reference. */
const RESOURCES: readonly SurfaceBRoutes[] = [
  messageRoutes,
  conversationRoutes,
  contactRoutes,
  groupRoutes,
  templateRoutes,
  campaignRoutes,
  automationRoutes,
  webhookRoutes,
  accountRoutes,
];

/** Below `/simulator/v1`, with the same headers. */
const SIMULATOR: readonly SurfaceBRoutes[] = [simulatorRoutes];

/** Surface B: `/api/v1`, and what plays a carrier beside it. */
export async function surfaceB(app: FastifyInstance, { deps }: { deps: Deps }): Promise<void> {
  const { config, log, redis } = deps;
  await app.register(rateLimits, {
    perSecond: config.rateLimitPerSecond,
    redis,
    prefix: config.queuePrefix,
    keyOf: (request) => request.caller.keyId,
  });

  /** Unknown routes are 404 without a key, so authentication is a context further inside. */
  const below = (prefix: string, resources: readonly SurfaceBRoutes[]) =>
    app.register(
      async (outside) => {
        useErrorShape(outside, renderSurfaceB, log);
        outside.register(async (inside) => {
          await inside.register(countUsage, { usage: deps.usage, clock: deps.clock });
          await inside.register(channelAuth, { authenticator: deps.channelAuthenticator });
          await inside.register(describeOperations);
          inside.addHook('preValidation', absentBodyIsEmpty);
          // What a request changed may be an event for webhooks.
          inside.addHook('onResponse', (request, reply, done) => {
            if (request.method !== 'GET' && reply.statusCode < 400) deps.deliverer?.wake();
            done();
          });
          for (const routes of resources) inside.register(routes, { deps });
        });
      },
      { prefix },
    );

  below('/api/v1', RESOURCES);
  below('/simulator/v1', SIMULATOR);
}
